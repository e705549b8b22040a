import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, pathId, text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract/timezone.ts';
import { messageDetails, messageRecord } from './message-record.ts';
import { timeToSend } from './send-fields.ts';

const caller = { kind: 'token', scope: 'messages:send', role: 'member' } as const;
const reader = { kind: 'token', scope: 'conversations:read', role: 'viewer' } as const;

const ofContact = z.object({ contact_id: id.optional().meta({ description: 'The contact, as in the answer of the send.' }) });

const scheduledQuery = z
  .object({
    status: z
      .literal('scheduled', { error: 'Must be scheduled.' })
      .meta({ description: 'Only `scheduled`: messages that wait for their time. Those of a contact are in its conversation.' }),
    contact_id: id.optional().meta({ description: 'Only messages to this contact.' }),
    limit: wholeNumber(1, 100).optional(),
    per_page: wholeNumber(1, 100).optional(),
    cursor: text(2_000, 1).optional(),
  })
  .transform(({ limit, per_page, ...query }) => ({ ...query, limit: limit ?? per_page ?? 25 }));
export type ScheduledQuery = z.output<typeof scheduledQuery>;

const rescheduleBody = z.object({
  scheduled_at: timeToSend.meta({
    description: 'When to send, at most 365 days ahead: an ISO 8601 time. Without an offset it is local in `timezone`.',
    example: '2026-12-24T18:00:00',
  }),
  timezone: timezone.optional().meta({ description: "The IANA time zone of `scheduled_at`; the company's by default." }),
});
export type RescheduleInput = z.output<typeof rescheduleBody>;

export const messageRoutes = {
  listMessages: route({
    method: 'GET',
    path: '/api/v1/messages',
    summary: 'List scheduled messages',
    description:
      'Messages that wait for their time, the next one first, all of the company or of one contact. `meta.next_cursor` continues; a page may have fewer messages than `limit` and still be followed by others. Scheduled campaigns are listed by listCampaigns.',
    caller: reader,
    query: scheduledQuery,
    answers: {
      200: z.object({
        data: z.array(messageRecord),
        meta: z.object({ per_page: z.int(), next_cursor: z.string().nullable() }),
        status: z.literal('success'),
        message: z.string().min(1),
      }),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getMessage: route({
    method: 'GET',
    path: '/api/v1/messages/{id}',
    summary: 'Get a message with its timeline',
    description:
      'What became of a message: accepted, claimed, sent, delivered, read or failed, each with its time, the error of the provider in its own words, and who sent it. Ids of messages are unique within a conversation, so name the contact too; without `contact_id` only scheduled messages are found.',
    caller: reader,
    params: z.object({ id: pathId }),
    query: ofContact,
    answers: { 200: success(messageDetails) },
    errors: ['not_found', 'validation_failed'],
  }),
  rescheduleMessage: route({
    method: 'PUT',
    path: '/api/v1/messages/{id}',
    summary: 'Reschedule a message',
    description:
      'Gives a message that still waits another time. Consent, contact, number and template are checked when that time comes. A message that was sent already cannot be rescheduled.',
    caller,
    params: z.object({ id: pathId }),
    query: ofContact,
    body: rescheduleBody.meta({ id: 'RescheduleMessageRequest' }),
    answers: { 200: success(messageRecord) },
    refuses: ['time'],
    errors: ['not_found', 'message_not_scheduled', 'validation_failed'],
  }),
  cancelMessage: route({
    method: 'DELETE',
    path: '/api/v1/messages/{id}',
    summary: 'Cancel a scheduled message',
    description:
      'Cancels a message that still waits for its time. It stays in the conversation as failed, with the error code `cancelled`. A message that was sent already cannot be cancelled: 409, also for one that never waited if `contact_id` names its contact.',
    caller,
    params: z.object({ id: pathId }),
    query: ofContact,
    answers: { 200: success(z.object({ id: z.int(), deleted: z.literal(true) })) },
    errors: ['not_found', 'message_not_scheduled', 'validation_failed'],
  }),
};
