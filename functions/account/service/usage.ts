import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { StoredUsagePart, UsageQuery, UsageRecord } from '../contract/usage.ts';
import { daysOfRange, figuresOf, sumOfUsage } from '../domain/usage.ts';
import { listUsageParts } from '../store/usage.ts';

/** What the company used on each UTC day of a range. */
export const getUsage = async (companyId: number, query: UsageQuery): Promise<UsageRecord | Problem<'validation_failed'>> => {
  const range = daysOfRange(query, now());
  if ('field' in range) return invalid(range.field, range.reason);
  const [from = '', to = from] = [range.days[0], range.days.at(-1)];
  const parts = await listUsageParts(companyId, from, to);
  const byDay = new Map<string, StoredUsagePart[]>();
  for (const part of parts) byDay.set(part.day, [...(byDay.get(part.day) ?? []), part]);
  return {
    from,
    to,
    timezone: 'UTC',
    totals: figuresOf(sumOfUsage(parts)),
    days: range.days.map((date) => ({ date, ...figuresOf(sumOfUsage(byDay.get(date) ?? [])) })),
  };
};
