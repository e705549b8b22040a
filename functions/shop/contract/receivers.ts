import * as z from 'zod';
import { numberAsText, text } from '../../../shared/contract/fields.ts';
import { route, type RouteSpec } from '../../../shared/contract/route.ts';
import { orderStatuses } from '../domain/status.ts';
import { amount, currency } from './amount.ts';
import { itemBody, orderStatus, trackingFields } from './order.ts';

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

/** The `data` of `order.placed` and `order.status_updated` of the custom receiver. */
const orderNumber = z
  .union([text(100, 1), numberAsText], { error: 'Must be a string of at most 100 characters.' })
  .describe('Number of the order in your system. It identifies the order in every event.');

export const orderPlacedData = z
  .object({
    order_number: orderNumber,
    customer_name: text(255).nullish().describe("The customer's name."),
    customer_phone: z
      .union([text(64), numberAsText])
      .nullish()
      .describe("The customer's phone number with country code. Required without customer_email."),
    customer_email: text(254).nullish().describe("The customer's email. Required without customer_phone."),
    total_amount: amount.nullish().describe('Total of the order; the sum of the items by default.'),
    currency: currency.optional().describe('ISO 4217 currency of the amounts; INR by default.'),
    items: z.array(itemBody).max(1_000).optional().describe('Lines of the order.'),
    status: orderStatus.optional().describe('Status of the order; Pending by default.'),
    notes: text(5_000).nullish().describe("The customer's note."),
    ...trackingFields,
  })
  .superRefine((data, context) => {
    if (!data.customer_phone && !data.customer_email)
      context.addIssue({ code: 'custom', path: ['customer_phone'], message: 'Give a phone or an email.' });
  });

export const orderStatusData = z.object({
  order_number: orderNumber,
  status: orderStatus.optional().describe('The new status; unchanged by default.'),
  ...trackingFields,
});

/** The documented bodies of the receivers. They are never parsed: signatures cover the raw bytes, and foreign payloads vary. */
const customBody = {
  schema: z.discriminatedUnion('event', [
    z.object({
      event: z.literal('order.placed').describe('An order was placed or changed.'),
      data: orderPlacedData.describe('The order.'),
    }),
    z.object({
      event: z.literal('order.status_updated').describe('The status or the tracking of an order changed.'),
      data: orderStatusData.describe('What changed.'),
    }),
  ]),
  examples: {
    placed: {
      summary: 'An order was placed',
      value: {
        event: 'order.placed',
        data: {
          order_number: 'A-1042',
          customer_name: 'Ada',
          customer_phone: '+4915123456789',
          total_amount: '59.70',
          currency: 'EUR',
          items: [{ name: 'Watering can', quantity: 3, price: '19.90' }],
        },
      },
    },
    moved: {
      summary: 'An order was shipped',
      value: {
        event: 'order.status_updated',
        data: { order_number: 'A-1042', status: 'Shipped', tracking_number: '1Z999', tracking_url: 'https://tracking.example/1Z999' },
      },
    },
  },
};

const shopifyBody = {
  schema: z
    .looseObject({ id: z.int().optional().describe("Shopify's id of the record.") })
    .describe("A record of Shopify's Admin REST API, as its webhooks send it."),
  examples: {
    product: {
      summary: 'products/update',
      value: {
        id: 8_209_829_119,
        title: 'Tee',
        status: 'active',
        updated_at: '2026-11-21T10:00:00Z',
        variants: [{ price: '19.99', compare_at_price: '24.99', inventory_quantity: 7, sku: 'TEE-1' }],
        images: [{ src: 'https://cdn.example.com/tee.png' }],
      },
    },
    order: {
      summary: 'orders/create',
      value: {
        id: 5_012_345,
        name: '#1001',
        currency: 'EUR',
        total_price: '19.99',
        financial_status: 'paid',
        phone: '+4915123456789',
        updated_at: '2026-11-21T10:05:00Z',
        processed_at: '2026-11-21T10:05:00Z',
        line_items: [{ id: 1, title: 'Tee', quantity: 1, price: '19.99' }],
      },
    },
  },
};

const wooCommerceBody = {
  schema: z
    .looseObject({ id: z.int().optional().describe("WooCommerce's id of the record.") })
    .describe("A record of WooCommerce's REST API, as its webhooks send it."),
  examples: {
    order: {
      summary: 'order.created',
      value: {
        id: 727,
        number: '727',
        status: 'processing',
        currency: 'EUR',
        total: '29.35',
        date_modified_gmt: '2026-11-21T10:05:00',
        billing: { first_name: 'Ada', phone: '+4915123456789', country: 'DE' },
        line_items: [{ id: 1, name: 'Watering can', quantity: 1, price: 29.35, total: '29.35' }],
      },
    },
  },
};

