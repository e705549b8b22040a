import * as z from 'zod';
import { defined } from '../../../shared/runtime/defined.ts';
import type { OrderUpdate, PlatformEvent, ShipmentUpdate } from '../contract/platform-event.ts';
import { isCurrency } from './money.ts';
import { count, decimal, instant, listOf, optionalBoolean, optionalObject, optionalText, truncate } from './payload.ts';
import type { PlatformWebhook } from './platform-webhook.ts';

const platform = 'storeplatform' as const;

export const address = optionalObject({
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
  buyer_accepts_marketing: optionalBoolean,
  customer: optionalObject({
    first_name: optionalText,
    last_name: optionalText,
    phone: optionalText,
    email: optionalText,
    sms_marketing_consent: optionalObject({ state: optionalText }),
  }),
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
  refunds: listOf(z.object({ transactions: listOf(z.object({ kind: optionalText, status: optionalText, amount: decimal })) })),
  checkout_token: optionalText,
  checkout_id: optionalText,
  cart_token: optionalText,
});

export function normalizeOrder({ body, triggeredAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = orderShape.parse(body);
  const number = read.name ?? read.order_number;
  if (read.id === undefined || number === undefined || read.currency === undefined || !isCurrency(read.currency)) return undefined;
  const shipTo = read.shipping_address ?? read.billing_address;
  const customerName = [read.customer?.first_name, read.customer?.last_name].filter((name) => name !== undefined).join(' ');
  const states = {
    financial_status: read.financial_status,
    // what the topic says is not signed
    fulfillment_status: read.fulfillment_status,
    cancelled_at: read.cancelled_at,
  };
  const update: OrderUpdate = {
    kind: 'order',
    source: platform,
    externalId: read.id,
    at: read.updated_at,
    reportedAt: triggeredAt,
    number: truncate(number, 100),
    states: defined(states),
    shipments: read.fulfillments.flatMap((each) => shipment(each, read.updated_at ?? 0) ?? []),
    currency: read.currency,
    total: read.current_total_price ?? read.total_price,
    subtotal: read.current_subtotal_price ?? read.subtotal_price,
    shipping: read.total_shipping_price_set?.shop_money?.amount,
    discount: read.total_discounts,
    tax: read.total_tax,
    ...('refunds' in body ? { refunds: refundsOf(read.refunds) } : {}),
    customerName: customerName || shipTo?.name,
    customerPhone: read.phone ?? read.shipping_address?.phone ?? read.billing_address?.phone ?? read.customer?.phone,
    phoneCountry: shipTo?.country_code,
    customerEmail: read.email ?? read.contact_email ?? read.customer?.email,
    items: read.line_items.flatMap((line) => {
      const name = line.name ?? line.title;
      // a line that was removed stays in the payload, with nothing left of it
      const quantity = line.current_quantity ?? line.quantity ?? 1;
      if (name === undefined || line.price === undefined || quantity === 0) return [];
      return [
        {
          id: line.id,
          productExternalId: line.product_id,
          sku: line.sku,
          name: truncate(name, 1_000),
          quantity,
          price: line.price,
        },
      ];
    }),
    address: addressOf(read.shipping_address),
    notes: read.note === undefined ? undefined : truncate(read.note, 5_000),
    checkoutIds: [read.checkout_token, read.checkout_id, read.cart_token].filter((id) => id !== undefined),
    ...(read.buyer_accepts_marketing === false && read.customer?.sms_marketing_consent?.state !== 'subscribed'
      ? { marketingDeclined: true as const }
      : {}),
    placedAt: read.processed_at ?? read.created_at,
  };
  return update;
}

export function normalizeFulfilment({ body, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = fulfilmentShape.parse(body);
  const update = shipment(read, receivedAt);
  return update && read.order_id !== undefined
    ? { kind: 'fulfilment', source: platform, externalId: read.order_id, shipment: update }
    : undefined;
}

export function normalizeCarrierEvent({ body, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
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

/** What was really paid back: a refund may only restock goods, and its payment may be pending or have failed. */
const refundsOf = (refunds: z.output<typeof orderShape>['refunds']): string[] =>
  refunds
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ kind, status, amount }) => (kind === 'refund' && status === 'success' && amount !== undefined ? [amount] : []));

const trimmed = (text: string | undefined, length: number): string | undefined => (text === undefined ? undefined : truncate(text, length));

const addressOf = (fields: z.output<typeof address>): Record<string, string> | undefined =>
  fields === undefined ? undefined : defined(fields);
