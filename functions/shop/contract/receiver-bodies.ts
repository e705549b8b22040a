import * as z from 'zod';
import { besideFields, numberAsText, text } from '../../../shared/contract/fields.ts';
import { amount, currency } from './amount.ts';
import { itemBody, orderStatus, trackingFields } from './order.ts';

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
  }, besideFields);

export const orderStatusData = z.object({
  order_number: orderNumber,
  status: orderStatus.optional().describe('The new status; unchanged by default.'),
  ...trackingFields,
});

/** The documented bodies of the receivers. They are never parsed: signatures cover the raw bytes, and foreign payloads vary. */
export const customBody = {
  schema: z
    .discriminatedUnion('event', [
      z.object({
        event: z.literal('order.placed').describe('An order was placed or changed.'),
        data: orderPlacedData.describe('The order.'),
      }),
      z.object({
        event: z.literal('order.status_updated').describe('The status or the tracking of an order changed.'),
        data: orderStatusData.describe('What changed.'),
      }),
    ])
    .meta({ id: 'ReceiveCustomRequest' }),
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

export const shopifyBody = {
  schema: z
    .looseObject({ id: z.int().optional().describe("Shopify's id of the record.") })
    .meta({ id: 'ReceiveStoreplatformRequest', description: "A record of Shopify's Admin REST API, as its webhooks send it." }),
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

export const wooCommerceBody = {
  schema: z
    .looseObject({ id: z.int().optional().describe("WooCommerce's id of the record.") })
    .meta({ id: 'ReceiveWebshopRequest', description: "A record of WooCommerce's REST API, as its webhooks send it." }),
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

export const parcelBody = {
  schema: z
    .looseObject({
      order_number: z.string().optional().describe('Number of the order, with or without #. Give it or the tracking number.'),
      tracking_number: z.string().optional().describe('Tracking number of the parcel; `awb` is the same.'),
      current_status: z.string().optional().describe('Status of the parcel, for example "In Transit"; `status` is the same.'),
      tracking_url: z.string().optional().describe('Tracking page of the parcel.'),
      courier_name: z.string().optional().describe('Name of the courier.'),
      current_timestamp: z.string().optional().describe('When the status was reached: ISO 8601. Without a zone it is Indian time.'),
    })
    .meta({
      id: 'ReceiveLogisticsRequest',
      description:
        'A parcel status in our own form. The payloads of Shiprocket, Delhivery, AfterShip, Sendcloud and similar providers are read as well.',
    }),
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

export const cartBody = {
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
    .meta({
      id: 'ReceiveCheckoutRequest',
      description: 'A cart in our own form. The payloads of GoKwik, Shopflo, Razorpay Magic and similar providers are read as well.',
    }),
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

export const testBody = {
  schema: z.looseObject({}).meta({ id: 'ReceiveTestRequest', description: 'Any body.' }),
  examples: { hello: { summary: 'Any event', value: { event: 'hello' } } },
};
