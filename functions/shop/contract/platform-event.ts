import * as z from 'zod';
import { sources } from './stored.ts';
import { orderStatuses, productStatuses } from '../domain/status.ts';

/**
 * Normalized updates of products, orders, parcels and checkouts, the same for every outside system. They travel on the deliveries queue.
 * Amounts are decimal text, times are epoch milliseconds, ids are text.
 */
const times = {
  /** `at`: when the source changed the record, by the source's clock. `reportedAt`: when the source sent the update. */
  at: z.int().optional(),
  reportedAt: z.int().optional(),
};

/** The post came to a receiver without a secret: any caller with the address may have made it. */
const isUnsigned = z.literal(true).optional();

export const productUpdate = z.object({
  kind: z.literal('product'),
  source: z.enum(sources),
  externalId: z.string(),
  ...times,
  name: z.string(),
  description: z.string().nullish(),
  price: z.string().optional(),
  compareAt: z.string().nullish(),
  currency: z.string().optional(),
  stock: z.int().optional(),
  /** The source does not count its pieces. */
  isUncounted: z.boolean().optional(),
  status: z.enum(productStatuses).optional(),
  image: z.string().nullish(),
  sku: z.string().nullish(),
  vendor: z.string().nullish(),
  productType: z.string().nullish(),
});
export type ProductUpdate = z.output<typeof productUpdate>;

/** The source deleted the record. */
export const recordDeletion = z.object({
  kind: z.enum(['product-deleted', 'order-deleted']),
  source: z.enum(sources),
  externalId: z.string(),
  at: z.int(),
});
export type RecordDeletion = z.output<typeof recordDeletion>;

export const shipmentUpdate = z.object({
  id: z.string(),
  at: z.int(),
  /** The platform's own status: open, success, cancelled, failure, error. Undefined when the event carries none. */
  status: z.string().optional(),
  shipmentStatus: z.string().optional(),
  number: z.string().optional(),
  url: z.string().optional(),
  courier: z.string().optional(),
  isUnsigned,
});
export type ShipmentUpdate = z.output<typeof shipmentUpdate>;

export const orderLineUpdate = z.object({
  id: z.string().optional(),
  productExternalId: z.string().optional(),
  productId: z.int().optional(),
  sku: z.string().optional(),
  name: z.string(),
  quantity: z.int(),
  price: z.string(),
  total: z.string().optional(),
  image: z.string().optional(),
});

export const orderUpdate = z.object({
  kind: z.literal('order'),
  source: z.enum(sources),
  externalId: z.string(),
  ...times,
  number: z.string(),
  /** When undefined, the status follows from states and shipments, or stays as it is. */
  status: z.enum(orderStatuses).optional(),
  states: z.record(z.string(), z.string()).optional(),
  shipments: z.array(shipmentUpdate).optional(),
  currency: z.string(),
  total: z.string().optional(),
  subtotal: z.string().optional(),
  shipping: z.string().optional(),
  discount: z.string().optional(),
  tax: z.string().optional(),
  /** The amounts that were paid back so far, each as decimal text. */
  refunds: z.array(z.string()).optional(),
  customerName: z.string().optional(),
  customerPhone: z.string().optional(),
  /** ISO 3166-1 alpha-2 country of a phone number written without a country code. */
  phoneCountry: z.string().optional(),
  customerEmail: z.string().optional(),
  items: z.array(orderLineUpdate).optional(),
  address: z.record(z.string(), z.string()).optional(),
  notes: z.string().optional(),
  checkoutIds: z.array(z.string()).optional(),
  /** The customer declined marketing with the order. */
  marketingDeclined: z.literal(true).optional(),
  /** Tracking of a source that has no fulfilments. */
  tracking: z.object({ number: z.string().optional(), url: z.string().optional() }).optional(),
  placedAt: z.int().optional(),
  /** The connected store that the order comes from. */
  connectionId: z.int().optional(),
  /** The order comes from a store import, so the customer is not notified of it. */
  isImported: z.literal(true).optional(),
  isUnsigned,
});
export type OrderUpdate = z.output<typeof orderUpdate>;

/** A fulfilment or a carrier event of a platform order. */
export const fulfilmentUpdate = z.object({
  kind: z.literal('fulfilment'),
  source: z.enum(sources),
  externalId: z.string(),
  shipment: shipmentUpdate,
});
export type FulfilmentUpdate = z.output<typeof fulfilmentUpdate>;

/** A parcel status of a logistics provider. */
export const parcelUpdate = z.object({
  kind: z.literal('parcel'),
  orderNumbers: z.array(z.string()),
  trackingNumber: z.string().optional(),
  trackingUrl: z.string().optional(),
  courier: z.string().optional(),
  label: z.string(),
  status: z.enum(orderStatuses).optional(),
  at: z.int().optional(),
  isUnsigned,
});
export type ParcelUpdate = z.output<typeof parcelUpdate>;

export const checkoutUpdate = z.object({
  kind: z.literal('checkout'),
  source: z.enum(sources),
  checkoutIds: z.array(z.string()),
  state: z.enum(['open', 'abandoned', 'completed', 'deleted']),
  at: z.int(),
  customerName: z.string().optional(),
  customerPhone: z.string().optional(),
  phoneCountry: z.string().optional(),
  customerEmail: z.string().optional(),
  url: z.string().optional(),
  total: z.string().optional(),
  currency: z.string().optional(),
  itemNames: z.array(z.string()),
  /** The customer declined marketing at the checkout. */
  marketingDeclined: z.literal(true).optional(),
});
export type CheckoutUpdate = z.output<typeof checkoutUpdate>;

/** A customer of a shop changed: what a contact that is known by the phone learns, and whether it withdrew its consent. */
export const customerUpdate = z.object({
  kind: z.literal('customer'),
  source: z.enum(sources),
  externalId: z.string(),
  phone: z.string(),
  phoneCountry: z.string().optional(),
  name: z.string().optional(),
  email: z.string().optional(),
  isUnsubscribed: z.literal(true).optional(),
  at: z.int(),
});
export type CustomerUpdate = z.output<typeof customerUpdate>;

/** app/uninstalled and the mandatory privacy topics: https://shopify.dev/docs/apps/build/compliance/privacy-law-compliance */
export const noticeTopics = ['app/uninstalled', 'customers/data_request', 'customers/redact', 'shop/redact'] as const;
export type NoticeTopic = (typeof noticeTopics)[number];

export const platformNotice = z.object({
  kind: z.literal('notice'),
  topic: z.enum(noticeTopics),
  /** The store, as the signed body names it, and the company's connection to it. */
  shop: z.string(),
  connectionId: z.int(),
  email: z.string().optional(),
  phone: z.string().optional(),
  orderIds: z.array(z.string()),
  at: z.int(),
});
export type PlatformNotice = z.output<typeof platformNotice>;

export const platformEvent = z.discriminatedUnion('kind', [
  productUpdate,
  recordDeletion,
  orderUpdate,
  fulfilmentUpdate,
  parcelUpdate,
  checkoutUpdate,
  customerUpdate,
  platformNotice,
]);
export type PlatformEvent = z.output<typeof platformEvent>;
