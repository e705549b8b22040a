import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { byEndpoint, manager } from './endpoint.ts';

/** What an endpoint was told, and what it answered (decision V34): kept 30 days. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'aborted'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const deliveryRecord = z
  .object({
    id: z
      .string()
      .meta({ description: "The event's id, which every attempt carries as webhook-id.", example: 'evt_01JD2Q8Z6M3X0V5K7T9B4N1CWE' }),
    webhook_id: z.int(),
    event: z.string(),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    next_attempt_at: timestamp.nullable(),
    request: z.object({ url: z.string(), body: z.string() }),
    response: z
      .object({ status: z.int(), body: z.string().meta({ description: 'Its first 4 KB.' }) })
      .nullable()
      .meta({ description: 'The last answer; null where there was none.' }),
    error: z.string().nullable(),
    tries: z.array(z.object({ at: timestamp, ms: z.int(), status: z.int().nullable(), error: z.string().nullable() })),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryRecord = z.output<typeof deliveryRecord>;

export const deliveriesQuery = z.object({
  status: z.enum(deliveryStatuses, { error: `Must be one of ${deliveryStatuses.join(', ')}.` }).optional(),
  limit: wholeNumber(1, 100).default(25),
  cursor: text(2_000, 1).optional(),
});
export type DeliveriesQuery = z.output<typeof deliveriesQuery>;

const eventId = z.string().regex(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/);

export const deliveryRoutes = {
  listDeliveries: route({
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    summary: 'What an endpoint was told, newest event first',
    caller: manager,
    limit: 'read',
    effect: 'read',
    params: byEndpoint,
    query: deliveriesQuery,
    answers: {
      200: z.object({
        status: z.literal('success'),
        message: z.string(),
        data: z.array(deliveryRecord),
        meta: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
      }),
    },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  resendDelivery: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/resend',
    summary: 'Deliver an event again, under the same id',
    caller: manager,
    limit: 'write',
    effect: 'write',
    params: z.object({ id: pathId, delivery_id: eventId }),
    answers: { 200: success(deliveryRecord) },
    errors: ['not_found', 'webhook_disabled', 'conflict'],
  }),
  testWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    summary: 'Send a test event to an endpoint',
    caller: manager,
    limit: 'write',
    effect: 'write',
    params: byEndpoint,
    answers: { 200: success(z.object({ delivery_id: z.string(), event: z.string() })) },
    errors: ['not_found', 'webhook_disabled', 'conflict'],
  }),
};
