import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { StoredUsagePart, UsageQuery, UsageRecord, VerificationCount } from '../contract/usage.ts';
import { daysOfRange, figuresOf, profileWithShortId, sumOfUsage, verificationCounts } from '../domain/usage.ts';
import { listUsageParts } from '../store/usage.ts';
import { listStoredProfiles } from './stored-profiles.ts';

/** What the company used on each UTC day of a range. */
export const getUsage = async (companyId: number, query: UsageQuery): Promise<UsageRecord | Problem<'validation_failed'>> => {
  const found = await listPartsByDay(companyId, query);
  if (isProblem(found)) return found;
  const days = [...found];
  const [from = '', to = from] = [days[0]?.[0], days.at(-1)?.[0]];
  return {
    from,
    to,
    timezone: 'UTC',
    totals: figuresOf(sumOfUsage(days.flatMap(([, parts]) => parts))),
    days: days.map(([date, parts]) => ({ date, ...figuresOf(sumOfUsage(parts)) })),
  };
};

/** The verification requests that ended on each UTC day of a range. */
export const listVerificationCounts = async (
  companyId: number,
  query: UsageQuery,
): Promise<VerificationCount[] | Problem<'validation_failed'>> => {
  const [found, profiles] = await Promise.all([listPartsByDay(companyId, query), listStoredProfiles(companyId)]);
  if (isProblem(found)) return found;
  const profileIds = profiles.map(({ id }) => id);
  return [...found].flatMap(([date, parts]) =>
    verificationCounts(sumOfUsage(parts)).map(({ status, profile, count }) => ({
      date,
      profileId: profileWithShortId(profile, profileIds),
      status,
      count,
    })),
  );
};

/** Every day of a range, in order, with its parts. */
async function listPartsByDay(
  companyId: number,
  query: UsageQuery,
): Promise<Map<string, StoredUsagePart[]> | Problem<'validation_failed'>> {
  const range = daysOfRange(query, now());
  if ('field' in range) return invalid(range.field, range.reason);
  const [from = '', to = from] = [range.days[0], range.days.at(-1)];
  const byDay = new Map<string, StoredUsagePart[]>(range.days.map((day) => [day, []]));
  for (const part of await listUsageParts(companyId, from, to)) byDay.get(part.day)?.push(part);
  return byDay;
}
