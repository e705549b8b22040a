import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { keywordChanges, keywordSettings } from '../../messaging/contract/keyword.ts';

/** Decision A47. */
export const conversation = z
  .object({
    id: z.int(),
    contact: z.object({ id: z.int(), name: z.string().nullable(), phone: z.string() }),
    last_message: z.object({
      id: z.int(),
      value: z.string(),
      message_type: z.int(),
      status: z.int(),
      is_message_by_contact: z.int(),
      created_at: timestamp,
    }),
    unread_count: z.int(),
    window: z.object({ open: z.boolean(), expires_at: timestamp.nullable() }),
    status: z.enum(['open', 'closed']),
    assigned_to: z.int().nullable(),
    last_message_at: timestamp,
    last_inbound_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Conversation' });

/** Specification 1§2, with the additions of A33. */
export const conversationMessage = z
  .object({
    id: z.int(),
    fb_message_id: z.string().nullable(),
    contact_id: z.int(),
    value: z.string(),
    status: z.int().min(0).max(6),
    is_message_by_contact: z.int().min(0).max(1),
    message_type: z.int(),
    subtype: z.string(),
    media: z
      .object({
        url: z.string().nullable().meta({ description: 'Good for an hour; null while the file is not here, or is gone' }),
        mime: z.string().nullable(),
        size: z.int().nullable(),
        sha256: z.string().nullable(),
        caption: z.string().nullable(),
        filename: z.string().nullable(),
      })
      .nullable(),
    content: z.record(z.string(), z.unknown()).nullable().meta({ description: 'Parts of what a person sent, as the provider writes them' }),
    context_message_id: z.string().nullable().meta({ description: 'The provider id of the message that this one answers' }),
    pricing: z.record(z.string(), z.unknown()).nullable(),
    ambiguous: z.boolean(),
    error: z.object({ code: z.union([z.int(), z.string()]), title: z.string() }).nullable(),
    sent_at: timestamp.nullable(),
    delivered_at: timestamp.nullable(),
    read_at: timestamp.nullable(),
    failed_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Message' });

/** `YYYY-MM-DD HH:MM:SS`, UTC (1§4). Becomes epoch milliseconds. */
const lastMessageTime = text(40)
  .refine((value) => /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}$/.test(value) && !Number.isNaN(Date.parse(`${value.replace(' ', 'T')}Z`)), {
    error: 'Must be a time in UTC as YYYY-MM-DD HH:MM:SS.',
  })
  .transform((value) => Date.parse(`${value.replace(' ', 'T')}Z`));

export const conversationRoutes = {
  listConversations: route({
    method: 'GET',
    path: '/api/v1/conversations',
    summary: 'Conversations, newest message first',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    query: paging(20, 100, {
      lastmessagetime: lastMessageTime.optional(),
      search: text(100).optional().meta({ description: 'A part of the name, or digits of the phone' }),
      status: z.enum(['open', 'closed'], { error: 'Must be open or closed.' }).optional(),
      unread: looseBoolean.optional().meta({ description: 'true: only with unread messages' }),
      assigned_to: id.optional(),
    }),
    answers: { 200: paginated(conversation) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  listConversationMessages: route({
    method: 'GET',
    path: '/api/v1/conversations/{id}/messages',
    summary: 'Messages of a conversation, newest first',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    params: z.object({ id: pathId }),
    query: z.object({
      limit: wholeNumber(1, 200).optional(),
      per_page: wholeNumber(1, 200).optional(),
      before_id: id.optional(),
      search: text(200).optional().meta({ description: 'Words, each the beginning of a word of the message' }),
      lastmessagetime: lastMessageTime.optional(),
    }),
    answers: {
      200: z.object({
        data: z.array(conversationMessage),
        meta: z.object({ per_page: z.int(), has_more: z.boolean(), next_before_id: z.int().nullable() }),
        status: z.literal('success'),
        message: z.string().min(1),
      }),
    },
    errors: ['not_found', 'validation_failed'],
  }),
  readConversation: route({
    method: 'PUT',
    path: '/api/v1/conversations/{id}/read',
    summary: 'Mark a conversation as read; the person sees it',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'write',
    effect: 'write',
    params: z.object({ id: pathId }),
    answers: { 200: success(conversation) },
    errors: ['not_found'],
  }),
  updateConversation: route({
    method: 'PUT',
    path: '/api/v1/conversations/{id}',
    summary: 'Open or close a conversation, or give it to somebody',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'write',
    effect: 'write',
    params: z.object({ id: pathId }),
    body: z.object({
      status: z.enum(['open', 'closed'], { error: 'Must be open or closed.' }).optional(),
      assigned_to: id.nullable().optional().meta({ description: 'A user of the company; null: nobody' }),
    }),
    answers: { 200: success(conversation) },
    errors: ['not_found', 'validation_failed'],
  }),
  getKeywords: route({
    method: 'GET',
    path: '/api/v1/conversations/keywords',
    summary: 'The words by which people stop and start being written to',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    answers: { 200: success(keywordSettings) },
    errors: [],
  }),
  setKeywords: route({
    method: 'PUT',
    path: '/api/v1/conversations/keywords',
    summary: 'Set the words by which people stop and start being written to',
    caller: { kind: 'token', scope: 'contacts:write', role: 'admin' },
    limit: 'write',
    effect: 'write',
    body: keywordChanges,
    answers: { 200: success(keywordSettings) },
    errors: ['validation_failed'],
  }),
};
