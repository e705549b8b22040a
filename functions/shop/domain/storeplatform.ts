import * as z from 'zod';
import type { PlatformEvent, OrderUpdate, ShipmentUpdate } from '../contract/platform-event.ts';
import { isCurrency } from './money.ts';
import { count, truncate, decimal, instant, listOf, optionalObject, optionalText, optionalBoolean } from './payload.ts';

/**
 * Normalizes the store platform's webhooks (Shopify payloads). Unknown topics and unusable payloads give undefined. The topic comes from a
 * header, which the signature does not cover, so it only selects the parser.
 */
export interface PlatformWebhook {
  topic: string;
  body: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds: the platform's trigger time, and the time of receipt. */
  triggeredAt: number | undefined;
  receivedAt: number;
  shop: string | undefined;
}

export const normalizeStoreplatform = (webhook: PlatformWebhook): PlatformEvent | undefined => {
  switch (webhook.topic) {
    case 'products/create':
    case 'products/update':
      return product(webhook);
    case 'products/delete':
      return deletion(webhook, 'product-deleted');
    case 'orders/create':
    case 'orders/updated':
    case 'orders/paid':
    case 'orders/cancelled':
    case 'orders/fulfilled':
    case 'orders/partially_fulfilled':
      return order(webhook);
    case 'fulfillments/create':
    case 'fulfillments/update':
      return fulfilment(webhook);
    case 'fulfillment_events/create':
      return carrierEvent(webhook);
    case 'checkouts/create':
    case 'checkouts/update':
    case 'checkouts/delete':
      return checkout(webhook);
    case 'app/uninstalled':
    case 'customers/data_request':
    case 'customers/redact':
    case 'shop/redact':
      return notice(webhook, webhook.topic);
    default:
      return undefined;
  }
};

const platform = 'storeplatform' as const;

const productShape = z.object({
  id: optionalText,
  title: optionalText,
  body_html: optionalText,
  vendor: optionalText,
  product_type: optionalText,
  status: optionalText,
  updated_at: instant,
  image: optionalObject({ src: optionalText }),
  images: listOf(z.object({ src: optionalText })),
  variants: listOf(z.object({ price: decimal, compare_at_price: decimal, inventory_quantity: count, sku: optionalText })),
});

const productStatus = new Map([
  ['active', 'Active'],
  ['draft', 'Draft'],
  ['archived', 'Archived'],
] as const);

