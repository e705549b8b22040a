import * as z from 'zod';
import { route, type RouteSpec } from '../../../shared/contract/route.ts';
import { orderStatuses } from '../domain/status.ts';
import { cartBody, customBody, parcelBody, shopifyBody, testBody, wooCommerceBody } from './receiver-bodies.ts';

/** The shop's receivers. They read the raw body, because signatures cover its bytes. Each answers with and without the /api prefix. */
const receiverRoute = <N extends string, T extends string>(name: N, token: T) => ({
  method: 'POST' as const,
  path: `/shop/webhooks/${name}/{${token}}` as const,
  aliases: [`/api/shop/webhooks/${name}/{${token}}` as const],
  via: 'url' as const,
  limit: 'receiver' as const,
  effect: 'write' as const,
  accepts: ['raw'] as const,
});

const byWebhookToken = {
  caller: { kind: 'webhook_token' },
  params: z.object({ webhook_token: z.string().describe('The token of the receiver.') }),
} as const;
const receiverErrors = ['invalid_webhook_token', 'invalid_signature', 'invalid_json'] as const;

export const receiverResponse = z
  .object({
    success: z.literal(true).describe('Always true.'),
    queued: z.literal(true).optional().describe('True when the event was queued. Its changes follow within seconds.'),
    ignored: z.literal(true).optional().describe('True when the event changes nothing, for example an unknown topic.'),
    unsigned: z.literal(true).optional().describe('True when the receiver has no signing secret, so that only its token was checked.'),
  })
  .meta({ id: 'ReceiverResult', description: 'The acknowledgement of a webhook.' });
export type ReceiverResponse = z.output<typeof receiverResponse>;

export const customResponse = z
  .object({
    success: z.literal(true).describe('Always true.'),
    message: z.string().describe('What happened.'),
    ignored: z.literal(true).optional().describe('True when the event is unknown. The message lists the known events.'),
    data: z
      .object({
        order_id: z.int().describe('Id of the order.'),
        order_number: z.string().describe('Number of the order in your system.'),
        status: z.enum(orderStatuses).describe('Status of the order.'),
        created: z.boolean().describe('Whether the event created the order.'),
      })
      .optional()
      .describe('The order, unless the event was ignored.'),
  })
  .meta({ id: 'CustomReceiverResult', description: 'What became of an order event.' });

export const testResponse = z
  .object({
    success: z.literal(true).describe('Always true.'),
    received: z
      .object({
        event: z.string().nullable().describe('The topic, from a header or the body, or null.'),
        headers: z.record(z.string(), z.string()).describe('The headers, without secrets.'),
        body: z.unknown().describe('The body as JSON, or as text when it is not JSON.'),
      })
      .describe('The request as it arrived.'),
    signature: z.enum(['valid', 'invalid', 'absent']).describe("Whether one of the receiver's secrets signed the body."),
    received_at: z.string().describe('When the request arrived.'),
  })
  .meta({ id: 'TestReceiverResult', description: 'The request as it arrived.' });

export type TestResponse = z.output<typeof testResponse>;

const platformRoute = <N extends string>(name: N, texts: Pick<RouteSpec, 'summary' | 'description' | 'documents'>) =>
  route({
    ...receiverRoute(name, 'webhook_token'),
    ...byWebhookToken,
    ...texts,
    answers: { 200: receiverResponse },
    errors: receiverErrors,
  });

/** The custom receiver applies the event before it responds, and returns the order. */
export const customReceiverRoutes = {
  receiveCustom: route({
    ...receiverRoute('custom', 'erp_token'),
    caller: { kind: 'erp_token' },
    params: z.object({ erp_token: z.string().describe('An ERP token, `erp_...`.') }),
    summary: 'Receive an order event of your own system',
    description:
      "Post orders of your own system here. The token in the URL is an ERP token, so no Authorization header is needed; if the token has a signing secret, send the HMAC-SHA256 of the body in `X-Webhook-Signature`. `order.placed` creates the order, or updates the one with the same order number, and creates the customer's contact. `order.status_updated` changes status and tracking. An unknown event is ignored, and the response names the known ones.",
    documents: customBody,
    answers: { 200: customResponse },
    errors: [...receiverErrors, 'validation_failed', 'order_not_found', 'conflict'],
  }),
};

/** These receivers respond as soon as the delivery is on the queue. */
export const receiverRoutes = {
  receiveStoreplatform: platformRoute('storeplatform', {
    summary: 'Receive a webhook of Shopify',
    description:
      'Takes products, orders, fulfilments and checkouts of a Shopify store, in any order and any number of times. Shopify signs the body in `X-Shopify-Hmac-Sha256` and names the topic in `X-Shopify-Topic`. Read topics: products/create, products/update, products/delete, orders/create, orders/updated, orders/paid, orders/cancelled, orders/fulfilled, orders/partially_fulfilled, fulfillments/create, fulfillments/update, fulfillment_events/create, checkouts/create, checkouts/update, checkouts/delete and app/uninstalled. Other topics are ignored, and so are deletions, checkouts and app/uninstalled at a receiver without a signing secret.',
    documents: shopifyBody,
  }),
  receiveWebshop: platformRoute('webshop', {
    summary: 'Receive a webhook of WooCommerce',
    description:
      'Takes products and orders of a WooCommerce shop. WooCommerce signs the body in `X-WC-Webhook-Signature` and names the topic in `X-WC-Webhook-Topic`. Read topics: product.created, product.updated, product.restored, product.deleted, order.created, order.updated, order.restored and order.deleted. Other topics are ignored.',
    documents: wooCommerceBody,
  }),
  receiveLogistics: platformRoute('logistics', {
    summary: 'Receive a parcel status of a logistics provider',
    description:
      'Sets the status and the tracking of the order with this order number or tracking number. Picked up, shipped, in transit and out for delivery become Shipped, delivered becomes Delivered, cancelled and RTO become Cancelled; other labels change the tracking only. A parcel of an unknown order is ignored. If the receiver has a signing secret, send the HMAC-SHA256 of the body in `X-Webhook-Signature`.',
    documents: parcelBody,
  }),
  receiveCheckout: platformRoute('checkout', {
    summary: 'Receive an abandoned cart of a checkout provider',
    description:
      'Opens, changes or ends a cart. When no order follows within the delay in the shop automation settings, the customer gets one reminder. A cart with `marketing_consent: false` gets none. Send the HMAC-SHA256 of the body in `X-Webhook-Signature`: a receiver without a signing secret ignores carts.',
    documents: cartBody,
  }),
  receiveTest: route({
    ...receiverRoute('test', 'webhook_token'),
    ...byWebhookToken,
    limit: 'test_receiver',
    summary: 'Test a webhook',
    description:
      'Returns what was received and whether its signature is valid, so that you can verify the setup of a webhook. Calls are stored for 24 hours. Every call counts against the limit, signed or not.',
    documents: testBody,
    answers: { 200: testResponse },
    errors: ['invalid_webhook_token'],
  }),
};
