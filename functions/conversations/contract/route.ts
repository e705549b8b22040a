import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, paging, pathId, text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { parseInstant } from '../../../shared/runtime/schedule.ts';
import { keywordChanges, keywordSettings } from '../../messaging/contract/keyword.ts';
import { messageRecord } from '../../messaging/contract/message-record.ts';
import { cannedReplyRoutes } from './canned-reply.ts';
import { conversation, inboxCounts } from './conversation-record.ts';
import { inboxViews } from './inbox.ts';
import { conversationNoteRecord, conversationNoteRoutes } from './note.ts';
import { presenceRoutes } from './presence.ts';
import { inboxReportRoutes } from './report.ts';
import { syncRoutes } from './sync.ts';

/** `YYYY-MM-DD HH:MM:SS`, UTC. Becomes epoch milliseconds. */
const lastMessageTime = text(40)
  .refine((value) => /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}$/.test(value) && !Number.isNaN(Date.parse(`${value.replace(' ', 'T')}Z`)), {
    error: 'Must be a time in UTC as YYYY-MM-DD HH:MM:SS.',
  })
  .transform((value) => Date.parse(`${value.replace(' ', 'T')}Z`));

/** An instant, written with its offset. Becomes epoch milliseconds. */
const snoozeTime = text(40, 1)
  .refine((value) => /\d(Z|[+-]\d{2}:\d{2})$/i.test(value) && parseInstant(value, 'UTC') !== undefined, {
    error: 'Must be an ISO 8601 date and time with an offset, such as 2026-12-24T18:00:00+01:00.',
  })
  .transform((value) => parseInstant(value, 'UTC') ?? 0)
  .nullable()
  .optional()
  .meta({
    description: 'Puts it away until this time, at most 365 days ahead; a closed one is opened by it. Null brings it back.',
    example: '2026-12-24T18:00:00+01:00',
  });

