import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { deleteConversation, deleteOldConversation, getSummary } from '../store.ts';

/** The summary of an erased contact's conversation. The change stream may write an empty, hidden one again, until the second pass. */
export const conversationToErase = async ({ companyId, contactId }: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await getSummary(companyId, contactId, { consistent: true })) ? [() => deleteConversation(companyId, contactId)] : [];

/** The newest message of a conversation, scheduled ones aside, and when it came; undefined: there is none. 0.5 RRU. */
export const getNewestMessage = async (companyId: number, contactId: number): Promise<{ id: number; at: number } | undefined> => {
  const summary = await getSummary(companyId, contactId);
  return summary && { id: summary.lastMessageId, at: summary.lastMessageAt };
};

/** Removes the summary of a conversation of which no message is to stay. False: a message came meanwhile, and nothing was removed. */
export const removeOldConversation = async (companyId: number, contactId: number, newestId: number): Promise<boolean> =>
  (await deleteOldConversation(companyId, contactId, newestId)).done;
