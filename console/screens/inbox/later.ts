import { toFieldTime } from '../../data/field-time.ts';

const minute = 60_000;

/** An hour from now, or the last minutes in which free text still reaches the contact. */
export const firstLater = (until: string | null, now: number): string =>
  toFieldTime(
    Math.max(now + 2 * minute, Math.min(now + 60 * minute, until === null ? Number.POSITIVE_INFINITY : Date.parse(until) - 5 * minute)),
  );

/** Why free text cannot be scheduled for a time: it is over, or the window of the contact is by then. */
export const laterProblem = (later: string, until: string | null, now: number): 'early' | 'late' | undefined => {
  const at = Date.parse(later);
  if (Number.isNaN(at) || at <= now) return 'early';
  return until !== null && at >= Date.parse(until) ? 'late' : undefined;
};
