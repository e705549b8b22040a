import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { cutPage, listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
import { getContactMessages } from '../../messaging/service/messages.ts';
import type { NoteBody, NoteRecord } from '../contract/note.ts';
import type { Lead } from '../contract/stored-lead.ts';
import { type Note, noteEntityName } from '../contract/stored-note.ts';
import { appendActivities, laterThan, newActivity } from '../domain/activity.ts';
import { withNote, withoutNote } from '../domain/lead.ts';
import { toReference } from '../domain/record.ts';
import { getStoredLead } from '../store/lead.ts';
import { createStoredNote, deleteStoredNote, getStoredNote, listNotesOfLead, updateStoredNote } from '../store/note.ts';
import { getRetryKey } from '../store/retry-key.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { maxWriteAttempts } from './assignees.ts';

/** Internal notes. Neither this module nor its imports can send. */
type CreateNoteProblem = Problem<'not_found' | 'validation_failed' | 'retry_key_reused'>;

/** POST /leads/{id}/notes: the note and the lead's number of notes in one transaction. */
export const createNote = async (
  companyId: number,
  userId: number,
  leadId: number,
  { body, messageId, retryKey }: NoteBody,
): Promise<NoteRecord | CreateNoteProblem> => {
  const fingerprint = sha256(canonical([body, messageId ?? null]));
  const earlier = retryKey === undefined ? undefined : await findCreatedNote(companyId, leadId, retryKey, fingerprint);
  if (earlier) return earlier;
  const lead = await getStoredLead(companyId, leadId, { consistent: true });
  if (!lead) return problem('not_found');
  const { contactId } = lead;
  if (messageId !== undefined && (await getContactMessages(companyId, [{ contactId, id: messageId }])).length === 0)
    return invalid('message_id', "Must be a message of the lead's contact.");
  const id = await nextIds(companyId, noteEntityName, 1);
  const note = newNote(lead, { id, body, messageId, authorId: userId }, now());
  const key = retryKey === undefined ? undefined : { companyId, leadId, of: 'note' as const, key: retryKey, recordId: id, fingerprint };
  let seen: Lead | undefined = lead;
  return retryOnConflict<NoteRecord | CreateNoteProblem>(maxWriteAttempts, async () => {
    if (!seen) return problem('not_found');
    const outcome = await createStoredNote(note, withNote(seen), key);
    if (outcome === 'done') return toNoteRecord(note, await getUserNames(companyId, [userId]));
    const winner = key && outcome === 'taken' ? await findCreatedNote(companyId, leadId, key.key, fingerprint) : undefined;
    if (winner) return winner;
    seen = await getStoredLead(companyId, leadId, { consistent: true });
    return conflict;
  });
};

/** PUT /leads/{id}/notes/{note_id}: another text. The timeline says who changed it, and keeps no former text. */
export const updateNote = (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  { body }: Pick<NoteBody, 'body'>,
): Promise<NoteRecord | Problem<'not_found'>> =>
  retryOnConflict<NoteRecord | Problem<'not_found'>>(maxWriteAttempts, async () => {
    const seen = await getStoredNote(companyId, leadId, id);
    if (!seen) return problem('not_found');
    const next = seen.body === body ? seen : withText(seen, body, userId, now());
    if (next !== seen && !(await updateStoredNote(next, seen))) return conflict;
    return toNoteRecord(next, await getUserNames(companyId, [next.authorId]));
  });

/** DELETE /leads/{id}/notes/{note_id}. The timeline keeps that there was a note. */
export const deleteNote = (companyId: number, userId: number, leadId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> =>
  retryOnConflict<{ id: number } | Problem<'not_found'>>(maxWriteAttempts, async () => {
    const [note, lead] = await Promise.all([getStoredNote(companyId, leadId, id), getStoredLead(companyId, leadId, { consistent: true })]);
    if (!note || !lead) return problem('not_found');
    return (await deleteStoredNote(note, withoutNote(lead, id, userId, now()))) === 'done' ? { id } : conflict;
  });

/** GET /leads/{id}/notes: newest first. */
export const listLeadNotes = async (
  companyId: number,
  leadId: number,
  query: PageQuery,
): Promise<Page<NoteRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const lead = await getStoredLead(companyId, leadId, { consistent: true });
  if (!lead) return problem('not_found');
  const total = lead.noteCount;
  return listPage({ scope: `notes:${companyId}:${leadId}`, query, position }, async ({ after, skip, limit }) => {
    const found = skip > total ? [] : await listNotesOfLead(companyId, leadId, after?.below, skip + limit + 1);
    const { items, next } = cutPage(found, { skip, limit }, ({ id }) => ({ below: id }));
    const people = await getUserNames(
      companyId,
      items.map(({ authorId }) => authorId),
    );
    return { items: items.map((note) => toNoteRecord(note, people)), total, next };
  });
};

const position = z.object({ below: z.int() });

function newNote(
  { companyId, id: leadId, contactId }: Lead,
  { id, body, messageId, authorId }: { id: number; body: string; messageId: number | undefined; authorId: number },
  at: number,
): Note {
  const source = { leadId, record: `note${id}`, version: 1 };
  const log = [newActivity('note.added', authorId, at, source, { note_id: id })];
  const note = { companyId, leadId, contactId, id, body, authorId, createdAt: at, log };
  if (messageId === undefined) return note;
  const linked = newActivity('message.linked', authorId, at, { ...source, version: 2 }, { note_id: id, message_id: messageId });
  return { ...note, messageId, log: [...log, linked] };
}

function withText(note: Note, body: string, by: number, now: number): Note {
  const at = laterThan(note.updatedAt ?? note.createdAt, now);
  const version = (note.version ?? 2) + 1;
  const entry = newActivity('note.updated', by, at, { leadId: note.leadId, record: `note${note.id}`, version }, { note_id: note.id });
  return { ...note, body, version, updatedAt: at, log: appendActivities(note.log, [entry], at) };
}

async function findCreatedNote(
  companyId: number,
  leadId: number,
  key: string,
  fingerprint: string,
): Promise<NoteRecord | Problem<'retry_key_reused' | 'not_found'> | undefined> {
  const used = await getRetryKey(companyId, leadId, 'note', key);
  if (!used) return undefined;
  if (used.fingerprint !== fingerprint) return problem('retry_key_reused', { details: { note_id: used.recordId } });
  const note = await getStoredNote(companyId, leadId, used.recordId);
  // it was deleted since
  return note ? toNoteRecord(note, await getUserNames(companyId, [note.authorId])) : problem('not_found');
}

export const toNoteRecord = (note: Note, people: ReadonlyMap<number, string>): NoteRecord => ({
  id: note.id,
  lead_id: note.leadId,
  contact_id: note.contactId,
  body: note.body,
  message_id: note.messageId ?? null,
  author: toReference(note.authorId, people),
  created_at: isoTime(note.createdAt),
  updated_at: isoTime(note.updatedAt ?? note.createdAt),
});
