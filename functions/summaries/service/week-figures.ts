import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Role } from '../../../shared/contract/route.ts';
import { listFinishedCampaigns } from '../../campaigns/service/finished-campaigns.ts';
import { getInboxReport } from '../../conversations/service/inbox-report.ts';
import { countWaiting } from '../../conversations/service/list-conversations.ts';
import { spendRoutes } from '../../spend/contract/spend.ts';
import { getSpend } from '../../spend/service/spend.ts';
import { listUsageByDay } from '../../usage/service.ts';
import { mayRead, usedIn, type WeekFigures } from '../domain/figures.ts';
import { boundsOf, dayOfWeek } from '../domain/week.ts';

/** What the reports say of a week, as far as a role may read it. About 10 RRU, up to 35 for who waits in a large inbox, and 5 to 10 for the cards of a currency. */
export const getWeekFigures = async (companyId: number, week: string, role: Role): Promise<WeekFigures> => {
  const range = { from: week, to: dayOfWeek(week, 6) };
  const before = { from: dayOfWeek(week, -7), to: dayOfWeek(week, -1) };
  const [used, usedBefore, answers, answersBefore, waiting, campaigns, spend] = await Promise.all([
    listUsageByDay(companyId, range).then(found),
    listUsageByDay(companyId, before).then(found),
    getInboxReport(companyId, range).then(found),
    getInboxReport(companyId, before).then(found),
    countWaiting(companyId),
    listFinishedCampaigns(companyId, boundsOf(week)),
    mayRead(role, spendRoutes.getSpend) ? getSpend(companyId, { by: 'day', ...range }).then(found) : undefined,
  ]);
  return {
    used: usedIn(used.total),
    usedBefore: usedIn(usedBefore.total),
    answers: answers.totals,
    answersBefore: answersBefore.totals,
    waiting,
    campaigns,
    spend: spend && { amounts: spend.totals.amounts, unknown: spend.totals.unknown },
  };
};

function found<T>(outcome: T | Problem): T {
  if (isProblem(outcome)) throw new Error(`A report refuses a whole week: ${outcome.problem}.`);
  return outcome;
}
