import type { Cells } from '../../shared/events/recount.ts';
import { invalid, type Problem } from '../../shared/contract/problems.ts';
import { now } from '../../shared/runtime/clock.ts';
import type { UsageQuery } from './contract/range.ts';
import type { StoredUsagePart } from './contract/stored.ts';
import { daysOfRange, sumOfUsage } from './domain.ts';
import { listUsageParts } from './store.ts';

export interface UsageOfRange {
  from: string;
  to: string;
  total: Cells;
  days: { date: string; cells: Cells }[];
}

/** What a company used on every UTC day of a range, in order. */
export const listUsageByDay = async (companyId: number, query: UsageQuery): Promise<UsageOfRange | Problem<'validation_failed'>> => {
  const range = daysOfRange(query, now());
  if ('field' in range) return invalid(range.field, range.reason);
  const [from = '', to = from] = [range.days[0], range.days.at(-1)];
  const byDay = new Map<string, StoredUsagePart[]>(range.days.map((day) => [day, []]));
  const parts = await listUsageParts(companyId, from, to);
  for (const part of parts) byDay.get(part.day)?.push(part);
  return { from, to, total: sumOfUsage(parts), days: [...byDay].map(([date, ofDay]) => ({ date, cells: sumOfUsage(ofDay) })) };
};
