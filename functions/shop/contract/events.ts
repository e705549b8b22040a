import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { orderStatuses } from '../domain/status.ts';

/** What listeners hear of a shop (S29). */
const product = z.object({ product_id: z.int(), external_id: z.string().nullable(), external_source: z.string().nullable() });

export const productCreated = event({ name: 'product.created', purpose: 'A product is in the catalog', detail: product });
export const productUpdated = event({ name: 'product.updated', purpose: 'A product changed', detail: product });
export const productDeleted = event({ name: 'product.deleted', purpose: 'A product left the catalog', detail: product });

const order = z
  .object({
    order_id: z.int(),
    order_number: z.string(),
    status: z.enum(orderStatuses),
    source: z.string(),
    contact_id: z.int().nullable(),
    total_amount: z.string(),
    currency: z.string(),
    tracking_number: z.string().nullable(),
    tracking_url: z.string().nullable(),
    at: timestamp,
  })
  .meta({ id: 'OrderEventData' });

export const orderCreated = event({ name: 'order.created', purpose: 'An order was placed', detail: order });
export const orderUpdated = event({ name: 'order.updated', purpose: 'An order changed, its status not', detail: order });
export const orderStatusUpdated = event({
  name: 'order.status_updated',
  purpose: 'An order has another status',
  detail: order.extend({ from: z.enum(orderStatuses), is_regression: z.boolean() }),
});

export const cartAbandoned = event({
  name: 'cart.abandoned',
  purpose: 'A checkout was left without an order for as long as the company set',
  detail: z.object({
    checkout_id: z.string(),
    source: z.string(),
    customer_name: z.string().nullable(),
    customer_phone: z.string().nullable(),
    customer_email: z.string().nullable(),
    total_amount: z.string().nullable(),
    currency: z.string().nullable(),
    cart_url: z.string().nullable(),
    items: z.array(z.string()),
    /** Whether a reminder went out; if not, why. */
    reminded: z.boolean(),
    reason: z.string().nullable(),
    started_at: timestamp,
    at: timestamp,
  }),
});
