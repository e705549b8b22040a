import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { getCompany } from '../../account/service/companies.ts';
import type { UsageQuery } from '../../usage/contract/range.ts';
import { sumByDay } from '../../usage/service.ts';
import type { InboxReport } from '../contract/report.ts';
import { reportOf } from '../domain/report.ts';
import { listInboxDays } from '../store/inbox-day.ts';

/** How quickly contacts were answered on each UTC day of a range: 0.5 RRU for about five days, and the company. */
export const getInboxReport = async (companyId: number, query: UsageQuery): Promise<InboxReport | Problem<'validation_failed'>> => {
  const [company, counted] = await Promise.all([getCompany(companyId), sumByDay(query, (from, to) => listInboxDays(companyId, from, to))]);
  if (isProblem(counted)) return counted;
  const { from, to, days } = counted;
  return { from, to, ...reportOf(days, company?.timezone ?? 'UTC') };
};
