import type { Cells } from '../../shared/events/recount.ts';
import { invalid, type Problem } from '../../shared/contract/problems.ts';
import { now } from '../../shared/runtime/clock.ts';
import type { UsageQuery } from './contract/range.ts';
import { daysBefore, daysOfRange, sumOfUsage } from './domain.ts';
import { listUsageParts } from './store.ts';

export interface UsageOfRange {
  from: string;
  to: string;
  total: Cells;
  days: { date: string; cells: Cells }[];
}

/**
 * What a company used on the days of a range, and before them on those of its first month, which tiers count. 0.5 RRU per 4 KB.
 */
export const listUsageOfMonths = async (
  companyId: number,
  query: UsageQuery,
): Promise<Omit<UsageOfRange, 'total'> | Problem<'validation_failed'>> => {
  const range = daysOfRange(query, now());
  if ('field' in range) return invalid(range.field, range.reason);
  const [from = '', to = from] = [range.days[0], range.days.at(-1)];
  const days = [...daysBefore(from), ...range.days];
  const parts = Map.groupBy(await listUsageParts(companyId, days[0] ?? from, to), ({ day }) => day);
  return { from, to, days: days.map((date) => ({ date, cells: sumOfUsage(parts.get(date) ?? []) })) };
};

/** What a company used on every UTC day of a range, in order. */
export const listUsageByDay = (companyId: number, query: UsageQuery): Promise<UsageOfRange | Problem<'validation_failed'>> =>
  sumByDay(query, (from, to) => listUsageParts(companyId, from, to));

/** The sums of the parts that each UTC day of a range has, in order; `list` reads the parts. */
export const sumByDay = async (
  query: UsageQuery,
  list: (from: string, to: string) => Promise<readonly PartOfDay[]>,
): Promise<UsageOfRange | Problem<'validation_failed'>> => {
  const range = daysOfRange(query, now());
  if ('field' in range) return invalid(range.field, range.reason);
  const [from = '', to = from] = [range.days[0], range.days.at(-1)];
  const byDay = new Map<string, PartOfDay[]>(range.days.map((day) => [day, []]));
  const parts = await list(from, to);
  for (const part of parts) byDay.get(part.day)?.push(part);
  return { from, to, total: sumOfUsage(parts), days: [...byDay].map(([date, ofDay]) => ({ date, cells: sumOfUsage(ofDay) })) };
};

interface PartOfDay {
  day: string;
  cells: Cells;
}
