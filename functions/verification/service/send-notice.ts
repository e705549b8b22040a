import { isoTime } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { getUser } from '../../account/service/users.ts';
import type { NoticeMessage } from '../contract/work.ts';
import { maxNoticesPerHour, noticeText } from '../domain/notice.ts';
import { sendMail } from '../gateway/mail.ts';
import { claimNotice, releaseNotice } from '../store/notice.ts';

/**
 * Sends the mail once, and none beyond the hour's; one that did not leave goes with the next delivery. A deployment without an address to
 * send from sends none.
 */
export const sendNotice = async ({ company_id: companyId, user_id: userId, made, id, at, change }: NoticeMessage): Promise<void> => {
  if (optionalSetting('EMAIL_FROM') === undefined) return;
  const user = await getUser(companyId, userId);
  if (user?.status !== 'active') return;
  const notice = { companyId, userId, at, change };
  if (!(await claimNotice(notice, maxNoticesPerHour))) return;
  const { subject, text } = noticeText(made, id, companyId, isoTime(at));
  const outcome = await sendMail({ to: user.email, subject, text, html: `<pre>${text}</pre>` });
  if (outcome !== 'unsent') return;
  await releaseNotice(notice);
  throw new Error('A notice did not leave and will be tried again.');
};
