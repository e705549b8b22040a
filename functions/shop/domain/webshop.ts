import * as z from 'zod';
import type { PlatformEvent } from '../contract/platform-event.ts';
import { isCurrency } from './money.ts';
import { count, decodeEntities, truncate, decimal, isIdAlone, listOf, optionalObject, utcInstant, optionalText } from './payload.ts';
import type { OrderStatus } from './status.ts';
import type { PlatformWebhook } from './platform-webhook.ts';

/** Normalizes the webhooks of the second store platform (WooCommerce payloads). Its `*_gmt` times are UTC without a Z. */
export const normalizeWebshop = (webhook: PlatformWebhook): PlatformEvent | undefined => {
  switch (webhook.topic) {
    case 'product.created':
    case 'product.updated':
    case 'product.restored':
      return product(webhook);
    case 'product.deleted':
      return deletion(webhook, 'product-deleted');
    case 'order.created':
    case 'order.updated':
    case 'order.restored':
      return order(webhook);
    case 'order.deleted':
      return deletion(webhook, 'order-deleted');
    default:
      return undefined;
  }
};

/** WooCommerce pings a new webhook with an unsigned, form-encoded body. */
export const isPing = (raw: string): boolean => /^webhook_id=\d{1,20}$/.test(raw.trim());

const orderStatuses: ReadonlyMap<string, OrderStatus> = new Map([
  ['pending', 'Pending'],
  ['processing', 'Processing'],
  ['on-hold', 'Processing'],
  ['completed', 'Fulfilled'],
  ['cancelled', 'Cancelled'],
  ['failed', 'Cancelled'],
  ['refunded', 'Refunded'],
]);

const productShape = z.object({
  id: optionalText,
  parent_id: optionalText,
  type: optionalText,
  name: optionalText,
  description: optionalText,
  status: optionalText,
  sku: optionalText,
  price: decimal,
  regular_price: decimal,
  sale_price: decimal,
  stock_quantity: count,
  manage_stock: z.union([z.boolean(), z.string()]).optional(),
  stock_status: optionalText,
  images: listOf(z.object({ src: optionalText })),
  date_modified_gmt: utcInstant,
});

/** Variations are parts of a product and are ignored. A variable product has no price of its own, so the stored price stays; a new one
 * has none until a payload names it. */
function product({ body, triggeredAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = productShape.parse(body);
  if (read.id === undefined || read.name === undefined || read.type === 'variation' || Number(read.parent_id ?? 0) > 0) return undefined;
  const isReduced = read.sale_price !== undefined && read.regular_price !== undefined && read.regular_price !== read.price;
  return {
    kind: 'product',
    source: 'webshop',
    externalId: read.id,
    at: read.date_modified_gmt,
    reportedAt: triggeredAt,
    name: truncate(decodeEntities(read.name), 255),
    description: read.description === undefined ? null : truncate(read.description, 65_535),
    ...(read.price === undefined ? {} : { price: read.price }),
    compareAt: isReduced ? read.regular_price : null,
    stock: read.stock_quantity,
    ...(read.manage_stock === undefined ? {} : { isUncounted: read.manage_stock === false && read.stock_status !== 'outofstock' }),
    status: read.status === 'publish' ? 'Active' : 'Draft',
    image: read.images[0]?.src ?? null,
    sku: read.sku ?? null,
    productType: read.type ?? null,
  };
}

/**
 * WooCommerce sends `{"id": 5}` for a deletion and nothing else
 * (https://woocommerce.com/document/webhooks/). A record under such a topic deletes nothing: the topic is a header, and not signed.
 */
function deletion(
  { body, triggeredAt, receivedAt }: PlatformWebhook,
  kind: 'product-deleted' | 'order-deleted',
): PlatformEvent | undefined {
  const { id } = z.object({ id: optionalText }).parse(body);
  return id === undefined || !isIdAlone(body) ? undefined : { kind, source: 'webshop', externalId: id, at: triggeredAt ?? receivedAt };
}

const address = optionalObject({
  first_name: optionalText,
  last_name: optionalText,
  company: optionalText,
  address_1: optionalText,
  address_2: optionalText,
  city: optionalText,
  state: optionalText,
  postcode: optionalText,
  country: optionalText,
  email: optionalText,
  phone: optionalText,
});

const orderShape = z.object({
  id: optionalText,
  number: optionalText,
  status: optionalText,
  currency: optionalText,
  total: decimal,
  total_tax: decimal,
  shipping_total: decimal,
  discount_total: decimal,
  billing: address,
  shipping: address,
  customer_note: optionalText,
  refunds: listOf(z.object({ total: decimal })),
  date_created_gmt: utcInstant,
  date_modified_gmt: utcInstant,
  date_modified: utcInstant,
  line_items: listOf(
    z.object({
      id: optionalText,
      name: optionalText,
      product_id: optionalText,
      quantity: count,
      price: decimal,
      subtotal: decimal,
      total: decimal,
      sku: optionalText,
    }),
  ),
});

/**
 * Returns undefined for an error body (no id) and for a checkout draft. An unknown status, such as a plugin's, leaves the order's status as
 * it is.
 */
function order({ body, triggeredAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = orderShape.parse(body);
  const state = (read.status ?? '').replace(/^wc-/, '');
  if (read.id === undefined || read.currency === undefined || !isCurrency(read.currency) || state === 'checkout-draft') return undefined;
  const { billing, shipping } = read;
  const shipTo = shipping?.address_1 === undefined ? billing : shipping;
  const name = [billing?.first_name ?? shipping?.first_name, billing?.last_name ?? shipping?.last_name]
    .filter((each) => each !== undefined)
    .join(' ');
  const { email: _email, phone: _phone, ...address } = shipTo ?? {};
  return {
    kind: 'order',
    source: 'webshop',
    externalId: read.id,
    at: read.date_modified_gmt ?? read.date_modified,
    reportedAt: triggeredAt,
    number: truncate(read.number ?? read.id, 100),
    status: orderStatuses.get(state),
    states: { status: state },
    currency: read.currency,
    total: read.total,
    tax: read.total_tax,
    shipping: read.shipping_total,
    discount: read.discount_total,
    ...('refunds' in body ? { refunds: read.refunds.flatMap(({ total }) => total ?? []) } : {}),
    customerName: name || undefined,
    customerPhone: billing?.phone ?? shipping?.phone,
    phoneCountry: billing?.country ?? shipping?.country,
    customerEmail: billing?.email,
    items: read.line_items.flatMap((line) =>
      line.name === undefined
        ? []
        : [
            {
              id: line.id,
              productExternalId: line.product_id,
              sku: line.sku,
              name: truncate(decodeEntities(line.name), 1_000),
              quantity: line.quantity ?? 1,
              price: line.price ?? '0',
              ...(line.total === undefined ? {} : { total: line.total }),
            },
          ],
    ),
    address: Object.fromEntries(Object.entries(address).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    notes: read.customer_note === undefined ? undefined : truncate(read.customer_note, 5_000),
    placedAt: read.date_created_gmt,
  };
}
