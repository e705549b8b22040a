import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { deleteConversation, getSummary } from '../store.ts';
import { eraseConversationNote, listConversationNotesToErase } from '../store/note.ts';

/** The summary of an erased contact's conversation. The change stream may write an empty, hidden one again, until the second pass. */
export const conversationToErase = async ({ companyId, contactId }: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await getSummary(companyId, contactId, { consistent: true })) ? [() => deleteConversation(companyId, contactId)] : [];

/** What users wrote to each other about the contact. */
export const notesToErase = async ({ companyId, contactId }: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await listConversationNotesToErase(companyId, contactId)).map((note) => () => eraseConversationNote(note));
