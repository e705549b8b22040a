import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactExists } from '../../contacts/service.ts';
import { getMessages } from '../../messaging/service/messages.ts';
import type { NoteBody, NoteRecord } from '../contract/note.ts';
import { type Note, noteEntityName } from '../contract/stored-note.ts';
import { newActivity } from '../domain/activity.ts';
import { withNote } from '../domain/lead.ts';
import { toReference } from '../domain/record.ts';
import { getStoredLead, getStoredLeads, listLeadIdsOfContact, refusedParts, updateLeadPart } from '../store/lead.ts';
import { getStoredNote, createNotePart, listNotesOfContact, listNotesOfLead } from '../store/note.ts';
import { claimRetryKeyPart, getRetryKey } from '../store/task.ts';
import { Contended, maxAttempts, pause } from './contention.ts';
import { getUserNames } from './assignees.ts';

/** Internal notes. Nothing here, and nothing that this imports, can send. */
type PageQuery = { page: number; limit: number; cursor: string | undefined };

/** POST /leads/{id}/notes (A63). */
export const createNote = async (
  companyId: number,
  userId: number,
  leadId: number,
  { body, messageId, retryKey }: NoteBody,
): Promise<NoteRecord | Problem<'not_found' | 'validation_failed' | 'retry_key_reused'>> => {
  const fingerprint = sha256(canonical([body, messageId ?? null]));
  const earlier = retryKey === undefined ? undefined : await findCreatedNote(companyId, leadId, retryKey, fingerprint);
  if (earlier) return earlier;
  let lead = await getStoredLead(companyId, leadId, { consistent: true });
  if (!lead) return problem('not_found');
  const { contactId } = lead;
  if (messageId !== undefined && (await getMessages(companyId, [{ contactId, id: messageId }])).length === 0)
    return invalid('message_id', "Must be a message of the enquiry's contact.");
  const [id, at] = [await nextIds(companyId, noteEntityName, 1), now()];
  const source = { leadId, record: `note${id}`, version: 1 };
  const note: Note = {
    companyId,
    leadId,
    contactId,
    id,
    body,
    ...(messageId === undefined ? {} : { messageId }),
    authorId: userId,
    createdAt: at,
    log: [
      newActivity('note.added', userId, at, source, { note_id: id }),
      ...(messageId === undefined
        ? []
        : [newActivity('message.linked', userId, at, { ...source, version: 2 }, { note_id: id, message_id: messageId })]),
    ],
  };
  for (let attempt = 1; lead && attempt <= maxAttempts; attempt++) {
    const parts = [
      updateLeadPart(withNote(lead)),
      createNotePart(note),
      ...(retryKey === undefined ? [] : [claimRetryKeyPart(companyId, leadId, 'note', retryKey, id, fingerprint)]),
    ];
    const refused = refusedParts(await commit(parts));
    if (refused.length === 0) return toNoteRecord(note, await getUserNames(companyId, [userId]));
    const winner =
      retryKey !== undefined && refused.includes(2) ? await findCreatedNote(companyId, leadId, retryKey, fingerprint) : undefined;
    if (winner) return winner;
    await pause(attempt);
    lead = await getStoredLead(companyId, leadId, { consistent: true });
  }
  throw new Contended();
};

/** Notes of an enquiry, newest first. */
export const listLeadNotes = async (
  companyId: number,
  leadId: number,
  paged: PageQuery,
): Promise<Page<NoteRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const lead = await getStoredLead(companyId, leadId, { consistent: true });
  if (!lead) return problem('not_found');
  return listNotesPage(companyId, `notes:${companyId}:${leadId}`, paged, lead.noteCount, (belowId, count) =>
    listNotesOfLead(companyId, leadId, belowId, count),
  );
};

/** Notes of all enquiries of a contact, newest first (A14). */
export const listContactNotes = async (
  companyId: number,
  contactId: number,
  paged: PageQuery,
): Promise<Page<NoteRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const [exists, leads] = await Promise.all([
    contactExists(companyId, contactId),
    listLeadIdsOfContact(companyId, contactId).then((ids) => getStoredLeads(companyId, ids)),
  ]);
  if (!exists) return problem('not_found');
  const total = leads.reduce((sum, { noteCount }) => sum + noteCount, 0);
  return listNotesPage(companyId, `contact-notes:${companyId}:${contactId}`, paged, total, (belowId, count) =>
    listNotesOfContact(companyId, contactId, belowId, count),
  );
};

async function listNotesPage(
  companyId: number,
  scope: string,
  { page, limit, cursor }: PageQuery,
  total: number,
  read: (belowId: number | undefined, count: number) => Promise<Note[]>,
): Promise<Page<NoteRecord> | Problem<'invalid_cursor'>> {
  const below = cursor === undefined ? undefined : decodeCursor(scope, cursor, z.object({ below: z.int() }));
  if (cursor !== undefined && !below) return problem('invalid_cursor');
  const skip = below ? 0 : (page - 1) * limit;
  const found = skip > total ? [] : await read(below?.below, skip + limit + 1);
  const shown = found.slice(skip, skip + limit);
  const people = await getUserNames(
    companyId,
    shown.map(({ authorId }) => authorId),
  );
  const last = found.length > skip + limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((note) => toNoteRecord(note, people)),
    total,
    page,
    limit,
    nextCursor: last && encodeCursor(scope, { below: last.id }),
  };
}

async function findCreatedNote(
  companyId: number,
  leadId: number,
  key: string,
  fingerprint: string,
): Promise<NoteRecord | Problem<'retry_key_reused'> | undefined> {
  const held = await getRetryKey(companyId, leadId, 'note', key);
  if (!held) return undefined;
  if (held.fingerprint !== fingerprint) return problem('retry_key_reused', { details: { note_id: held.recordId } });
  const note = await getStoredNote(companyId, leadId, held.recordId);
  return note && toNoteRecord(note, await getUserNames(companyId, [note.authorId]));
}

const toNoteRecord = (note: Note, people: ReadonlyMap<number, string>): NoteRecord => ({
  id: note.id,
  lead_id: note.leadId,
  contact_id: note.contactId,
  body: note.body,
  message_id: note.messageId ?? null,
  author: toReference(note.authorId, people),
  created_at: isoTime(note.createdAt),
  updated_at: isoTime(note.createdAt),
});
