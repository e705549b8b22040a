import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { email, id, numberAsText, paging, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { orderStatuses, matchStatus } from '../domain/status.ts';
import { amount, isoTimeInput, httpUrl } from './amount.ts';
import { byId, defaultListLimit, maxListLimit, shopPaths, shopReader, shopWriter } from './product.ts';
import { sources } from './stored.ts';

const money = z.string().meta({ description: "Decimal text with the currency's own digits." });

/** An order on the wire (2§2, S10). */
export const orderRecord = z
  .object({
    id: z.int(),
    order_number: z.string(),
    status: z.enum(orderStatuses),
    source: z.enum(sources),
    external_id: z.string().nullable(),
    total_amount: money,
    subtotal: money.nullable(),
    shipping_amount: money.nullable(),
    discount_amount: money.nullable(),
    tax_amount: money.nullable(),
    currency: z.string(),
    customer_name: z.string().nullable(),
    customer_phone: z.string().nullable(),
    customer_email: z.string().nullable(),
    contact_id: z.int().nullable(),
    contact: z.object({ id: z.int(), name: z.string().nullable(), phone: z.string(), email: z.string().nullable() }).nullable(),
    items: z.array(
      z.object({
        id: z.string().nullable(),
        product_id: z.int().nullable(),
        external_id: z.string().nullable(),
        sku: z.string().nullable(),
        name: z.string(),
        quantity: z.int(),
        price: money,
        total: money,
        image: z.string().nullable(),
      }),
    ),
    shipping_address: z.record(z.string(), z.string()).nullable(),
    notes: z.string().nullable(),
    tracking_number: z.string().nullable(),
    tracking_url: z.string().nullable(),
    status_history: z.array(
      z.object({
        from: z.enum(orderStatuses).nullable(),
        to: z.enum(orderStatuses),
        source: z.string(),
        at: timestamp,
        is_regression: z.boolean(),
        is_stale: z.boolean().meta({ description: 'Told later than what it says: kept as history, the status did not follow.' }),
      }),
    ),
    placed_at: timestamp,
    version: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Order' });
export type OrderRecord = z.output<typeof orderRecord>;

export const orderStatus = text(20, 1).transform((value, context) => {
  const status = matchStatus(orderStatuses, value);
  if (status !== undefined) return status;
  context.addIssue({ code: 'custom', message: `Must be one of ${orderStatuses.join(', ')}.` });
  return z.NEVER;
});

/** A line of an order as given (S11). */
export const itemBody = z
  .object({
    id: z.union([text(64), numberAsText]).nullish(),
    product_id: id.nullish(),
    external_id: z.union([text(191), numberAsText]).nullish(),
    sku: text(100).nullish(),
    name: text(1_000).nullish(),
    quantity: wholeNumber(1, 1_000_000),
    price: amount.optional(),
    total: amount.optional(),
    image: httpUrl.nullish(),
  })
  .superRefine((item, context) => {
    if (!item.name && item.product_id == null)
      context.addIssue({ code: 'custom', path: ['name'], message: 'A name or a product_id is needed.' });
    if (item.price === undefined && item.product_id == null)
      context.addIssue({ code: 'custom', path: ['price'], message: 'This field is required.' });
  });
export type ItemBody = z.output<typeof itemBody>;

export const trackingFields = {
  tracking_number: text(255).nullish(),
  tracking_url: z.union([z.literal('').transform(() => null), httpUrl], { error: 'Must be an http or https address.' }).nullish(),
};

const updateBody = z
  .object({
    status: orderStatus,
    items: z.array(itemBody, { error: 'Must be a list; an empty one leaves the lines as they are.' }).max(1_000),
    customer_phone: text(64).nullish(),
    email: z.union([z.literal('').transform(() => null), email]).nullish(),
    customer_email: z.union([z.literal('').transform(() => null), email]).nullish(),
    customer_name: text(255).nullish(),
    total_amount: amount.optional(),
    notes: text(5_000).nullish(),
    ...trackingFields,
  })
  .superRefine((body, context) => {
    if (!body.customer_phone && !body.email && !body.customer_email)
      context.addIssue({ code: 'custom', path: ['customer_phone'], message: 'Needed when no email is given.' });
  })
  .transform(({ email: one, customer_email, ...body }) => ({ ...body, customer_email: customer_email ?? one }));
export type OrderBody = z.output<typeof updateBody>;

const statusBody = z.object({ status: orderStatus, ...trackingFields });
export type StatusBody = z.output<typeof statusBody>;

export const orderQuery = paging(defaultListLimit, maxListLimit, {
  status: orderStatus.optional(),
  search: text(255).optional(),
  customer_phone: text(64).optional(),
  from: isoTimeInput.optional(),
  to: isoTimeInput.optional(),
  source: z.enum(sources, { error: `Must be one of ${sources.join(', ')}.` }).optional(),
  updated_from: isoTimeInput.optional(),
});
export type OrderQuery = z.output<typeof orderQuery>;

export const orderRoutes = {
  listOrders: route({
    method: 'GET',
    ...shopPaths('/orders'),
    summary: 'List orders, newest first, each with its contact',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    query: orderQuery,
    answers: { 200: paginated(orderRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getOrder: route({
    method: 'GET',
    ...shopPaths('/orders/{id}'),
    summary: 'An order with its contact',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    params: byId,
    answers: { 200: success(orderRecord) },
    errors: ['not_found'],
  }),
  updateOrder: route({
    method: 'PUT',
    ...shopPaths('/orders/{id}'),
    summary: 'Change an order: status, lines, customer, tracking',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    body: updateBody,
    answers: { 200: success(orderRecord) },
    errors: ['not_found', 'validation_failed', 'transition_refused', 'conflict'],
  }),
  updateOrderStatus: route({
    method: 'PUT',
    ...shopPaths('/orders/{id}/status'),
    summary: "Change an order's status, and its tracking where given",
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    body: statusBody,
    answers: { 200: success(orderRecord) },
    errors: ['not_found', 'validation_failed', 'transition_refused', 'conflict'],
  }),
};
