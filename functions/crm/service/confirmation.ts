import { now } from '../../../shared/runtime/clock.ts';
import { keyedHash, sameSecret } from '../../../shared/runtime/seal.ts';
import { contactIdByPhone } from '../../contacts/service.ts';
import { getMessages } from '../../messaging/service/reading.ts';
import { type Preference, tried } from '../domain/preference.ts';
import { findPreference, findPreferences, replacePreference } from '../store/preference.ts';
import { Contended, maxAttempts, pause } from './contention.ts';

/**
 * Eight digits came in: whoever enrolled the sender's number is verified by the right ones, once, and five wrong ones end the code.
 * The same message twice counts once.
 */
export const takeStaffCode = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const waiting = (await findPreferences(companyId)).filter((each) => each.enrolment && each.verifiedAt === undefined);
  if (waiting.length === 0) return;
  const [message] = await getMessages(companyId, [{ contactId, id: messageId }]);
  if (!message) return;
  for (const preference of waiting) {
    // by contact, so that a number the provider reports in another form is the same number
    if (preference.workNumber === undefined || (await contactIdByPhone(companyId, preference.workNumber)) !== contactId) continue;
    await tryCode(preference, message.value.trim(), { messageId, contactId, sentAt: message.createdAt });
  }
};

async function tryCode(
  first: Preference,
  code: string,
  { messageId, contactId, sentAt }: { messageId: number; contactId: number; sentAt: number },
): Promise<void> {
  for (let attempt = 1, seen: Preference | undefined = first; seen; attempt++) {
    if (attempt > maxAttempts) throw new Contended();
    const isRight = sameSecret(await codeHash(seen, code), seen.enrolment?.codeHash ?? '');
    const next = tried(seen, { messageId, contactId, sentAt, isRight }, now());
    if (!next || (await replacePreference(next))) return;
    await pause(attempt);
    seen = await findPreference(first.companyId, first.userId);
  }
}

/** All that is kept of a code: it fits one person's one number. */
export const codeHash = ({ companyId, userId, workNumber }: Preference, code: string): Promise<string> =>
  keyedHash('staff-code', `${companyId}:${userId}:${workNumber}:${code}`);
