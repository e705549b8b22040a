import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { orderStatuses } from '../domain/status.ts';

/** The shop's outgoing events. */
const product = z
  .object({
    product_id: z.int().describe('Id of the product.'),
    external_id: z.string().nullable().describe('Id of the product in its source, or null.'),
    external_source: z.string().nullable().describe('Where the product comes from, or null when it was created through the API.'),
  })
  .meta({ id: 'ProductEventData', description: 'A product in an event.' });

export const productCreated = event({ name: 'product.created', purpose: 'A product was added to the catalog', detail: product });
export const productUpdated = event({ name: 'product.updated', purpose: 'A product changed', detail: product });
export const productDeleted = event({ name: 'product.deleted', purpose: 'A product was removed from the catalog', detail: product });

const order = z
  .object({
    order_id: z.int().describe('Id of the order.'),
    order_number: z.string().describe('Number of the order in its source.'),
    status: z.enum(orderStatuses).describe('Status of the order.'),
    source: z.string().describe('Where the order comes from.'),
    contact_id: z.int().nullable().describe("Id of the customer's contact, or null."),
    total_amount: z.string().describe("Total as decimal text with the currency's number of digits."),
    currency: z.string().describe('ISO 4217 currency.'),
    tracking_number: z.string().nullable().describe('Tracking number of the parcel, or null.'),
    tracking_url: z.string().nullable().describe('Tracking page of the parcel, or null.'),
    parcel_status: z.string().nullable().describe("The latest report about the parcel in the carrier's words, or null."),
    at: timestamp.describe('When the order changed.'),
  })
  .meta({ id: 'OrderEventData', description: 'An order in an event.' });

const loggedOrder = order.pick({ order_id: true, order_number: true, status: true, source: true });

/** Ids and states alone: a parcel's page and a customer's basket are personal. */
const orderLog = ({ order_id, order_number, status, source }: z.output<typeof order>) => ({
  subject: `order:${order_id}`,
  by: { kind: 'token' as const },
  data: { order_id, order_number, status, source },
});

export const orderCreated = event({
  name: 'order.created',
  purpose: 'An order was placed',
  detail: order,
  log: orderLog,
  logData: loggedOrder,
});
export const orderUpdated = event({
  name: 'order.updated',
  purpose: 'An order changed without a new status',
  detail: order,
  log: orderLog,
  logData: loggedOrder,
});
export const orderStatusUpdated = event({
  name: 'order.status_updated',
  purpose: 'The status of an order changed',
  log: orderLog,
  logData: loggedOrder,
  detail: order.extend({
    from: z.enum(orderStatuses).describe('The previous status.'),
    is_regression: z.boolean().describe('Whether the order moved back, for example from Delivered to Pending.'),
  }),
});

const abandonedCart = z.object({
  checkout_id: z.string().describe('Id of the checkout in its source.'),
  source: z.string().describe('Where the checkout comes from.'),
  total_amount: z.string().nullable().describe('Total as decimal text, or null.'),
  currency: z.string().nullable().describe('ISO 4217 currency, or null.'),
  items: z.array(z.string()).describe('Names of the items.'),
  reminded: z.boolean().describe('Whether a reminder was sent.'),
  reason: z.string().nullable().describe('Why no reminder was sent, or null.'),
  started_at: timestamp.describe('When the cart was opened.'),
  at: timestamp.describe('When the cart was found abandoned.'),
});

export const cartAbandoned = event({
  name: 'cart.abandoned',
  purpose: 'A checkout was abandoned: no order followed within the delay in the shop settings',
  logData: abandonedCart.pick({ checkout_id: true, source: true, reminded: true }),
  log: ({ checkout_id, source, reminded }) => ({
    subject: `cart:${checkout_id.replace(/[^\w-]/g, '')}`,
    by: { kind: 'customer' },
    data: { checkout_id, source, reminded },
  }),
  detail: abandonedCart.extend({ cart_key: z.string().describe('Key of the cart, by which its customer is read.') }),
  webhookData: abandonedCart.extend({
    customer_name: z.string().nullable().describe('Name of the customer, or null.'),
    customer_phone: z.string().nullable().describe('Digits of the phone number with country code, or null.'),
    customer_email: z.string().nullable().describe('Email of the customer, or null.'),
    cart_url: z.string().nullable().describe('URL that reopens the cart, or null.'),
  }),
});
