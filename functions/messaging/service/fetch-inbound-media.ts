import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getActiveNumber, getNumberByProviderId } from '../../account/service/numbers.ts';
import { deleteFile, fetchFile } from '../../media/service/files.ts';
import type { StoredMessage } from '../contract/stored.ts';
import { updateMessage, getStoredMessage, getMessageByWamid } from '../store/message.ts';

/**
 * Fetches the file of an inbound message and stores it; the provider has it for seven days. The key follows from the message, so a repetition
 * writes the same object. A failure that may pass throws, and the queue tries again.
 */
export const fetchInboundMedia = async (reference: { companyId: number; contactId: number; messageId: number }): Promise<void> => {
  const { companyId, contactId, messageId } = reference;
  const message = await getStoredMessage(companyId, contactId, messageId, { consistent: true });
  const { media } = message ?? {};
  const key = `${companyId}/in/${contactId}/${messageId}`;
  // the contact was erased meanwhile, perhaps after the file was stored
  if (!message) return deleteFile(key);
  if (media?.providerId === undefined || media.key !== undefined) return;
  const named = message.phoneNumberId === undefined ? undefined : await getNumberByProviderId(companyId, message.phoneNumberId);
  const number = named ?? (await getActiveNumber(companyId));
  if (!number) return log.warn('A file cannot be fetched without a number', { company_id: companyId });
  const fetched = await fetchFile(number, { providerId: media.providerId, media, key });
  metric('InboundMedia', 'Count', 1, { outcome: fetched.outcome });
  if (fetched.outcome === 'later') throw new Error(`The file of a message cannot be fetched now: ${fetched.reason}.`);
  if (fetched.outcome === 'gone')
    return void (await saveMedia(message, {
      note: { code: 'media_gone', title: 'The provider no longer has the file', details: fetched.reason },
    }));
  const { file } = fetched;
  if (!(await saveMedia(message, { media: file }))) return deleteFile(key);
  if (message.subtype === 'edit' && message.contextWamid !== undefined) await showInOriginal(message, message.contextWamid, file);
};

/** The file of an edit is that of the message it edited, unless that one was edited again or revoked. */
async function showInOriginal(
  { companyId, contactId }: StoredMessage,
  wamid: string,
  file: NonNullable<StoredMessage['media']>,
): Promise<void> {
  const original = await getMessageByWamid(companyId, contactId, wamid);
  if (original?.media?.providerId === file.providerId && original?.revokedAt === undefined && original)
    await saveMedia(original, { media: file });
}

/** Writes on top of other changes: only this worker writes the file. False: the message was removed. */
async function saveMedia(message: StoredMessage, change: Partial<StoredMessage>): Promise<boolean> {
  let seen = message;
  return retryOnConflict(maxConflicts, async () => {
    const written = await updateMessage(seen, change, now());
    if (written.done) return true;
    if (!written.current) return false;
    seen = written.current;
    return conflict;
  });
}
