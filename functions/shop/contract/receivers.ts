import * as z from 'zod';
import { numberAsText, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { orderStatuses } from '../domain/status.ts';
import { amount, currency } from './amount.ts';
import { itemBody, orderStatus, trackingFields } from './order.ts';

/** The receivers (2§4, S17 to S26): raw bytes, because signatures are over them; each with and without /api. */
const receiverRoute = <N extends string, T extends string>(name: N, token: T) => ({
  method: 'POST' as const,
  path: `/shop/webhooks/${name}/{${token}}` as const,
  aliases: [`/api/shop/webhooks/${name}/{${token}}` as const],
  via: 'url' as const,
  limit: 'receiver' as const,
  effect: 'write' as const,
  accepts: ['raw'] as const,
});

const byWebhookToken = { caller: { kind: 'webhook_token' }, params: z.object({ webhook_token: z.string() }) } as const;
const receiverErrors = ['invalid_webhook_token', 'invalid_signature', 'invalid_json'] as const;

const receiverResponse = z
  .object({
    success: z.literal(true),
    queued: z.literal(true).optional(),
    ignored: z.literal(true).optional(),
    unsigned: z.literal(true).optional().meta({ description: 'No secret is set for this receiver: the token alone was checked.' }),
  })
  .meta({ id: 'ReceiverResult' });
export type ReceiverResponse = z.output<typeof receiverResponse>;

export const customResponse = z
  .object({
    success: z.literal(true),
    message: z.string(),
    ignored: z.literal(true).optional(),
    data: z.object({ order_id: z.int(), order_number: z.string(), status: z.enum(orderStatuses), created: z.boolean() }).optional(),
  })
  .meta({ id: 'CustomReceiverResult' });

export const testResponse = z
  .object({
    success: z.literal(true),
    received: z.object({ event: z.string().nullable(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
    signature: z.enum(['valid', 'invalid', 'absent']),
    received_at: z.string(),
  })
  .meta({ id: 'TestReceiverResult' });

const platformRoute = <N extends string>(name: N, summary: string) =>
  route({
    ...receiverRoute(name, 'webhook_token'),
    ...byWebhookToken,
    summary,
    answers: { 200: receiverResponse },
    errors: receiverErrors,
  });

/** Answered at once, with what became of the order. */
export const customReceiverRoutes = {
  receiveCustom: route({
    ...receiverRoute('custom', 'erp_token'),
    caller: { kind: 'erp_token' },
    params: z.object({ erp_token: z.string() }),
    summary: 'Order events of third-party systems',
    answers: { 200: customResponse },
    errors: [...receiverErrors, 'validation_failed', 'order_not_found', 'conflict'],
  }),
};

/** Answered as soon as the delivery is on the queue. */
export const receiverRoutes = {
  receiveStoreplatform: platformRoute('storeplatform', 'Webhooks of the external store platform'),
  receiveWebshop: platformRoute('webshop', 'Webhooks of the second store platform'),
  receiveLogistics: platformRoute('logistics', 'Parcel events of a logistics provider'),
  receiveCheckout: platformRoute('checkout', 'Cart events of a checkout provider'),
  receiveTest: route({
    ...receiverRoute('test', 'webhook_token'),
    ...byWebhookToken,
    summary: 'Shows what was received, to verify a set-up',
    answers: { 200: testResponse },
    errors: ['invalid_webhook_token'],
  }),
};

/** `order.placed` and `order.status_updated` of the custom receiver (2§6, S17). */
export const orderPlacedData = z
  .object({
    order_number: z.union([text(100, 1), numberAsText], { error: 'Must be a text of at most 100 characters.' }),
    customer_name: text(255).nullish(),
    customer_phone: z.union([text(64), numberAsText]).nullish(),
    customer_email: text(254).nullish(),
    total_amount: amount.nullish(),
    currency: currency.optional(),
    items: z.array(itemBody).max(1_000).optional(),
    status: orderStatus.optional(),
    notes: text(5_000).nullish(),
    ...trackingFields,
  })
  .superRefine((data, context) => {
    if (!data.customer_phone && !data.customer_email)
      context.addIssue({ code: 'custom', path: ['customer_phone'], message: 'A phone or an email is needed.' });
  });

export const orderStatusData = z.object({
  order_number: z.union([text(100, 1), numberAsText], { error: 'Must be a text of at most 100 characters.' }),
  status: orderStatus.optional(),
  ...trackingFields,
});
