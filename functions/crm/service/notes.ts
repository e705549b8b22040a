import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { takeIds } from '../../../shared/table/head.ts';
import { contactExists } from '../../contacts/service.ts';
import { getMessages } from '../../messaging/service/reading.ts';
import type { NoteBody, NoteRecord } from '../contract/note.ts';
import { type Note, noteEntityName } from '../contract/stored-note.ts';
import { activity } from '../domain/activity.ts';
import { withNote } from '../domain/lead.ts';
import { named } from '../domain/record.ts';
import { findLead, findLeads, leadIdsOfContact, refusedParts, replacingLead } from '../store/lead.ts';
import { findNote, insertingNote, notesOfContact, notesOfLead } from '../store/note.ts';
import { claimingRetryKey, findRetryKey } from '../store/task.ts';
import { Contended, maxAttempts, pause } from './contention.ts';
import { namesOf } from './people.ts';

/** Internal notes. Nothing here, and nothing that this imports, can send. */
type Paged = { page: number; limit: number; cursor: string | undefined };

/** POST /leads/{id}/notes (A63). */
export const createNote = async (
  companyId: number,
  userId: number,
  leadId: number,
  { body, messageId, retryKey }: NoteBody,
): Promise<NoteRecord | Problem<'not_found' | 'validation_failed' | 'retry_key_reused'>> => {
  const fingerprint = sha256(canonical([body, messageId ?? null]));
  const earlier = retryKey === undefined ? undefined : await earlierNote(companyId, leadId, retryKey, fingerprint);
  if (earlier) return earlier;
  let lead = await findLead(companyId, leadId, { consistent: true });
  if (!lead) return problem('not_found');
  const { contactId } = lead;
  if (messageId !== undefined && (await getMessages(companyId, [{ contactId, id: messageId }])).length === 0)
    return invalid('message_id', "Must be a message of the enquiry's contact.");
  const [id, at] = [await takeIds(companyId, noteEntityName, 1), now()];
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
      activity('note.added', userId, at, source, { note_id: id }),
      ...(messageId === undefined
        ? []
        : [activity('message.linked', userId, at, { ...source, version: 2 }, { note_id: id, message_id: messageId })]),
    ],
  };
  for (let attempt = 1; lead && attempt <= maxAttempts; attempt++) {
    const parts = [
      replacingLead(withNote(lead)),
      insertingNote(note),
      ...(retryKey === undefined ? [] : [claimingRetryKey(companyId, leadId, 'note', retryKey, id, fingerprint)]),
    ];
    const refused = refusedParts(await commit(parts));
    if (refused.length === 0) return recordOf(note, await namesOf(companyId, [userId]));
    const winner = retryKey !== undefined && refused.includes(2) ? await earlierNote(companyId, leadId, retryKey, fingerprint) : undefined;
    if (winner) return winner;
    await pause(attempt);
    lead = await findLead(companyId, leadId, { consistent: true });
  }
  throw new Contended();
};

/** Notes of an enquiry, newest first. */
export const listLeadNotes = async (
  companyId: number,
  leadId: number,
  paged: Paged,
): Promise<Page<NoteRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const lead = await findLead(companyId, leadId, { consistent: true });
  if (!lead) return problem('not_found');
  return list(companyId, `notes:${companyId}:${leadId}`, paged, lead.noteCount, (belowId, count) =>
    notesOfLead(companyId, leadId, belowId, count),
  );
};

/** Notes of all enquiries of a contact, newest first (A14). */
export const listContactNotes = async (
  companyId: number,
  contactId: number,
  paged: Paged,
): Promise<Page<NoteRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const [exists, leads] = await Promise.all([
    contactExists(companyId, contactId),
    leadIdsOfContact(companyId, contactId).then((ids) => findLeads(companyId, ids)),
  ]);
  if (!exists) return problem('not_found');
  const total = leads.reduce((sum, { noteCount }) => sum + noteCount, 0);
  return list(companyId, `contact-notes:${companyId}:${contactId}`, paged, total, (belowId, count) =>
    notesOfContact(companyId, contactId, belowId, count),
  );
};

async function list(
  companyId: number,
  scope: string,
  { page, limit, cursor }: Paged,
  total: number,
  read: (belowId: number | undefined, count: number) => Promise<Note[]>,
): Promise<Page<NoteRecord> | Problem<'invalid_cursor'>> {
  const below = cursor === undefined ? undefined : decodeCursor(scope, cursor, z.object({ below: z.int() }));
  if (cursor !== undefined && !below) return problem('invalid_cursor');
  const skip = below ? 0 : (page - 1) * limit;
  const found = skip > total ? [] : await read(below?.below, skip + limit + 1);
  const shown = found.slice(skip, skip + limit);
  const people = await namesOf(
    companyId,
    shown.map(({ authorId }) => authorId),
  );
  const last = found.length > skip + limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((note) => recordOf(note, people)),
    total,
    page,
    limit,
    nextCursor: last && encodeCursor(scope, { below: last.id }),
  };
}

async function earlierNote(
  companyId: number,
  leadId: number,
  key: string,
  fingerprint: string,
): Promise<NoteRecord | Problem<'retry_key_reused'> | undefined> {
  const held = await findRetryKey(companyId, leadId, 'note', key);
  if (!held) return undefined;
  if (held.fingerprint !== fingerprint) return problem('retry_key_reused', { details: { note_id: held.recordId } });
  const note = await findNote(companyId, leadId, held.recordId);
  return note && recordOf(note, await namesOf(companyId, [note.authorId]));
}

const recordOf = (note: Note, people: ReadonlyMap<number, string>): NoteRecord => ({
  id: note.id,
  lead_id: note.leadId,
  contact_id: note.contactId,
  body: note.body,
  message_id: note.messageId ?? null,
  author: named(note.authorId, people),
  created_at: isoTime(note.createdAt),
  updated_at: isoTime(note.createdAt),
});
