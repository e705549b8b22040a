import { now } from '../../../shared/runtime/clock.ts';
import { keyedHash, sameSecret } from '../../../shared/runtime/seal.ts';
import { contactIdByPhone } from '../../contacts/service.ts';
import { getMessages } from '../../messaging/service/messages.ts';
import { type Preference, applyCodeAttempt } from '../domain/preference.ts';
import { getPreference, listPreferences, updatePreference } from '../store/preference.ts';
import { Contended, maxAttempts, pause } from './contention.ts';

/**
 * Eight digits came in: whoever enrolled the sender's number is verified by the right ones, once, and five wrong ones end the code.
 * The same message twice counts once.
 */
export const confirmWorkNumber = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const waiting = (await listPreferences(companyId)).filter((each) => each.enrolment && each.verifiedAt === undefined);
  if (waiting.length === 0) return;
  const [message] = await getMessages(companyId, [{ contactId, id: messageId }]);
  if (!message) return;
  for (const preference of waiting) {
    // by contact, so that a number the provider reports in another form is the same number
    if (preference.workNumber === undefined || (await contactIdByPhone(companyId, preference.workNumber)) !== contactId) continue;
    await applyCode(preference, message.value.trim(), { messageId, contactId, sentAt: message.createdAt });
  }
};

async function applyCode(
  first: Preference,
  code: string,
  { messageId, contactId, sentAt }: { messageId: number; contactId: number; sentAt: number },
): Promise<void> {
  for (let attempt = 1, seen: Preference | undefined = first; seen; attempt++) {
    if (attempt > maxAttempts) throw new Contended();
    const isRight = sameSecret(await hashStaffCode(seen, code), seen.enrolment?.codeHash ?? '');
    const next = applyCodeAttempt(seen, { messageId, contactId, sentAt, isRight }, now());
    if (!next || (await updatePreference(next))) return;
    await pause(attempt);
    seen = await getPreference(first.companyId, first.userId);
  }
}

/** All that is kept of a code: it fits one person's one number. */
export const hashStaffCode = ({ companyId, userId, workNumber }: Preference, code: string): Promise<string> =>
  keyedHash('staff-code', `${companyId}:${userId}:${workNumber}:${code}`);
