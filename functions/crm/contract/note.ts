import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { id, namedUser, paging, pathId, text, timestamp, withOneOf } from '../../../shared/contract/fields.ts';
import { missingReason } from '../../../shared/contract/refusal-words.ts';
import { route } from '../../../shared/contract/route.ts';
import { perPage, reader, retryKey, writer } from './fields.ts';

/** An internal note, shown by these routes only. */
export const noteRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the note.' }),
    lead_id: z.int(),
    contact_id: z.int(),
    body: z.string().meta({ description: 'The text.' }),
    message_id: z.int().nullable().meta({ description: 'The message that the note is about, or null.' }),
    author: namedUser.nullable().meta({ description: 'The user who wrote the note, or null.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Note' });
export type NoteRecord = z.output<typeof noteRecord>;

/** A note of a contact, whichever of the two it was written in (A14). */
export const contactNoteRecord = noteRecord
  .extend({
    id: z.int().meta({ description: 'The id of the note among those of its source.' }),
    lead_id: z.int().nullable().meta({ description: 'The lead; null for a note of the conversation.' }),
    source: z.enum(['lead', 'conversation']).meta({ description: 'Where it was written: in a lead, or in the conversation.' }),
  })
  .meta({ id: 'ContactNote' });
export type ContactNoteRecord = z.output<typeof contactNoteRecord>;

const noteText = text(5_000, 1);

export const noteBody = withOneOf(
  z.object({
    body: noteText.optional().meta({ description: 'The text of the note.' }),
    note: noteText.optional().meta({ description: 'Another name of `body`.' }),
    message_id: id.nullish().meta({ description: 'A message of the contact that the note is about.' }),
    retry_key: retryKey,
  }),
  ['body', 'note'],
  missingReason,
).transform(({ body, note, message_id, retry_key }) => ({
  body: body ?? note ?? '',
  messageId: message_id ?? undefined,
  retryKey: retry_key,
}));
export type NoteBody = z.output<typeof noteBody>;

const params = z.object({ id: pathId });
const noteParams = z.object({ id: pathId, note_id: pathId.meta({ description: 'The id of the note.' }) });
const path = '/api/v1/crm/leads/{id}/notes';

export const noteRoutes = {
  listLeadNotes: route({
    method: 'GET',
    path,
    summary: 'List the notes of a lead',
    description: 'Internal notes, newest first. Notes are never shown to customers.',
    caller: reader,
    limit: 'crm',
    params,
    query: paging(perPage),
    answers: { 200: paginated(noteRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  createNote: route({
    method: 'POST',
    path,
    summary: 'Add a note to a lead',
    description:
      'An internal note, optionally about a message of the contact. Never shown or sent to customers. The same `retry_key` with the same content returns the same note.',
    caller: writer,
    isOwnRecord: true,
    limit: 'crm',
    params,
    body: noteBody.meta({ id: 'CreateNoteRequest', description: 'The text.' }),
    answers: { 200: success(noteRecord) },
    errors: ['validation_failed', 'not_found', 'retry_key_reused'],
  }),
  updateNote: route({
    method: 'PUT',
    path: `${path}/{note_id}`,
    summary: 'Change the text of a note',
    description: 'Replaces the text. The timeline says who changed it.',
    caller: writer,
    limit: 'crm',
    params: noteParams,
    body: z.object({ body: noteText.meta({ description: 'The new text of the note.' }) }).meta({ id: 'UpdateNoteRequest' }),
    answers: { 200: success(noteRecord) },
    errors: ['validation_failed', 'not_found'],
  }),
  deleteNote: route({
    method: 'DELETE',
    path: `${path}/{note_id}`,
    summary: 'Delete a note',
    description: 'Deletes the text. The timeline keeps that there was a note, and who deleted it.',
    caller: writer,
    limit: 'crm',
    params: noteParams,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
  listContactNotes: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}/notes',
    summary: 'List the notes of a contact',
    description:
      'The internal notes of a contact, newest first: those of all its leads and those of its conversation, each with its `source`. Ids are unique within a source. Of a conversation with more than 1,000 notes the total counts that many, and `next_cursor` continues.',
    caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
    params,
    query: paging(perPage),
    answers: { 200: paginated(contactNoteRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
};
