import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { perPage, reader, retryKey, writer } from './fields.ts';

/** A note (A63): internal, shown by these routes alone. */
export const noteRecord = z
  .object({
    id: z.int(),
    lead_id: z.int(),
    contact_id: z.int(),
    body: z.string(),
    message_id: z.int().nullable(),
    author: z.object({ id: z.int(), name: z.string() }).nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Note' });
export type NoteRecord = z.output<typeof noteRecord>;

const noteText = text(5_000, 1);

export const noteBody = z
  .object({ body: noteText.optional(), note: noteText.optional(), message_id: id.nullish(), retry_key: retryKey })
  .transform(({ body, note, message_id, retry_key }, context) => {
    const written = body ?? note;
    if (written === undefined) {
      context.addIssue({ code: 'custom', path: ['body'], message: 'This field is required.' });
      return z.NEVER;
    }
    return { body: written, messageId: message_id ?? undefined, retryKey: retry_key };
  });
export type NoteBody = z.output<typeof noteBody>;

const params = z.object({ id: pathId });
const path = '/api/v1/crm/leads/{id}/notes';

export const noteRoutes = {
  listLeadNotes: route({
    method: 'GET',
    path,
    summary: 'Notes of an enquiry, newest first',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params,
    query: paging(perPage),
    answers: { 200: paginated(noteRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  createNote: route({
    method: 'POST',
    path,
    summary: 'Add a note to an enquiry; never shown to customers',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params,
    body: noteBody,
    answers: { 200: success(noteRecord) },
    errors: ['validation_failed', 'not_found', 'retry_key_reused'],
  }),
  listContactNotes: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}/notes',
    summary: 'Notes of all enquiries of a contact, newest first',
    caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    params,
    query: paging(perPage),
    answers: { 200: paginated(noteRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
};
