import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getMailbox, type Mailbox } from '../../account/service/logins.ts';
import type { WeeklySummaryBody, WeeklySummaryRecord } from '../contract/routes.ts';
import type { StoredWeeklySummary } from '../contract/stored.ts';
import { lateMs, nextWeek } from '../domain/week.ts';
import { getStoredWeeklySummary, putWeeklySummary } from '../store/weekly-summary.ts';

/** The choice of a user: 4 RRU. */
export const getWeeklySummary = async (companyId: number, userId: number): Promise<WeeklySummaryRecord | Problem<'token_invalid'>> => {
  const [mailbox, stored] = await Promise.all([getMailbox(companyId, userId), getStoredWeeklySummary(companyId, userId)]);
  return mailbox ? toRecord(mailbox, stored) : problem('token_invalid');
};

/** Switches it on or off. A week whose email was claimed has no other, however often it is switched. 4 RRU, and up to 3 WRU. */
export const setWeeklySummary = async (
  companyId: number,
  userId: number,
  { enabled, language }: WeeklySummaryBody,
): Promise<WeeklySummaryRecord | Problem<'token_invalid'>> => {
  const mailbox = await getMailbox(companyId, userId);
  if (!mailbox) return problem('token_invalid');
  return retryOnConflict(8, async () => {
    const seen = await getStoredWeeklySummary(companyId, userId);
    const at = now();
    // one that was missed for good, as by a restore, begins anew
    const isArmed = seen?.enabled === true && enabled && seen.dueAt > at - lateMs;
    const next = isArmed ? { week: seen.week, dueAt: seen.dueAt } : nextWeek(mailbox.company.timezone, at, seen?.claimedWeek);
    const chosen = { ...seen, ...next, companyId, userId, enabled, language: language ?? seen?.language ?? 'en', updatedAt: at };
    const written = await putWeeklySummary(chosen, seen);
    return written ? toRecord(mailbox, written) : conflict;
  });
};

const toRecord = ({ user, isConfirmed }: Mailbox, stored: StoredWeeklySummary | undefined): WeeklySummaryRecord => ({
  enabled: stored?.enabled ?? false,
  language: stored?.language ?? 'en',
  email: user.email,
  email_confirmed: isConfirmed,
  next_at: stored?.enabled ? isoTime(stored.dueAt) : null,
});
