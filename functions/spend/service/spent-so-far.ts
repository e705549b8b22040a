import type { CeilingPeriod } from '../contract/spend-account.ts';

/**
 * What the present day and month have cost when a first ceiling is set, in micro-units of its currency. Counts of what was sent by country, from which
 * it follows, are not stored yet: until they are, a ceiling counts from the moment at which it is set.
 */
export const spentSoFar = (): Readonly<Record<CeilingPeriod, number>> => ({ day: 0, month: 0 });
