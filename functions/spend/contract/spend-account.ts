import * as z from 'zod';
import { type ItemKind, projectionTarget } from '../../../shared/events/react.ts';
import type { PriceCategory } from './card.ts';

/** The ceilings of a company, by the time that they hold for. Days and months are UTC, as usage is. */
export const ceilingPeriods = ['day', 'month'] as const;
export type CeilingPeriod = (typeof ceilingPeriods)[number];

/** A ceiling that may be reached: of the company, or of the campaign that a message is of. */
export const ceilingNames = [...ceilingPeriods, 'campaign'] as const;
export type CeilingName = (typeof ceilingNames)[number];

/** What a ceiling may stop. Codes of either kind are one: `authentication`. */
export const stoppableCategories = ['marketing', 'utility', 'authentication', 'service'] as const satisfies readonly PriceCategory[];
export type StoppableCategory = (typeof stoppableCategories)[number];

/** Amounts of an account are whole micro-units in numbers: nine digits of units fit a number exactly. */
export const maxMicros = 999_999_999_999_999;

export const spendAccountEntityName = 'spend-account';

/**
 * What is left of the ceilings of a company. Counters count down, so that a ceiling is one comparison and its change is one addition: what is
 * granted to a number is taken from them. Each has a twin for all but codes, which begins with less: the difference is the reserve of codes.
 */
export const storedSpendAccount = z.looseObject({
  companyId: z.int(),
  /** Incremented by each change of the settings: a grant is made under the settings that were read. */
  rev: z.int(),
  /** Counts the times that the counters began anew by a change of the settings: allowances of an earlier time are void. */
  began: z.int(),
  currency: z.string(),
  dayLimit: z.int().optional(),
  monthLimit: z.int().optional(),
  reservePercent: z.int(),
  stops: z.array(z.enum(stoppableCategories)),
  unknownPrice: z.enum(['stop', 'allow']),
  onReached: z.enum(['wait', 'stop']),
  /** `2026-11-29` and `2026-11`: what the counters are of. */
  day: z.string(),
  month: z.string(),
  dayLeft: z.int().optional(),
  dayLeftForOthers: z.int().optional(),
  monthLeft: z.int().optional(),
  monthLeftForOthers: z.int().optional(),
  /** What has been given back to the counters of the period, of what its messages were proven not to cost. */
  dayFreed: z.int().optional(),
  dayFreedForOthers: z.int().optional(),
  monthFreed: z.int().optional(),
  monthFreedForOthers: z.int().optional(),
  /** The day on which a ceiling was added beside the other one: what was taken by its end is not in its counters, and nothing of it goes back to them. */
  daySince: z.string().optional(),
  monthSince: z.string().optional(),
  /** The day and the month in which a message was first refused. */
  dayReached: z.string().optional(),
  monthReached: z.string().optional(),
  updatedAt: z.int(),
});
/** Beside its attributes it has `n:<number>`: what was granted to a number since its allowance was last returned. */
export type StoredSpendAccount = z.output<typeof storedSpendAccount>;
/** For the reactions of all contexts. */
export const spendAccountKind: ItemKind<StoredSpendAccount> = {
  name: spendAccountEntityName,
  parse: (raw) => storedSpendAccount.parse(raw),
};
/** What is set in an account; undefined: removed. */
export type AccountFields = {
  [K in keyof StoredSpendAccount as string extends K ? never : K]?: StoredSpendAccount[K] | undefined;
};

/** The settings of ceilings that no company has set. */
export const defaultCeilings = {
  reservePercent: 10,
  stops: ['marketing', 'utility', 'authentication'],
  unknownPrice: 'stop',
  onReached: 'wait',
} as const satisfies Pick<StoredSpendAccount, 'reservePercent' | 'unknownPrice' | 'onReached'> & { stops: readonly StoppableCategory[] };

export const spendAlertsEntityName = 'spend-alerts';

const alerted = z.object({
  /** The day or month, with the ceiling: another ceiling is alerted anew. */
  period: z.string(),
  percent: z.int(),
  limit: z.int(),
  left: z.int(),
  currency: z.string(),
});
export type Alerted = z.output<typeof alerted>;

/** The highest share of each ceiling that was published, a projection of the account: each is published once a period. */
export const storedSpendAlerts = z.object({
  companyId: z.int(),
  day: alerted.optional(),
  month: alerted.optional(),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredSpendAlerts = z.output<typeof storedSpendAlerts>;
export const spendAlertsTarget = projectionTarget<{ companyId: number }, StoredSpendAlerts>(spendAlertsEntityName);