const parcelBody = {
  schema: z
    .looseObject({
      order_number: z.string().optional().describe('Number of the order, with or without #. Give it or the tracking number.'),
      tracking_number: z.string().optional().describe('Tracking number of the parcel; `awb` is the same.'),
      current_status: z.string().optional().describe('Status of the parcel, for example "In Transit"; `status` is the same.'),
      tracking_url: z.string().optional().describe('Tracking page of the parcel.'),
      courier_name: z.string().optional().describe('Name of the courier.'),
      current_timestamp: z.string().optional().describe('When the status was reached: ISO 8601. Without a zone it is Indian time.'),
    })
    .describe(
      'A parcel status in our own form. The payloads of Shiprocket, Delhivery, AfterShip, Sendcloud and similar providers are read as well.',
    ),
  examples: {
    transit: {
      summary: 'A parcel is on its way',
      value: {
        order_number: 'A-1042',
        tracking_number: '1Z999',
        current_status: 'In Transit',
        tracking_url: 'https://tracking.example/1Z999',
        courier_name: 'UPS',
        current_timestamp: '2026-11-21T10:05:00Z',
      },
    },
  },
};

const cartBody = {
  schema: z
    .looseObject({
      event: z
        .enum(['checkout.created', 'checkout.updated', 'checkout.abandoned', 'checkout.completed'])
        .optional()
        .describe('What happened. The topic may also be in the header `X-Webhook-Topic`.'),
      checkout_id: z.string().describe('Id of the checkout. It identifies the cart in every event.'),
      customer: z
        .looseObject({
          name: z.string().optional().describe("The customer's name."),
          phone: z.string().optional().describe("The customer's phone number with country code."),
          email: z.string().optional().describe("The customer's email."),
          country: z.string().optional().describe('ISO 3166-1 alpha-2 country of a phone number without a country code.'),
          marketing_consent: z.boolean().optional().describe('False: the customer gets no reminder.'),
        })
        .optional()
        .describe('The customer.'),
      cart_url: z.string().optional().describe('URL that reopens the cart.'),
      total_amount: z.string().optional().describe('Total as decimal text.'),
      currency: z.string().optional().describe('ISO 4217 currency.'),
      items: z
        .array(z.looseObject({ name: z.string().describe('Name of the item.') }))
        .optional()
        .describe('Items of the cart.'),
      updated_at: z.string().optional().describe('When the cart changed: ISO 8601. The time of receipt by default.'),
    })
    .describe('A cart in our own form. The payloads of GoKwik, Shopflo, Razorpay Magic and similar providers are read as well.'),
  examples: {
    left: {
      summary: 'A cart was opened',
      value: {
        event: 'checkout.updated',
        checkout_id: 'cart-17',
        customer: { name: 'Ada', phone: '+4915123456789' },
        cart_url: 'https://shop.example/cart/17',
        total_amount: '19.90',
        currency: 'EUR',
        items: [{ name: 'Watering can' }],
      },
    },
  },
};

const testBody = {
  schema: z.looseObject({}).describe('Any body.'),
  examples: { hello: { summary: 'Any event', value: { event: 'hello' } } },
};

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
      'Takes products, orders, fulfilments and checkouts of a Shopify store, in any order and any number of times. Shopify signs the body in `X-Shopify-Hmac-Sha256` and names the topic in `X-Shopify-Topic`. Read topics: products/create, products/update, products/delete, orders/create, orders/updated, orders/paid, orders/cancelled, orders/fulfilled, orders/partially_fulfilled, fulfillments/create, fulfillments/update, fulfillment_events/create, checkouts/create, checkouts/update, checkouts/delete and app/uninstalled. Other topics are ignored.',
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
      'Opens, changes or ends a cart. When no order follows within the delay in the shop automation settings, the customer gets one reminder. A cart with `marketing_consent: false` gets none. If the receiver has a signing secret, send the HMAC-SHA256 of the body in `X-Webhook-Signature`.',
    documents: cartBody,
  }),
  receiveTest: route({
    ...receiverRoute('test', 'webhook_token'),
    ...byWebhookToken,
    summary: 'Test a webhook',
    description:
      'Returns what was received and whether its signature is valid, so that you can verify the setup of a webhook. Calls are stored for 24 hours.',
    documents: testBody,
    answers: { 200: testResponse },
    errors: ['invalid_webhook_token'],
  }),
};
