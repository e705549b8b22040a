import * as z from 'zod';
import { cursorMeta, success } from '../../../shared/contract/envelope.ts';
import { id, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { eventNames, testEvent } from './catalog.ts';
import { byEndpoint, manager } from './endpoint.ts';

/** A delivery to an endpoint, with the endpoint's response (decision V34); it expires after 30 days. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'aborted'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const headersOfFailure = z.record(z.string(), z.string()).nullable();

export const deliveryRecord = z
  .object({
    id: z
      .string()
      .meta({ description: "The event's id, which every attempt carries as webhook-id.", example: 'evt_01JD2Q8Z6M3X0V5K7T9B4N1CWE' }),
    webhook_id: z.int(),
    event: z.string().meta({ description: 'The name of the event.' }),
    status: z.enum(deliveryStatuses).meta({
      description:
        '`pending`: it is retried. `delivered`, `failed` (all attempts used up) or `aborted` (the endpoint asked for no more, or was deleted).',
    }),
    attempts: z.int().meta({ description: 'How many attempts there were.' }),
    next_attempt_at: timestamp.nullable().meta({ description: 'When it is tried next; null when there is no further attempt.' }),
    request: z
      .object({
        url: z.string().meta({ description: 'Where it was sent.' }),
        body: z.string().meta({ description: 'The body, as JSON text.' }),
        headers: headersOfFailure.meta({
          description: 'The headers of the last attempt, as they were signed, while it is no success; null otherwise.',
        }),
      })
      .meta({ description: 'What was sent.' }),
    response: z
      .object({
        status: z.int().meta({ description: 'The HTTP status.' }),
        body: z.string().meta({ description: 'The first 4 KB of the body.' }),
        headers: headersOfFailure.meta({
          description: 'The headers, cookies left out, up to 2 KB, while the attempt is no success; null otherwise.',
        }),
      })
      .nullable()
      .meta({ description: 'The last response; null if there was none.' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed, if there was no response; null otherwise.' }),
    tries: z
      .array(
        z.object({
          at: timestamp.meta({ description: 'When it was sent.' }),
          ms: z.int().meta({ description: 'How long the response took, in milliseconds.' }),
          status: z.int().nullable().meta({ description: 'The HTTP status; null without a response.' }),
          error: z.string().nullable().meta({ description: 'Why there was no response; null otherwise.' }),
        }),
      )
      .meta({ description: 'The attempts, oldest first.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryRecord = z.output<typeof deliveryRecord>;

const eventId = z
  .string()
  .regex(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/, { error: 'Must be the id of an event, such as evt_01JD2Q8Z6M3X0V5K7T9B4N1CWE.' });
const time = z.iso.datetime({ offset: true, error: 'Must be a time such as 2026-11-23T08:00:00Z.' });

export const deliveriesQuery = z
  .object({
    status: z
      .enum(deliveryStatuses, { error: `Must be one of ${deliveryStatuses.join(', ')}.` })
      .optional()
      .meta({ description: 'Only deliveries in this state.' }),
    event: z
      .enum([...eventNames, testEvent], { error: 'Must be the name of an event, such as order.created.' })
      .optional()
      .meta({ description: 'Only deliveries of this event.', example: 'order.created' }),
    event_id: eventId.optional().meta({ description: 'Only deliveries of the event with this id.' }),
    response_status: wholeNumber(100, 599)
      .optional()
      .meta({ description: 'Only deliveries whose last response has this HTTP status.', example: 500 }),
    from: time.optional().meta({ description: 'Only events that happened at this time or later.' }),
    to: time.optional().meta({ description: 'Only events that happened at this time or earlier.' }),
    limit: wholeNumber(1, 100).default(25),
    cursor: text(2_000, 1).optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) <= Date.parse(to), {
    path: ['to'],
    error: 'Must be after from.',
  });
export type DeliveriesQuery = z.output<typeof deliveriesQuery>;
/** Which deliveries a list has. */
export type DeliveryFilters = Omit<DeliveriesQuery, 'limit' | 'cursor'>;

export const replayInput = z.object({
  since: time.meta({ description: 'Events that happened at this time or later; 30 days back at most.' }),
  webhook_id: id.optional().meta({ description: 'Of this endpoint alone; default: of all.', override: { type: 'integer', minimum: 1 } }),
  cursor: text(2_000, 1).optional().meta({ description: 'next_cursor of the answer before, until has_more is false.' }),
});
export type ReplayInput = z.output<typeof replayInput>;
const replayed = z
  .object({
    resent: z.int().meta({ description: 'Deliveries that begin a new round of attempts.' }),
    skipped: z.int().meta({ description: 'Failed deliveries that were left: something else happened to them at the same moment.' }),
    has_more: z.boolean().meta({ description: 'Whether to call again with next_cursor.' }),
    next_cursor: z.string().nullable().meta({ description: 'Where to go on; null at the end.' }),
  })
  .meta({ id: 'DeliveryReplay' });
export type DeliveryReplay = z.output<typeof replayed>;

const deliveryPage = z.object({
  status: z.literal('success'),
  message: z.string(),
  data: z.array(deliveryRecord),
  meta: cursorMeta,
});

export const deliveryRoutes = {
  listDeliveries: route({
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Newest event first, for 30 days, each with request, response and attempts.',
    caller: manager,
    params: byEndpoint,
    query: deliveriesQuery,
    answers: { 200: deliveryPage },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  listAllDeliveries: route({
    method: 'GET',
    path: '/api/v1/deliveries',
    summary: 'List the deliveries of all webhook endpoints',
    description: 'As the deliveries of one endpoint: newest event first, for 30 days. Deleted endpoints are left out.',
    caller: manager,
    query: deliveriesQuery,
    answers: { 200: deliveryPage },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  replayDeliveries: route({
    method: 'POST',
    path: '/api/v1/deliveries/replay',
    summary: 'Resend what failed since a time',
    description:
      'Each delivery that failed for good, of an event since then, begins a new round of attempts, with the same id and body: once, however often you call. What was delivered, is still being tried, or belongs to a disabled endpoint stays as it is. A call resends up to 100; call again with `next_cursor` while `has_more` is true.',
    caller: manager,
    limit: 'bulk',
    body: replayInput.meta({ id: 'ReplayDeliveriesRequest' }),
    answers: { 200: success(replayed) },
    errors: ['validation_failed', 'not_found', 'webhook_disabled', 'invalid_cursor'],
  }),
  resendDelivery: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/resend',
    summary: 'Resend an event',
    description: 'Sends the event again at once, with the same id and body.',
    caller: manager,
    params: z.object({ id: pathId, delivery_id: eventId }),
    answers: { 200: success(deliveryRecord) },
    errors: ['not_found', 'webhook_disabled', 'conflict'],
  }),
  testWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    summary: 'Send a test event',
    description: 'Sends a `webhook.test` event, to try the endpoint and its signature check.',
    caller: manager,
    params: byEndpoint,
    answers: { 200: success(z.object({ delivery_id: z.string(), event: z.string() })) },
    errors: ['not_found', 'webhook_disabled', 'conflict'],
  }),
};
