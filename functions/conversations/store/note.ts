import { all, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { conversationNoteEntityName, storedConversationNote, type ConversationNote } from '../contract/stored-note.ts';

const partition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CV#${contactId}`;
const noteKey = (id: number): string => `NOTE#${sortable(id)}`;

export const conversationNoteEntity = entity({
  name: conversationNoteEntityName,
  purpose: 'An internal note in a conversation',
  attributes: storedConversationNote,
  key: ({ companyId, contactId, id }: { companyId: number; contactId: number; id: number }) => ({
    pk: partition(companyId, contactId),
    sk: noteKey(id),
  }),
  idOf: ({ companyId, contactId, id }) => ({ companyId, contactId, id }),
  expiresAt: ({ until }) => until,
  personalData: 'texts about a contact',
  example: { pk: 'C#<company>#CV#<contact>', sk: 'NOTE#<note, 16 digits>' },
});

export const getConversationNote = pattern(
  { question: 'a note of a conversation', entity: 'conversation-note', by: 'GetItem', units: '1 RRU' },
  (companyId: number, contactId: number, id: number): Promise<ConversationNote | undefined> =>
    conversationNoteEntity.get({ companyId, contactId, id }, { consistent: true }),
);

/** Refused when the note exists: an earlier try of the same operation wrote it. */
export const createStoredConversationNote = pattern(
  { question: 'add a note to a conversation', entity: 'conversation-note', by: 'PutItem', units: '1 WRU per KB' },
  (note: ConversationNote): Promise<Written<ConversationNote>> => conversationNoteEntity.put(note, missing()),
);

/** Refused when it was changed or deleted since it was read. */
export const updateStoredConversationNote = pattern(
  { question: 'change or delete a note of a conversation', entity: 'conversation-note', by: 'PutItem', units: '1 WRU per KB' },
  async (note: ConversationNote, seen: ConversationNote): Promise<boolean> =>
    (await conversationNoteEntity.put(note, all(exists(), equals('updatedAt', seen.updatedAt)))).done,
);

/** Up to `count` notes below an id, newest first; deleted ones are left out. */
export const listStoredConversationNotes = pattern(
  { question: 'notes of a conversation, newest first', entity: 'conversation-note', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (companyId: number, contactId: number, belowId: number | undefined, count: number): Promise<ConversationNote[]> => {
    const between = ['NOTE#', belowId === undefined ? 'NOTE#~' : noteKey(belowId - 1)] as const;
    const notes: ConversationNote[] = [];
    for await (const note of conversationNoteEntity.items({
      pk: partition(companyId, contactId),
      between,
      descending: true,
      limit: count,
    })) {
      if (note.deletedAt === undefined) notes.push(note);
      if (notes.length >= count) break;
    }
    return notes;
  },
);

/** Of an erased contact: deleted ones as well. */
export const listConversationNotesToErase = pattern(
  { question: 'all notes of a conversation', entity: 'conversation-note', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, contactId: number): Promise<ConversationNote[]> =>
    conversationNoteEntity.collect({ pk: partition(companyId, contactId), between: ['NOTE#', 'NOTE#~'], consistent: true }),
);

export const eraseConversationNote = pattern(
  { question: 'remove a note about an erased contact', entity: 'conversation-note', by: 'DeleteItem', units: '1 WRU' },
  async ({ companyId, contactId, id }: ConversationNote): Promise<void> => {
    await conversationNoteEntity.delete({ companyId, contactId, id });
  },
);
