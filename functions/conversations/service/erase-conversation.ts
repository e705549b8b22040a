import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { deleteConversation, deleteOldConversation, getSummary } from '../store/conversation.ts';
import { eraseConversationNote, listConversationNotesToErase } from '../store/note.ts';

/** The summary of an erased contact's conversation. The change stream may write an empty, hidden one again, until the second pass. */
export const conversationToErase = async ({ companyId, contactId }: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await getSummary(companyId, contactId, { consistent: true })) ? [() => deleteConversation(companyId, contactId)] : [];

/** The newest message of a conversation, scheduled ones aside, and when it came; undefined: there is none. 0.5 RRU. */
export const getNewestMessage = async (companyId: number, contactId: number): Promise<{ id: number; at: number } | undefined> => {
  const summary = await getSummary(companyId, contactId);
  return summary && { id: summary.lastMessageId, at: summary.lastMessageAt };
};

/**
 * Removes a conversation of which no message is to stay: its summary, then the notes of users. False: a message came meanwhile, and nothing was
 * removed.
 */
export const removeOldConversation = async (companyId: number, contactId: number, newestId: number): Promise<boolean> => {
  const removed = await deleteOldConversation(companyId, contactId, newestId);
  if (!removed.done) return false;
  for (const note of await listConversationNotesToErase(companyId, contactId)) await eraseConversationNote(note);
  return true;
};

/** What users wrote to each other about the contact. */
export const notesToErase = async ({ companyId, contactId }: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await listConversationNotesToErase(companyId, contactId)).map((note) => () => eraseConversationNote(note));
