import { now } from '../../../shared/runtime/clock.ts';
import { isOneOf, keyedHash, keyedHashes } from '../../../shared/runtime/seal.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { contactIdByPhone } from '../../contacts/service/contacts.ts';
import { getContactMessages } from '../../messaging/service/messages.ts';
import { applyCodeAttempt, type Preference } from '../domain/preference.ts';
import { getPreference, listPreferences, updatePreference } from '../store/preference.ts';
import { maxWriteAttempts } from './assignees.ts';

/**
 * Applies an inbound message of eight digits to the enrolment of its sender's number: the correct code verifies the number, five wrong ones
 * end the enrolment. A message that is delivered twice counts once.
 */
export const confirmWorkNumber = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const pending = (await listPreferences(companyId)).filter((each) => each.enrolment && each.verifiedAt === undefined);
  if (pending.length === 0) return;
  const [message] = await getContactMessages(companyId, [{ contactId, id: messageId }]);
  // an unsigned post could come from anyone who knows the address of the webhook
  if (!message || message.isUnsigned) return;
  for (const preference of pending) {
    // compared by contact: the provider may report the number in another form
    if (preference.workNumber === undefined || (await contactIdByPhone(companyId, preference.workNumber)) !== contactId) continue;
    await applyCode(preference, message.value.trim(), { messageId, contactId, sentAt: message.createdAt });
  }
};

function applyCode(
  preference: Preference,
  code: string,
  { messageId, contactId, sentAt }: { messageId: number; contactId: number; sentAt: number },
): Promise<void> {
  let seen: Preference | undefined = preference;
  return retryOnConflict(maxWriteAttempts, async () => {
    if (!seen) return undefined;
    const isRight = isOneOf(await keyedHashes(...codeParts(seen, code)), seen.enrolment?.codeHash ?? '');
    const next = applyCodeAttempt(seen, { messageId, contactId, sentAt, isRight }, now());
    if (!next || (await updatePreference(next))) return undefined;
    seen = await getPreference(preference.companyId, preference.userId);
    return conflict;
  });
}

/** The stored form of a code, valid for one user and one number. */
export const hashStaffCode = (preference: Preference, code: string): Promise<string> => keyedHash(...codeParts(preference, code));

const codeParts = ({ companyId, userId, workNumber }: Preference, code: string) =>
  ['staff-code', `${companyId}:${userId}:${workNumber}:${code}`] as const;
