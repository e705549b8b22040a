import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
import { pageTooDeep } from '../../../shared/table/walk.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import type { ConversationNote } from '../../conversations/contract/stored-note.ts';
import { listNotesOfConversations } from '../../conversations/service/notes.ts';
import type { ContactNoteRecord } from '../contract/note.ts';
import type { Note } from '../contract/stored-note.ts';
import { mergeNotes } from '../domain/merged-notes.ts';
import { toReference } from '../domain/record.ts';
import { getStoredLeads, listLeadIdsOfContacts } from '../store/lead.ts';
import { listNotesOfContact } from '../store/note.ts';
import { toNoteRecord } from './notes.ts';

/** Of the conversation, as far as a call counts them. */
const maxCounted = 1_000;

/**
 * GET /contacts/{id}/notes: the notes of the contact's leads and of its conversation, newest first (A14). A cursor has a place in each of the two, so
 * that no note is shown twice or left out, whatever is added meanwhile. Where a conversation has more than 1,000, the total counts those, and
 * only the cursor continues.
 */
export const listContactNotes = async (
  companyId: number,
  contactId: number,
  query: PageQuery,
): Promise<Page<ContactNoteRecord> | Problem<'not_found' | 'invalid_cursor' | 'validation_failed'>> => {
  const filed = await getFiledIds(companyId, contactId);
  if (filed.length === 0) return problem('not_found');
  return listPage({ scope: `contact-notes:${companyId}:${contactId}`, query, position }, async ({ after, skip, limit }) => {
    const counted = after?.total === undefined ? await countNotes(companyId, filed) : { ...after, total: after.total };
    const { total, isCut = false } = counted;
    if (isCut && !after && skip + limit > maxCounted) return invalid('page', pageTooDeep(maxCounted));
    const wanted = skip > total ? 0 : skip + limit + 1;
    const [leadNotes, conversationNotes] = await Promise.all([
      listLeadNotesOfContacts(companyId, filed, after?.below, wanted),
      listNotesOfConversations(companyId, filed, after?.conversation, wanted),
    ]);
    const { items, next } = mergeNotes(leadNotes, conversationNotes, { skip, limit });
    const people = await getUserNames(
      companyId,
      items.map(({ note }) => note.authorId),
    );
    return {
      items: items.map((item) =>
        item.source === 'lead'
          ? { ...toNoteRecord(item.note, people), source: item.source }
          : { ...toConversationRecord(item.note, people), source: item.source },
      ),
      total,
      next: next && { below: next.lead, conversation: next.conversation, total, ...(isCut ? { isCut } : {}) },
      isPartial: isCut,
    };
  });
};

/** Cursors of before the two were united have `below` alone. */
const position = z.object({
  below: z.int(),
  conversation: z.int().optional(),
  total: z.int().optional(),
  isCut: z.boolean().optional(),
});

async function countNotes(companyId: number, contactIds: readonly number[]): Promise<{ total: number; isCut: boolean }> {
  const [leadIds, ofConversation] = await Promise.all([
    listLeadIdsOfContacts(companyId, contactIds),
    listNotesOfConversations(companyId, contactIds, undefined, maxCounted + 1),
  ]);
  const leads = await getStoredLeads(companyId, leadIds);
  const inConversation = Math.min(ofConversation.length, maxCounted);
  return { total: leads.reduce((sum, { noteCount }) => sum + noteCount, inConversation), isCut: ofConversation.length > maxCounted };
}

async function listLeadNotesOfContacts(
  companyId: number,
  contactIds: readonly number[],
  belowId: number | undefined,
  count: number,
): Promise<Note[]> {
  if (count === 0) return [];
  const notes = await Promise.all(contactIds.map((id) => listNotesOfContact(companyId, id, belowId, count)));
  return notes
    .flat()
    .toSorted((a, b) => b.id - a.id)
    .slice(0, count);
}

const toConversationRecord = (note: ConversationNote, people: ReadonlyMap<number, string>): Omit<ContactNoteRecord, 'source'> => ({
  id: note.id,
  lead_id: null,
  contact_id: note.contactId,
  body: note.body,
  message_id: note.messageId ?? null,
  author: note.authorId === undefined ? null : toReference(note.authorId, people),
  created_at: isoTime(note.createdAt),
  updated_at: isoTime(note.updatedAt),
});
