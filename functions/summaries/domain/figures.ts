import type { Role } from '../../../shared/contract/route.ts';
import { roles } from '../../../shared/contract/route.ts';
import type { Cells } from '../../../shared/events/recount.ts';
import type { InboxFigures } from '../../conversations/contract/report.ts';
import { messageFiguresOf } from '../../messaging/contract/usage.ts';
import type { Money } from '../../spend/contract/money.ts';
import { verificationFiguresOf } from '../../verification/contract/usage.ts';

/** What was used in a week, as `getUsage` has it. */
export interface UsedInWeek {
  delivered: number;
  failed: number;
  verifications: number;
  verified: number;
}

/** The figures of one email: counts, and names of campaigns; nothing of a contact. */
export interface WeekFigures {
  used: UsedInWeek;
  usedBefore: UsedInWeek;
  answers: InboxFigures;
  answersBefore: InboxFigures;
  /** `newestAt`: epoch milliseconds, of the newest message that waits. */
  waiting: { count: number; isCounted: boolean; newestAt: number | undefined };
  campaigns: readonly { id: number; name: string; delivered: number; read: number }[];
  /** Undefined: the user may not see what messages cost. */
  spend: { amounts: readonly Money[]; unknown: number } | undefined;
}

export const usedIn = (cells: Cells): UsedInWeek => {
  const messages = messageFiguresOf(cells);
  const verifications = verificationFiguresOf(cells);
  return {
    delivered: sumOf(messages.filter(({ status }) => status === 'delivered')),
    failed: sumOf(messages.filter(({ status }) => status !== 'delivered')),
    verifications: sumOf(verifications),
    verified: sumOf(verifications.filter(({ status }) => status === 'verified')),
  };
};

const sumOf = (each: readonly { count: number }[]): number => each.reduce((sum, { count }) => sum + count, 0);

/** Whether something happened in the week: a summary of zeros helps no one. Customers who wrote and still wait are something. */
export const hasActivity = ({ used, answers, waiting, campaigns }: WeekFigures, fromMs: number): boolean =>
  [used.delivered, used.failed, used.verifications, answers.answered, answers.closed, campaigns.length].some((count) => count > 0) ||
  (waiting.newestAt ?? 0) >= fromMs;

/** Whether a user of this role may call an operation: the email shows what the user could read anyway. */
export const mayRead = (role: Role, { caller }: { caller: { role: Role } }): boolean => roles.indexOf(role) >= roles.indexOf(caller.role);