export const conversationRoutes = {
  listConversations: route({
    method: 'GET',
    path: '/api/v1/conversations',
    summary: 'List conversations',
    description:
      'Newest message first. A conversation is everything that one contact and you wrote. Choose a view of the inbox, filter by status, unread messages, assignee, number, tag of the contact and whether an answer is waited for, or search by name and phone, or by words of messages. Page numbers reach the first 10,000; `next_cursor` continues, also where a search, or a filter by number, tag or waiting, ends a page early because it has to look through many conversations; `total` is then at least so many.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    query: paging(20, 100, {
      lastmessagetime: lastMessageTime
        .optional()
        .meta({ description: 'Only conversations whose last message is newer than this: UTC, YYYY-MM-DD HH:MM:SS.' }),
      search: text(100).optional().meta({ description: 'A part of the name, or digits of the phone.' }),
      text: text(200)
        .optional()
        .meta({ description: 'Words; each must begin a word of one of the newest ten messages of the conversation.' }),
      view: z
        .enum(inboxViews, { error: `Must be ${inboxViews.slice(0, -1).join(', ')} or ${inboxViews.at(-1)}.` })
        .optional()
        .meta({
          description:
            'A view of the inbox. `open`, `unread`, `mine` and `unassigned` show open conversations that wait for an answer: what is put away is in `snoozed`, and what only campaigns and other automatic messages wrote to is in `automatic` until the contact or a user writes. With `search` or `text` they show both too.',
        }),
      status: z.enum(['open', 'closed'], { error: 'Must be open or closed.' }).optional().meta({
        description: 'Only open, or only closed conversations. Without a view, `open` has those that are put away or automatic too.',
      }),
      unread: looseBoolean.optional().meta({ description: 'With true, only conversations with unread messages.' }),
      assigned_to: id.optional().meta({ description: 'Only conversations assigned to this user.' }),
      number_id: id.optional().meta({ description: 'Only conversations whose contact last wrote to this number of yours.' }),
      tag_id: id.optional().meta({ description: 'Only conversations with contacts that have this tag; none where there is no such tag.' }),
      waiting: looseBoolean.optional().meta({
        description:
          'With true, only conversations whose newest message is the contact’s, so that it waits for an answer; with false, only others.',
      }),
    }),
    answers: { 200: paginated(conversation) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getInboxCounts: route({
    method: 'GET',
    path: '/api/v1/conversations/counts',
    summary: 'Count the conversations of each view',
    description: 'The tabs of an inbox, for the caller. A change is counted within a second or two.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    answers: { 200: success(inboxCounts) },
    errors: [],
  }),
  getConversation: route({
    method: 'GET',
    path: '/api/v1/conversations/{id}',
    summary: 'Get a conversation',
    description: 'As lists show it. Reading does not mark it as read.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    params: z.object({ id: pathId }),
    answers: { 200: success(conversation) },
    errors: ['not_found'],
  }),
  listConversationMessages: route({
    method: 'GET',
    path: '/api/v1/conversations/{id}/messages',
    summary: 'List the messages of a conversation',
    description:
      'Newest first. Walk back with `before_id`. Inbound and outbound messages, with status, media and errors; with `notes=true` also the internal notes that stand among them, so that one call shows a conversation.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    params: z.object({ id: pathId }),
    query: z.object({
      limit: wholeNumber(1, 200).optional(),
      per_page: wholeNumber(1, 200).optional(),
      before_id: id.optional().meta({ description: 'Only messages older than this one: `meta.next_before_id` of the previous page.' }),
      search: text(200).optional().meta({ description: 'Words; each must begin a word of the message.' }),
      lastmessagetime: lastMessageTime.optional().meta({ description: 'Only messages newer than this: UTC, YYYY-MM-DD HH:MM:SS.' }),
      notes: looseBoolean.optional().meta({ description: 'With true, `notes` has the newest 100 internal notes of the conversation.' }),
    }),
    answers: {
      200: z.object({
        data: z.array(messageRecord),
        notes: z
          .array(conversationNoteRecord)
          .optional()
          .meta({ description: 'The newest 100 notes, newest first; only with `notes=true`.' }),
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
    summary: 'Mark a conversation as read',
    description: 'Sets the unread count to 0 and shows the contact blue ticks.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    params: z.object({ id: pathId }),
    answers: { 200: success(conversation) },
    errors: ['not_found'],
  }),
  updateConversation: route({
    method: 'PUT',
    path: '/api/v1/conversations/{id}',
    summary: 'Close, open, assign or snooze a conversation, or mark it unread',
    description:
      'A closed conversation opens again when the contact writes. With `snoozed_until` it is put away: it leaves the views of open conversations, and comes back, marked unread, at that time by itself, or at once when the contact writes. Closing ends that.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    params: z.object({ id: pathId }),
    body: z
      .object({
        status: z
          .enum(['open', 'closed'], { error: 'Must be open or closed.' })
          .optional()
          .meta({ description: '`closed` moves it out of the inbox; a new message of the contact opens it again.' }),
        assigned_to: id
          .nullable()
          .optional()
          .meta({ description: 'The user who takes care of it, who may answer: no viewer; null unassigns it.' }),
        unread: z
          .literal(true, { error: 'Must be true.' })
          .optional()
          .meta({ description: 'Marks it unread, also if every message was read.' }),
        snoozed_until: snoozeTime,
      })
      .meta({ id: 'UpdateConversationRequest' }),
    answers: { 200: success(conversation) },
    errors: ['not_found', 'validation_failed'],
  }),
  bulkUpdateConversations: route({
    method: 'POST',
    path: '/api/v1/conversations/bulk',
    summary: 'Close, open, assign or snooze several conversations',
    description: 'Up to 100 at once, each as by `updateConversation`. What has the values already stays as it is, and counts as updated.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'bulk',
    body: z
      .object({
        ids: z
          .array(id, { error: 'Must be a list of ids.' })
          .min(1, { error: 'Must name at least one conversation.' })
          .max(100, { error: 'Must name at most 100 conversations.' })
          .transform((ids) => [...new Set(ids)])
          .meta({ description: 'The conversations.' }),
        status: z
          .enum(['open', 'closed'], { error: 'Must be open or closed.' })
          .optional()
          .meta({ description: '`closed` moves them out of the inbox.' }),
        assigned_to: id
          .nullable()
          .optional()
          .meta({ description: 'The user who takes care of them, who may answer: no viewer; null unassigns them.' }),
        snoozed_until: snoozeTime,
      })
      .meta({ id: 'BulkUpdateConversationsRequest' }),
    answers: {
      200: success(
        z
          .object({
            updated: z.array(z.int()).meta({ description: 'The conversations that have the values now.' }),
            not_found: z.array(z.int()).meta({ description: 'Ids of no conversation.' }),
          })
          .meta({ id: 'BulkConversationUpdate' }),
      ),
    },
    errors: ['validation_failed'],
  }),
  ...conversationNoteRoutes,
  ...cannedReplyRoutes,
  ...presenceRoutes,
  ...inboxReportRoutes,
  ...syncRoutes,
  getKeywords: route({
    method: 'GET',
    path: '/api/v1/conversations/keywords',
    summary: 'Get the opt-out and opt-in keywords',
    description:
      'A contact who sends an opt-out keyword (STOP, unsubscribe ...) is unsubscribed and gets no more marketing messages; an opt-in keyword subscribes again. With the texts that confirm it.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    answers: { 200: success(keywordSettings) },
    errors: [],
  }),
  setKeywords: route({
    method: 'PUT',
    path: '/api/v1/conversations/keywords',
    summary: 'Set the opt-out and opt-in keywords',
    description: 'Replaces the lists of keywords and the confirmation texts that are given.',
    caller: { kind: 'token', scope: 'contacts:write', role: 'admin' },
    body: keywordChanges.meta({ id: 'SetKeywordsRequest' }),
    answers: { 200: success(keywordSettings) },
    refuses: ['form'],
    errors: ['validation_failed'],
  }),
};
