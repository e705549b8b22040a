import { missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type Note, noteEntityName, storedNote } from '../contract/stored-note.ts';
import { leadPartition } from './lead.ts';

const contactPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CN#${contactId}`;
const noteKey = (id: number): string => `N#${sortable(id)}`;

/** Internal: no module that sends may come near this one (test/crm/notes-stay-inside). */
export const noteEntity = entity({
  name: noteEntityName,
  purpose: 'An internal note of an enquiry; in the list of its contact too',
  attributes: storedNote,
  key: ({ companyId, leadId, id }: { companyId: number; leadId: number; id: number }) => ({
    pk: leadPartition(companyId, leadId),
    sk: noteKey(id),
  }),
  idOf: ({ companyId, leadId, id }) => ({ companyId, leadId, id }),
  indexedBy: ['companyId', 'leadId', 'contactId', 'id'],
  indexes: ({ companyId, contactId, id }) => ({ list: { pk: contactPartition(companyId, contactId), sk: noteKey(id) } }),
  example: { pk: 'C#<company>#LD#<lead>', sk: 'N#<note, 16 digits>' },
});

export const getStoredNote = pattern(
  { question: 'a note by its enquiry and id', entity: 'note', by: 'GetItem', units: '1 RRU' },
  (companyId: number, leadId: number, id: number): Promise<Note | undefined> =>
    noteEntity.get({ companyId, leadId, id }, { consistent: true }),
);

export const createNotePart = (note: Note): TransactionPart => noteEntity.putting(note, missing());

/** Up to `count` notes below an id, newest first. */
export const listNotesOfLead = pattern(
  { question: 'notes of an enquiry, newest first', entity: 'note', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, leadId: number, belowId: number | undefined, count: number): Promise<Note[]> =>
    queryNotes({ pk: leadPartition(companyId, leadId), consistent: true }, belowId, count),
);

export const listNotesOfContact = pattern(
  { question: 'notes of all enquiries of a contact, newest first', entity: 'note', by: 'Query', index: 'list', units: '0.5 RRU per 4 KB' },
  (companyId: number, contactId: number, belowId: number | undefined, count: number): Promise<Note[]> =>
    queryNotes({ pk: contactPartition(companyId, contactId), index: 'list' }, belowId, count),
);

async function queryNotes(
  where: { pk: string; index?: 'list'; consistent?: boolean },
  belowId: number | undefined,
  count: number,
): Promise<Note[]> {
  const found: Note[] = [];
  const high = belowId === undefined ? 'N#~' : noteKey(belowId - 1);
  let after: Record<string, unknown> | undefined;
  do {
    const page = await noteEntity.query({ ...where, between: ['N#', high], descending: true, limit: count - found.length, after });
    found.push(...page.items);
    after = page.last;
  } while (after && found.length < count);
  return found;
}
