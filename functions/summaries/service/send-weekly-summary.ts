import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { siteUrlVariable } from '../../../shared/access/session.ts';
import { getMailbox } from '../../account/service/logins.ts';
import { sendMail } from '../../verification/service/send-mail.ts';
import type { StoredWeeklySummary } from '../contract/stored.ts';
import { hasActivity } from '../domain/figures.ts';
import { summaryMail } from '../domain/summary-mail.ts';
import { boundsOf, dueTimeOfWeek, lateMs, nextWeek, retryMs } from '../domain/week.ts';
import { getStoredWeeklySummary, putWeeklySummary } from '../store/weekly-summary.ts';
import { getWeekFigures } from './week-figures.ts';

/**
 * Sends the summary that is due to one user. The claim of the week is written before the email is sent, and arms the next week in the same write: whatever
 * comes of the email, no other worker sends one for this week. One that provably did not leave is tried again an hour later, for two days.
 */
export const sendWeeklySummary = async (companyId: number, userId: number, dueAtMs: number): Promise<void> => {
  const [seen, mailbox] = await Promise.all([getStoredWeeklySummary(companyId, userId), getMailbox(companyId, userId)]);
  // of an earlier time, or switched off since
  if (!seen?.enabled || seen.dueAt !== dueAtMs) return;
  if (mailbox?.user.status !== 'active') return void (await change(seen, { enabled: false }));
  const { company, user, isConfirmed } = mailbox;
  const dueAt = dueTimeOfWeek(seen.week, company.timezone);
  // the company has another zone since
  if (dueAt > now()) return void (await change(seen, { dueAt }));
  const next = nextWeek(company.timezone, now(), seen.week);
  const isMissed = now() > dueAt + lateMs;
  const maySend = company.status === 'active' && isConfirmed && optionalSetting('EMAIL_FROM') !== undefined;
  if (isMissed || !maySend) return void (await change(seen, next));
  const figures = await getWeekFigures(companyId, seen.week, user.role);
  const claimed = await change(seen, { ...next, claimedWeek: seen.week });
  if (!claimed || !hasActivity(figures, boundsOf(seen.week).fromMs)) return;
  const { language, week } = seen;
  const mail = summaryMail(figures, { week, language, companyName: company.name, role: user.role, consoleUrl: consoleUrl() });
  const outcome = await sendMail({ to: user.email, ...mail });
  if (outcome === 'unsent') await change(claimed, { week, dueAt: now() + retryMs, claimedWeek: seen.claimedWeek });
  log.info('A weekly summary was given to the mail service', { company_id: companyId, code: outcome });
};

/** Undefined when another worker, or the user, was faster. */
const change = (seen: StoredWeeklySummary, to: Partial<StoredWeeklySummary>): Promise<StoredWeeklySummary | undefined> =>
  putWeeklySummary({ ...seen, ...to, updatedAt: now() }, seen);

/** Where the pages are, as the operator deployed them; undefined: the email has no links. */
const consoleUrl = (): string | undefined => {
  const base = optionalSetting(siteUrlVariable) ?? optionalSetting('PUBLIC_BASE_URL');
  return base === undefined ? undefined : `${base}/console`;
};
