import { all, exists, missing, unchanged } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { Lead } from '../contract/stored-lead.ts';
import { type Note, noteEntityName, storedNote } from '../contract/stored-note.ts';
import { leadPartition, updateLeadPart } from './lead.ts';
import { createRetryKeyPart, type RetryKey } from './retry-key.ts';

const contactPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CN#${contactId}`;
const noteKey = (id: number): string => `N#${sortable(id)}`;

/** Internal: no module that sends may import this one (test/crm/notes.test.ts). */
export const noteEntity = entity({
  name: noteEntityName,
  purpose: 'An internal note of a lead; also in the list of its contact',
  attributes: storedNote,
  key: ({ companyId, leadId, id }: { companyId: number; leadId: number; id: number }) => ({
    pk: leadPartition(companyId, leadId),
    sk: noteKey(id),
  }),
  idOf: ({ companyId, leadId, id }) => ({ companyId, leadId, id }),
  indexedBy: ['companyId', 'leadId', 'contactId', 'id'],
  indexes: ({ companyId, contactId, id }) => ({ list: { pk: contactPartition(companyId, contactId), sk: noteKey(id) } }),
  personalData: 'texts about a contact',
  example: { pk: 'C#<company>#LD#<lead>', sk: 'N#<note, 16 digits>' },
});

export const getStoredNote = pattern(
  { question: 'a note by its lead and id', entity: 'note', by: 'GetItem', units: '1 RRU' },
  (companyId: number, leadId: number, id: number): Promise<Note | undefined> =>
    noteEntity.get({ companyId, leadId, id }, { consistent: true }),
);

/** `taken`: the retry key was used. `changed`: the lead was changed since it was read. */
export const createStoredNote = pattern(
  { question: 'add a note to a lead', entity: 'note', by: 'TransactWriteItems', units: '10-12 WRU' },
  async (note: Note, lead: Lead, retryKey: RetryKey | undefined): Promise<'done' | 'taken' | 'changed'> => {
    const committed = await commit({
      lead: updateLeadPart(lead),
      note: noteEntity.putting(note, missing()),
      retryKey: retryKey && createRetryKeyPart(retryKey),
    });
    if (committed.done) return 'done';
    return committed.refused.retryKey ? 'taken' : 'changed';
  },
);

/** False: the note was changed since it was read. */
export const updateStoredNote = pattern(
  { question: 'change a note', entity: 'note', by: 'PutItem', units: '2-12 WRU: the item, and its place in the list of its contact' },
  async (note: Note, before: Note): Promise<boolean> =>
    (await noteEntity.put(note, all(exists(), unchanged('version', before.version)))).done,
);

/** Deletes a note and counts it out of its lead. `changed`: the lead or the note was changed since it was read. */
export const deleteStoredNote = pattern(
  { question: 'delete a note of a lead', entity: 'note', by: 'TransactWriteItems', units: '6-12 WRU' },
  async ({ companyId, leadId, id }: Note, lead: Lead): Promise<'done' | 'changed'> => {
    const committed = await commit({ lead: updateLeadPart(lead), note: noteEntity.deleting({ companyId, leadId, id }, exists()) });
    return committed.done ? 'done' : 'changed';
  },
);

/** Up to `count` notes below an id, newest first. */
export const listNotesOfLead = pattern(
  { question: 'notes of a lead, newest first', entity: 'note', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, leadId: number, belowId: number | undefined, count: number): Promise<Note[]> =>
    queryNotes({ pk: leadPartition(companyId, leadId), consistent: true }, belowId, count),
);

export const listNotesOfContact = pattern(
  { question: 'notes of all leads of a contact, newest first', entity: 'note', by: 'Query', index: 'list', units: '0.5 RRU per 4 KB' },
  (companyId: number, contactId: number, belowId: number | undefined, count: number): Promise<Note[]> =>
    queryNotes({ pk: contactPartition(companyId, contactId), index: 'list' }, belowId, count),
);

export const deleteErasedNote = pattern(
  { question: 'remove a note about an erased contact', entity: 'note', by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number, leadId: number, id: number): Promise<void> => {
    await noteEntity.delete({ companyId, leadId, id });
  },
);

function queryNotes(
  where: { pk: string; index?: 'list'; consistent?: boolean },
  belowId: number | undefined,
  count: number,
): Promise<Note[]> {
  const high = belowId === undefined ? 'N#~' : noteKey(belowId - 1);
  return noteEntity.collect({ ...where, between: ['N#', high], descending: true }, { atMost: count });
}
