import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { besideFields, email, id, numberAsText, paging, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { missingReason } from '../../../shared/contract/refusal-words.ts';
import { route } from '../../../shared/contract/route.ts';
import { orderStatuses, matchStatus } from '../domain/status.ts';
import { amount, isoTimeInput, httpUrl } from './amount.ts';
import { byId, defaultListLimit, maxListLimit, shopPaths, shopReader, shopWriter } from './product.ts';
import { orderSources, sources } from './stored.ts';

const money = z.string().describe("Decimal text with the currency's number of digits.");

const orderLineRecord = z
  .object({
    id: z.string().nullable().describe('Id of the line in its source, or null.'),
    product_id: z.int().nullable().describe('Id of the product, or null.'),
    external_id: z.string().nullable().describe('Id of the product in its source, or null.'),
    sku: z.string().nullable().describe('Stock keeping unit, or null.'),
    name: z.string().describe('Name of the item.'),
    quantity: z.int().describe('Number of pieces.'),
    price: money.describe('Price of one piece.'),
    total: money.describe('Total of the line.'),
    image: z.string().nullable().describe('URL of an image, or null.'),
  })
  .meta({ id: 'OrderLine', description: 'A line of an order.' });

/** An order in the API. */
export const orderRecord = z
  .object({
    id: z.int().describe('Id of the order.'),
    order_number: z.string().describe('Number of the order in its source.'),
    status: z.enum(orderStatuses).describe('Status of the order.'),
    source: z.enum(sources).describe('Where the order comes from.'),
    external_id: z.string().nullable().describe('Id of the order in its source.'),
    total_amount: money.describe("Total as decimal text with the currency's number of digits."),
    subtotal: money.nullable().describe('Sum of the lines before shipping, discount and tax, or null.'),
    shipping_amount: money.nullable().describe('Shipping costs, or null.'),
    discount_amount: money.nullable().describe('Discount, or null.'),
    tax_amount: money.nullable().describe('Tax, or null.'),
    refunded_amount: money.nullable().describe('What the source paid back so far, or null when it does not say.'),
    currency: z.string().describe('ISO 4217 currency of the amounts.'),
    customer_name: z.string().nullable().describe('Name of the customer, or null.'),
    customer_phone: z
      .string()
      .nullable()
      .describe("Digits with country code, the source's own text when it is not a phone number, or null."),
    customer_email: z.string().nullable().describe('Email of the customer, or null.'),
    contact_id: z.int().nullable().describe("Id of the customer's contact, or null."),
    contact: z
      .object({
        id: z.int().describe('Id of the contact.'),
        name: z.string().nullable().describe('Name of the contact, or null.'),
        phone: z.string().describe('Digits of the phone number with country code.'),
        email: z.string().nullable().describe('Email of the contact, or null. That of the order is customer_email.'),
      })
      .nullable()
      .describe("The customer's contact, or null."),
    items: z.array(orderLineRecord).describe('Lines of the order.'),
    shipping_address: z.record(z.string(), z.string()).nullable().describe("Address fields by the source's names, or null."),
    notes: z.string().nullable().describe("The customer's note, or null."),
    tracking_number: z.string().nullable().describe('Tracking number of the parcel, or null.'),
    tracking_url: z.string().nullable().describe('Tracking page of the parcel, or null.'),
    parcel_events: z
      .array(
        z.object({
          status: z.string().describe("The report in the carrier's words, for example `Out For Delivery`."),
          at: timestamp.describe('When it happened.'),
        }),
      )
      .describe('The last 20 reports about the parcel, oldest first.'),
    status_history: z
      .array(
        z.object({
          from: z.enum(orderStatuses).nullable().describe('The previous status, or null for the first one.'),
          to: z.enum(orderStatuses).describe('The new status.'),
          source: z.string().describe('What changed the status.'),
          at: timestamp.describe('When the status changed.'),
          is_regression: z.boolean().describe('Whether the order moved back.'),
          is_stale: z.boolean().describe('The update arrived after a newer one, so it did not change the status.'),
        }),
      )
      .describe('The last 100 statuses, oldest first.'),
    placed_at: timestamp.describe('When the order was placed.'),
    version: z.int().describe('Number of versions of the order, from 1.'),
    created_at: timestamp.describe('When the order was stored.'),
    updated_at: timestamp.describe('When the order last changed.'),
  })
  .meta({ id: 'Order', description: 'An order.' });
export type OrderRecord = z.output<typeof orderRecord>;

/** In any case; the reference shows the one that answers have. */
export const orderStatus = text(20, 1)
  .transform((value, context) => {
    const status = matchStatus(orderStatuses, value);
    if (status !== undefined) return status;
    context.addIssue({ code: 'custom', message: `Must be one of ${orderStatuses.join(', ')}.` });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', enum: [...orderStatuses] } });

/** An order line in a request. */
export const itemBody = z
  .object({
    id: z
      .union([text(64), numberAsText])
      .nullish()
      .describe('Your id of the line.'),
    product_id: id.nullish().describe('Id of a product of the catalog. Its name, price, SKU and image fill missing fields.'),
    external_id: z
      .union([text(191), numberAsText])
      .nullish()
      .describe('Your id of the product.'),
    sku: text(100).nullish().describe('Stock keeping unit.'),
    name: text(1_000).nullish().describe('Name of the item. Required without product_id.'),
    quantity: wholeNumber(1, 1_000_000).describe('Number of pieces.'),
    price: amount.optional().describe('Price of one piece. Required without product_id.'),
    total: amount.optional().describe('Total of the line; price times quantity by default.'),
    image: httpUrl.nullish().describe('URL of an image.'),
  })
  .superRefine((item, context) => {
    if (!item.name && item.product_id == null)
      context.addIssue({ code: 'custom', path: ['name'], message: 'Give a name or a product_id.' });
    if (item.price === undefined && item.product_id == null) context.addIssue({ code: 'custom', path: ['price'], message: missingReason });
  }, besideFields)
  .meta({ id: 'OrderLineInput' });
export type ItemBody = z.output<typeof itemBody>;

export const trackingFields = {
  tracking_number: text(255).nullish().describe('Tracking number of the parcel. Null or an empty text clears it.'),
  tracking_url: z
    .union([z.literal('').transform(() => null), httpUrl], { error: 'Must be an http or https URL.' })
    .nullish()
    .describe('Tracking page of the parcel. Null or an empty text clears it.'),
};

const updateBody = z
  .object({
    status: orderStatus.describe('The new status.'),
    items: z
      .array(itemBody, { error: 'Must be an array; an empty array keeps the lines.' })
      .max(1_000)
      .describe('The new lines. An empty array keeps the stored ones.'),
    customer_phone: text(64).nullish().describe("The customer's phone number with country code. Required without an email."),
    email: z
      .union([z.literal('').transform(() => null), email])
      .nullish()
      .describe('The same as customer_email.'),
    customer_email: z
      .union([z.literal('').transform(() => null), email])
      .nullish()
      .describe("The customer's email. Required without customer_phone; null clears it."),
    customer_name: text(255).nullish().describe("The customer's name. Null or an empty text clears it."),
    total_amount: amount.optional().describe('Total of the order; the sum of the new lines by default.'),
    notes: text(5_000).nullish().describe('A note on the order. Null or an empty text clears it.'),
    ...trackingFields,
  })
  .superRefine((body, context) => {
    if (!body.customer_phone && !body.email && !body.customer_email)
      context.addIssue({ code: 'custom', path: ['customer_phone'], message: 'Give a phone or an email.' });
  }, besideFields)
  .transform(({ email: one, customer_email, ...body }) => ({
    ...body,
    customer_email: customer_email || one || (customer_email === null ? null : one),
  }));
export type OrderBody = z.output<typeof updateBody>;

const statusBody = z.object({ status: orderStatus.describe('The new status.'), ...trackingFields });
export type StatusBody = z.output<typeof statusBody>;

export const orderQuery = paging(defaultListLimit, maxListLimit, {
  status: orderStatus.optional().describe('Only orders with this status.'),
  search: text(255).optional().describe("Text in the order number or in the customer's name or phone number."),
  customer_phone: text(64).optional().describe("The customer's phone number."),
  from: isoTimeInput.optional().describe('Only orders placed at this time or later.'),
  to: isoTimeInput.optional().describe('Only orders placed at this time or earlier.'),
  source: z
    .enum(orderSources, { error: `Must be one of ${orderSources.join(', ')}.` })
    .optional()
    .describe('Only orders of this source.'),
  updated_from: isoTimeInput.optional().describe('Only orders changed at this time or later.'),
});
export type OrderQuery = z.output<typeof orderQuery>;

export const orderRoutes = {
  listOrders: route({
    method: 'GET',
    ...shopPaths('/orders'),
    summary: 'List orders',
    description:
      'Returns orders with their contacts, newest first. Filters can be combined. Orders come from connected stores, checkouts and your own system through the receivers.',
    caller: shopReader,
    limit: 'shop_read',
    query: orderQuery,
    answers: { 200: paginated(orderRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getOrder: route({
    method: 'GET',
    ...shopPaths('/orders/{id}'),
    summary: 'Get an order',
    description: 'Returns one order with its contact, lines, tracking and status history.',
    caller: shopReader,
    limit: 'shop_read',
    params: byId,
    answers: { 200: success(orderRecord) },
    errors: ['not_found'],
  }),
  updateOrder: route({
    method: 'PUT',
    ...shopPaths('/orders/{id}'),
    summary: 'Update an order',
    description:
      'Replaces lines, customer data, status and tracking of an order. An empty `items` keeps the lines; other items replace them, and the total becomes their sum unless you give it. A new status may send the customer a message; see the shop automation settings.',
    caller: shopWriter,
    limit: 'shop_write',
    params: byId,
    body: updateBody.meta({ id: 'UpdateOrderRequest' }),
    answers: { 200: success(orderRecord) },
    errors: ['not_found', 'validation_failed', 'transition_refused', 'conflict'],
  }),
  updateOrderStatus: route({
    method: 'PUT',
    ...shopPaths('/orders/{id}/status'),
    summary: 'Update the status of an order',
    description:
      'Changes the status of an order, and its tracking where given. Going back is allowed and marked as a regression, unless the shop has strict order transitions. A new status may send the customer a message; see the shop automation settings.',
    caller: shopWriter,
    limit: 'shop_write',
    params: byId,
    body: statusBody.meta({ id: 'UpdateOrderStatusRequest' }),
    answers: { 200: success(orderRecord) },
    errors: ['not_found', 'validation_failed', 'transition_refused', 'conflict'],
  }),
};
