import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Cells } from '../../../shared/events/recount.ts';
import { messageFiguresOf } from '../../messaging/contract/usage.ts';
import type { UsageQuery } from '../../usage/contract/range.ts';
import { listUsageByDay } from '../../usage/service.ts';
import { verificationFiguresOf } from '../../verification/contract/usage.ts';
import type { UsageFigures, UsageRecord } from '../contract/usage.ts';

/** What the company used on each UTC day of a range. */
export const getUsage = async (companyId: number, query: UsageQuery): Promise<UsageRecord | Problem<'validation_failed'>> => {
  const used = await listUsageByDay(companyId, query);
  if (isProblem(used)) return used;
  const { from, to, total, days } = used;
  return {
    from,
    to,
    timezone: 'UTC',
    totals: figuresOf(total),
    days: days.map(({ date, cells }) => ({ date, ...figuresOf(cells) })),
  };
};

const figuresOf = (cells: Cells): UsageFigures => ({ messages: messageFiguresOf(cells), verifications: verificationFiguresOf(cells) });