/** Price, stock and SKU are the first variant's, the image is the first one. */
function product({ body, triggeredAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = productShape.parse(body);
  if (read.id === undefined || read.title === undefined) return undefined;
  const variant = read.variants[0];
  return {
    kind: 'product',
    source: platform,
    externalId: read.id,
    at: read.updated_at,
    reportedAt: triggeredAt,
    name: truncate(read.title, 255),
    description: read.body_html === undefined ? null : truncate(read.body_html, 65_535),
    ...(variant?.price === undefined ? {} : { price: variant.price }),
    compareAt: variant?.compare_at_price ?? null,
    stock: variant?.inventory_quantity,
    status: productStatus.get((read.status ?? '').toLowerCase() as 'active'),
    image: read.image?.src ?? read.images[0]?.src ?? null,
    sku: variant?.sku ?? null,
    vendor: read.vendor ?? null,
    productType: read.product_type ?? null,
  };
}

/** The payload has an id and no time, so the trigger time counts, or else the time of receipt. */
function deletion({ body, triggeredAt, receivedAt }: PlatformWebhook, kind: 'product-deleted'): PlatformEvent | undefined {
  const { id } = z.object({ id: optionalText }).parse(body);
  return id === undefined ? undefined : { kind, source: platform, externalId: id, at: triggeredAt ?? receivedAt };
}

const address = optionalObject({
  name: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  company: optionalText,
  address1: optionalText,
  address2: optionalText,
  city: optionalText,
  province: optionalText,
  zip: optionalText,
  country: optionalText,
  country_code: optionalText,
  phone: optionalText,
});

const fulfilmentShape = z.object({
  id: optionalText,
  order_id: optionalText,
  status: optionalText,
  shipment_status: optionalText,
  tracking_company: optionalText,
  tracking_number: optionalText,
  tracking_numbers: listOf(optionalText),
  tracking_url: optionalText,
  tracking_urls: listOf(optionalText),
  updated_at: instant,
  created_at: instant,
});

const orderShape = z.object({
  id: optionalText,
  name: optionalText,
  order_number: optionalText,
  email: optionalText,
  contact_email: optionalText,
  phone: optionalText,
  currency: optionalText,
  current_total_price: decimal,
  total_price: decimal,
  current_subtotal_price: decimal,
  subtotal_price: decimal,
  total_discounts: decimal,
  total_tax: decimal,
  total_shipping_price_set: optionalObject({ shop_money: optionalObject({ amount: decimal }) }),
  financial_status: optionalText,
  fulfillment_status: optionalText,
  cancelled_at: optionalText,
  created_at: instant,
  processed_at: instant,
  updated_at: instant,
  note: optionalText,
  customer: optionalObject({ first_name: optionalText, last_name: optionalText, phone: optionalText, email: optionalText }),
  shipping_address: address,
  billing_address: address,
  line_items: listOf(
    z.object({
      id: optionalText,
      product_id: optionalText,
      sku: optionalText,
      title: optionalText,
      name: optionalText,
      quantity: count,
      current_quantity: count,
      price: decimal,
    }),
  ),
  fulfillments: listOf(fulfilmentShape),
  checkout_token: optionalText,
  checkout_id: optionalText,
  cart_token: optionalText,
});

function order({ body, topic, triggeredAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = orderShape.parse(body);
  const number = read.name ?? read.order_number;
  if (read.id === undefined || number === undefined || read.currency === undefined || !isCurrency(read.currency)) return undefined;
  const shipTo = read.shipping_address ?? read.billing_address;
  const customerName = [read.customer?.first_name, read.customer?.last_name].filter((name) => name !== undefined).join(' ');
  const states = {
    financial_status: read.financial_status,
    fulfillment_status: read.fulfillment_status ?? (topic === 'orders/fulfilled' ? 'fulfilled' : undefined),
    cancelled_at: read.cancelled_at ?? (topic === 'orders/cancelled' ? 'by topic' : undefined),
  };
  const update: OrderUpdate = {
    kind: 'order',
    source: platform,
    externalId: read.id,
    at: read.updated_at,
    reportedAt: triggeredAt,
    number: truncate(number, 100),
    states: definedFields(states),
    shipments: read.fulfillments.flatMap((each) => shipment(each, read.updated_at ?? 0) ?? []),
    currency: read.currency,
    total: read.current_total_price ?? read.total_price,
    subtotal: read.current_subtotal_price ?? read.subtotal_price,
    shipping: read.total_shipping_price_set?.shop_money?.amount,
    discount: read.total_discounts,
    tax: read.total_tax,
    customerName: customerName || shipTo?.name,
    customerPhone: read.phone ?? read.shipping_address?.phone ?? read.billing_address?.phone ?? read.customer?.phone,
    phoneCountry: shipTo?.country_code,
    customerEmail: read.email ?? read.contact_email ?? read.customer?.email,
    items: read.line_items.flatMap((line) => {
      const name = line.name ?? line.title;
      if (name === undefined || line.price === undefined) return [];
      return [
        {
          id: line.id,
          productExternalId: line.product_id,
          sku: line.sku,
          name: truncate(name, 1_000),
          quantity: line.quantity ?? 1,
          price: line.price,
        },
      ];
    }),
    address: addressOf(read.shipping_address),
    notes: read.note === undefined ? undefined : truncate(read.note, 5_000),
    checkoutIds: [read.checkout_token, read.checkout_id, read.cart_token].filter((id) => id !== undefined),
    placedAt: read.processed_at ?? read.created_at,
  };
  return update;
}

function fulfilment({ body, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = fulfilmentShape.parse(body);
  const update = shipment(read, receivedAt);
  return update && read.order_id !== undefined
    ? { kind: 'fulfilment', source: platform, externalId: read.order_id, shipment: update }
    : undefined;
}

function carrierEvent({ body, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = z
    .object({ fulfillment_id: optionalText, order_id: optionalText, status: optionalText, happened_at: instant, updated_at: instant })
    .parse(body);
  if (read.fulfillment_id === undefined || read.order_id === undefined || read.status === undefined) return undefined;
  const at = read.happened_at ?? read.updated_at ?? receivedAt;
  return {
    kind: 'fulfilment',
    source: platform,
    externalId: read.order_id,
    shipment: { id: read.fulfillment_id, at, shipmentStatus: read.status },
  };
}

function shipment(read: z.output<typeof fulfilmentShape>, fallbackAt: number): ShipmentUpdate | undefined {
  if (read.id === undefined) return undefined;
  return {
    id: read.id,
    at: read.updated_at ?? read.created_at ?? fallbackAt,
    status: read.status ?? 'unknown',
    shipmentStatus: read.shipment_status,
    number: trimmed(read.tracking_number ?? read.tracking_numbers.find((each) => each !== undefined), 255),
    url: trimmed(read.tracking_url ?? read.tracking_urls.find((each) => each !== undefined), 2_048),
    courier: read.tracking_company,
  };
}

const checkoutShape = z.object({
  id: optionalText,
  token: optionalText,
  cart_token: optionalText,
  email: optionalText,
  phone: optionalText,
  sms_marketing_phone: optionalText,
  buyer_accepts_marketing: optionalBoolean,
  buyer_accepts_sms_marketing: optionalBoolean,
  abandoned_checkout_url: optionalText,
  currency: optionalText,
  total_price: decimal,
  updated_at: instant,
  created_at: instant,
  completed_at: optionalText,
  customer: optionalObject({ first_name: optionalText, last_name: optionalText, phone: optionalText, email: optionalText }),
  shipping_address: address,
  billing_address: address,
  line_items: listOf(z.object({ title: optionalText, name: optionalText })),
});

function checkout({ body, topic, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = checkoutShape.parse(body);
  const checkoutIds = [read.token, read.id, read.cart_token].filter((id) => id !== undefined);
  if (checkoutIds.length === 0) return undefined;
  const customerName = [read.customer?.first_name, read.customer?.last_name].filter((name) => name !== undefined).join(' ');
  return {
    kind: 'checkout',
    source: platform,
    checkoutIds,
    state: topic === 'checkouts/delete' ? 'deleted' : read.completed_at === undefined ? 'open' : 'completed',
    at: read.updated_at ?? receivedAt,
    customerName: customerName || read.shipping_address?.name,
    customerPhone:
      read.phone ?? read.sms_marketing_phone ?? read.shipping_address?.phone ?? read.billing_address?.phone ?? read.customer?.phone,
    phoneCountry: read.shipping_address?.country_code ?? read.billing_address?.country_code,
    customerEmail: read.email ?? read.customer?.email,
    url: webUrl(read.abandoned_checkout_url),
    total: read.total_price,
    currency: read.currency,
    itemNames: read.line_items.flatMap(({ name, title }) => name ?? title ?? []),
    ...(read.buyer_accepts_sms_marketing === false || read.buyer_accepts_marketing === false ? { marketingDeclined: true as const } : {}),
  };
}

function notice(
  { body, shop, triggeredAt, receivedAt }: PlatformWebhook,
  topic: 'app/uninstalled' | 'customers/data_request' | 'customers/redact' | 'shop/redact',
): PlatformEvent {
  const read = z
    .object({
      shop_domain: optionalText,
      myshopify_domain: optionalText,
      customer: optionalObject({ email: optionalText, phone: optionalText }),
      orders_to_redact: listOf(optionalText),
      orders_requested: listOf(optionalText),
    })
    .parse(body);
  return {
    kind: 'notice',
    topic,
    shop: shop ?? read.shop_domain ?? read.myshopify_domain,
    email: read.customer?.email,
    phone: read.customer?.phone,
    orderIds: [...read.orders_to_redact, ...read.orders_requested].filter((id) => id !== undefined),
    at: triggeredAt ?? receivedAt,
  };
}

export const webUrl = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;

const trimmed = (text: string | undefined, length: number): string | undefined => (text === undefined ? undefined : truncate(text, length));

const addressOf = (fields: Record<string, string | undefined> | undefined): Record<string, string> | undefined =>
  fields === undefined ? undefined : definedFields(fields);

const definedFields = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
