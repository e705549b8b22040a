import * as z from 'zod';
import type { Said } from '../contract/said.ts';
import { isCurrency } from './money.ts';
import { count, cut, decimal, listOf, part, utcInstant, words } from './payload.ts';
import type { OrderStatus } from './status.ts';
import type { Told } from './storeplatform.ts';

/** The second store platform's webhooks (WooCommerce's shape) in our words (S22). Its `*_gmt` times are UTC without a Z. */
export const readWebshop = (told: Told): Said | undefined => {
  switch (told.topic) {
    case 'product.created':
    case 'product.updated':
    case 'product.restored':
      return product(told);
    case 'product.deleted':
      return gone(told, 'product-gone');
    case 'order.created':
    case 'order.updated':
    case 'order.restored':
      return order(told);
    case 'order.deleted':
      return gone(told, 'order-gone');
    default:
      return undefined;
  }
};

/** Its ping carries no signature and is form-encoded. */
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
  id: words,
  parent_id: words,
  type: words,
  name: words,
  description: words,
  status: words,
  sku: words,
  price: decimal,
  regular_price: decimal,
  sale_price: decimal,
  stock_quantity: count,
  images: listOf(z.object({ src: words })),
  date_modified_gmt: utcInstant,
});

/** Variations are parts of a product, and say nothing of it. A variable product has no price of its own: it keeps the one it has. */
function product({ body, triggeredAt }: Told): Said | undefined {
  const read = productShape.parse(body);
  if (read.id === undefined || read.name === undefined || read.type === 'variation' || Number(read.parent_id ?? 0) > 0) return undefined;
  const isReduced = read.sale_price !== undefined && read.regular_price !== undefined && read.regular_price !== read.price;
  return {
    kind: 'product',
    source: 'webshop',
    externalId: read.id,
    at: read.date_modified_gmt,
    saidAt: triggeredAt,
    name: cut(read.name, 255),
    description: read.description === undefined ? null : cut(read.description, 65_535),
    ...(read.price === undefined ? {} : { price: read.price }),
    compareAt: isReduced ? read.regular_price : null,
    stock: read.stock_quantity,
    status: read.status === 'publish' ? 'Active' : 'Draft',
    image: read.images[0]?.src ?? null,
    sku: read.sku ?? null,
    productType: read.type ?? null,
  };
}

function gone({ body, triggeredAt, receivedAt }: Told, kind: 'product-gone' | 'order-gone'): Said | undefined {
  const { id } = z.object({ id: words }).parse(body);
  return id === undefined ? undefined : { kind, source: 'webshop', externalId: id, at: triggeredAt ?? receivedAt };
}

const person = part({
  first_name: words,
  last_name: words,
  company: words,
  address_1: words,
  address_2: words,
  city: words,
  state: words,
  postcode: words,
  country: words,
  email: words,
  phone: words,
});

const orderShape = z.object({
  id: words,
  number: words,
  status: words,
  currency: words,
  total: decimal,
  total_tax: decimal,
  shipping_total: decimal,
  discount_total: decimal,
  billing: person,
  shipping: person,
  customer_note: words,
  date_created_gmt: utcInstant,
  date_modified_gmt: utcInstant,
  date_modified: utcInstant,
  line_items: listOf(
    z.object({ id: words, name: words, product_id: words, quantity: count, price: decimal, subtotal: decimal, total: decimal, sku: words }),
  ),
});

/** An error body has no id; a draft of the checkout is no order yet; a status of a plugin leaves the order where it is. */
function order({ body, triggeredAt }: Told): Said | undefined {
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
    saidAt: triggeredAt,
    number: cut(read.number ?? read.id, 100),
    status: orderStatuses.get(state),
    states: { status: state },
    currency: read.currency,
    total: read.total,
    tax: read.total_tax,
    shipping: read.shipping_total,
    discount: read.discount_total,
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
              name: cut(line.name, 1_000),
              quantity: line.quantity ?? 1,
              price: line.price ?? '0',
              ...(line.total === undefined ? {} : { total: line.total }),
            },
          ],
    ),
    address: Object.fromEntries(Object.entries(address).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    notes: read.customer_note === undefined ? undefined : cut(read.customer_note, 5_000),
    placedAt: read.date_created_gmt,
  };
}
