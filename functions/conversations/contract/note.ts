import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { id, namedUser, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const conversationNoteRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the note.' }),
    conversation_id: z.int().meta({ description: 'The conversation.' }),
    body: z.string().meta({ description: 'The text.' }),
    message_id: z.int().nullable().meta({ description: 'The message that the note is about, or null.' }),
    author: namedUser.nullable().meta({ description: 'The user who wrote the note; null if a program did.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ConversationNote' });
export type ConversationNoteRecord = z.output<typeof conversationNoteRecord>;

const noteText = text(5_000, 1).meta({ description: 'The text.' });
export const conversationNoteInput = z.object({
  body: noteText,
  message_id: id.nullish().meta({ description: 'A message of the conversation that the note is about.' }),
});
export type ConversationNoteInput = z.output<typeof conversationNoteInput>;

const params = z.object({ id: pathId });
const noteParams = z.object({ id: pathId, note_id: pathId.meta({ description: 'The id of the note.' }) });
const path = '/api/v1/conversations/{id}/notes';
const writer = { kind: 'token', scope: 'messages:send', role: 'member' } as const;

export const conversationNoteRoutes = {
  listConversationNotes: route({
    method: 'GET',
    path,
    summary: 'List the notes of a conversation',
    description: 'Internal notes, newest first. They are never shown or sent to the contact.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    params,
    query: z.object({
      limit: wholeNumber(1, 200).default(50),
      before_id: id.optional().meta({ description: 'Only notes older than this one: `meta.next_before_id` of the previous page.' }),
    }),
    answers: {
      200: z.object({
        data: z.array(conversationNoteRecord),
        meta: z.object({ per_page: z.int(), has_more: z.boolean(), next_before_id: z.int().nullable() }),
        status: z.literal('success'),
        message: z.string().min(1),
      }),
    },
    errors: ['not_found', 'validation_failed'],
  }),
  createConversationNote: route({
    method: 'POST',
    path,
    summary: 'Add a note to a conversation',
    description: 'An internal note for colleagues. It is never shown or sent to the contact.',
    caller: writer,
    isOwnRecord: true,
    params,
    body: conversationNoteInput.meta({ id: 'CreateConversationNoteRequest' }),
    answers: { 200: success(conversationNoteRecord) },
    errors: ['not_found', 'validation_failed'],
  }),
  updateConversationNote: route({
    method: 'PUT',
    path: `${path}/{note_id}`,
    summary: 'Change the text of a note of a conversation',
    description: 'Replaces the text.',
    caller: writer,
    params: noteParams,
    body: z.object({ body: noteText }).meta({ id: 'UpdateConversationNoteRequest' }),
    answers: { 200: success(conversationNoteRecord) },
    errors: ['not_found', 'validation_failed'],
  }),
  deleteConversationNote: route({
    method: 'DELETE',
    path: `${path}/{note_id}`,
    summary: 'Delete a note of a conversation',
    description: 'Deletes the text.',
    caller: writer,
    params: noteParams,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
