import * as z from 'zod';
import { paginated } from '../../shared/contract/envelope.ts';
import { id, paging, pathId, text, timestamp, wholeNumber } from '../../shared/contract/fields.ts';
import { route } from '../../shared/contract/route.ts';
import { foldTarget } from '../../shared/events/react.ts';

/** Decision A47. */
export const conversation = z.object({
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
});

/** Specification 1§2, with the additions of A33. */
export const conversationMessage = z.object({
  id: z.int(),
  fb_message_id: z.string().nullable(),
  contact_id: z.int(),
  value: z.string(),
  status: z.int().min(0).max(6),
  is_message_by_contact: z.int().min(0).max(1),
  message_type: z.int(),
  subtype: z.string(),
  ambiguous: z.boolean(),
  error: z.object({ code: z.union([z.int(), z.string()]), title: z.string() }).nullable(),
  sent_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
  read_at: timestamp.nullable(),
  failed_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

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
    query: paging(20, 100, { lastmessagetime: lastMessageTime.optional() }),
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
};

/** The head of a conversation: what a list of conversations shows; folded from the changes of its messages. Times are epoch ms. */
export const storedConversation = z.object({
  companyId: z.int(),
  contactId: z.int(),
  lastMessageId: z.int(),
  lastMessageAt: z.int(),
  lastInboundAt: z.int().optional(),
  unread: z.int().default(0),
  status: z.enum(['open', 'closed']).default('open'),
  assignedTo: z.int().optional(),
  /** The contact was deleted: the conversation leaves the list. */
  hidden: z.boolean().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  rev: z.int().default(0),
  marks: z.record(z.string(), z.string()).default({}),
});
export type StoredConversation = z.output<typeof storedConversation>;

export const conversationEntityName = 'conversation';
export const conversationTarget = foldTarget<{ companyId: number; contactId: number }, StoredConversation>(conversationEntityName);
