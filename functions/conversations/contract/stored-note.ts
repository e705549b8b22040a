import * as z from 'zod';

export const conversationNoteEntityName = 'conversation-note';

/** Times are epoch milliseconds. */
export const storedConversationNote = z.object({
  companyId: z.int(),
  contactId: z.int(),
  id: z.int(),
  body: z.string(),
  authorId: z.int().optional(),
  /** The message that the note is about. */
  messageId: z.int().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** Who wrote or deleted it last. */
  changedBy: z.object({ via: z.string(), userId: z.int().optional(), credentialId: z.int().optional() }).optional(),
  /** It was deleted: no text is left, and the item goes by itself. */
  deletedAt: z.int().optional(),
  /** Epoch seconds. */
  until: z.int().optional(),
});
export type ConversationNote = z.output<typeof storedConversationNote>;
