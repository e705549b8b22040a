import { type ErasureSlice, type ErasureSubject, phonesOf, sliceOf } from '../../../shared/contract/erasure.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { canonicalPhone } from '../../contacts/contract/phone.ts';
import { mentionsContact } from '../../contacts/contract/mentions.ts';
import { uploadRemoval } from '../../media/service/uploads.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { type ArchivedUpdate, archivedDays, deleteArchivedUpdate, listArchivedUpdates } from '../store/archived-update.ts';
import { archiveMessages } from './archive-messages.ts';
import { deleteMessage, listStoredMessages, listMessagesAfter, listMessagesBefore } from '../store/message.ts';
import { deleteRecipientHold, getRecipientHold } from '../store/pace.ts';
import { deleteParkedStatus, listParkedStatuses } from '../store/parked-status.ts';
import { deleteScheduledMessage } from '../store/scheduled-message.ts';

/** What messaging removes of an erased contact; each function finds one slice, and changes nothing. */

/** The files of messages, before the messages that name them. */
export const filesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const { messages, next } = await messagesFrom(subject, cursor);
  const removals = await Promise.all(messages.map(fileRemoval));
  return sliceOf(
    removals.filter((removal) => removal !== undefined),
    next,
  );
};

/** Each message with what waits for it. */
export const messagesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const { messages, next } = await messagesFrom(subject, cursor);
  return sliceOf(
    messages.map((message) => () => removeMessage(message)),
    next,
  );
};

/** Updates of unread kinds, a day a slice. What does not fit into one item is searched whole. */
export const archivedUpdatesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const day = cursor === undefined ? 0 : Number(cursor);
  const updates = await listArchivedUpdates(subject.companyId, now() - day * dayMs);
  const byId = Map.groupBy(updates, ({ id }) => id);
  const found = [...byId.values()].filter((parts) => mentionsContact(parts.map(({ body }) => body).join(''), subject));
  return sliceOf(
    found.map((parts) => () => removeParts(parts)),
    day < archivedDays ? String(day + 1) : undefined,
  );
};

export const holdToErase = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> => {
  const { companyId } = subject;
  const forms = [...new Set(phonesOf(subject).flatMap((phone) => [phone, canonicalPhone(phone)]))];
  const held = await Promise.all(forms.map((form) => getRecipientHold(companyId, form, { consistent: true })));
  return forms.filter((_, place) => held[place] !== undefined).map((form) => () => deleteRecipientHold(companyId, form));
};

/**
 * Deletes the messages of a conversation from before a time, with their files, but one that is scheduled for later and the one with `exceptId`; what
 * they were goes to the archive first. Repeating it does nothing. Returns how many went, and whether any other than `exceptId` is left. 0.5 RRU
 * for a conversation that has no old ones, else 2 WRU a message.
 */
export const deleteOldMessages = async (
  { companyId, contactId, beforeMs }: { companyId: number; contactId: number; beforeMs: number },
  exceptId: number | undefined,
): Promise<{ deleted: number; hasOthers: boolean }> => {
  let deleted = 0;
  for (let afterId = 0; ; ) {
    const messages = await listMessagesBefore({ companyId, contactId, beforeMs, afterId }, messagesPerSlice);
    const old = messages.filter(({ id, status }) => status !== messageStatuses.scheduled && id !== exceptId);
    await archiveMessages(old);
    for (const message of old) {
      await (await fileRemoval(message))?.();
      await removeMessage(message);
    }
    deleted += old.length;
    const last = messages.at(-1);
    if (messages.length < messagesPerSlice || !last) break;
    afterId = last.id;
  }
  if (exceptId === undefined) return { deleted, hasOthers: true };
  const left = await listStoredMessages(companyId, contactId, { limit: 2, upToId: undefined, newerThanMs: undefined, consistent: true });
  return { deleted, hasOthers: left.some(({ id }) => id !== exceptId) };
};

const messagesPerSlice = 100;

async function messagesFrom({ companyId, contactId }: ErasureSubject, cursor: string | undefined) {
  const messages = await listMessagesAfter(companyId, contactId, Number(cursor ?? 0), messagesPerSlice);
  const last = messages.at(-1);
  return { messages, next: messages.length === messagesPerSlice && last ? String(last.id) : undefined };
}

/** A file of a campaign, or an upload that others got too, is not this contact's. */
async function fileRemoval({ companyId, contactId, media, campaign }: StoredMessage): Promise<(() => Promise<void>) | undefined> {
  return media?.key === undefined || campaign !== undefined ? undefined : uploadRemoval(companyId, media.key, contactId);
}

async function removeMessage({ companyId, contactId, id, wamid, status }: StoredMessage): Promise<void> {
  if (wamid !== undefined)
    for (const parked of await listParkedStatuses(companyId, wamid)) await deleteParkedStatus(companyId, wamid, parked.status);
  if (status === messageStatuses.scheduled) await deleteScheduledMessage(companyId, id);
  await deleteMessage({ companyId, contactId, id });
}

async function removeParts(parts: readonly ArchivedUpdate[]): Promise<void> {
  for (const part of parts) await deleteArchivedUpdate(part);
}
