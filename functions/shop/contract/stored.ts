import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';
import { orderStatuses, productStatuses } from '../domain/status.ts';

/** The stored records of the shop, read by its stores and reactions. Amounts are minor units, times are epoch milliseconds. */
export const productEntityName = 'shop-product';
export const categoryEntityName = 'shop-category';
export const orderEntityName = 'shop-order';
/** The name of the counter of publicly visible products. */
export const publicProducts = 'shop-public-product';

/** Where a product or an order comes from. */
export const sources = ['api', 'erp', 'custom', 'storeplatform', 'webshop', 'checkout'] as const;
export type Source = (typeof sources)[number];
/** Where an order can come from: the API and an ERP make products only. */
export const orderSources = ['custom', 'storeplatform', 'webshop', 'checkout'] as const satisfies readonly Source[];

export const storedProduct = z.object({
  companyId: z.int(),
  id: z.int(),
  /** Incremented by every write; the condition of the next one. */
  rev: z.int(),
  name: z.string(),
  description: z.string().optional(),
  price: z.int(),
  /** No source named a price yet: `price` is 0 and is not shown. */
  isUnpriced: z.literal(true).optional(),
  compareAt: z.int().optional(),
  currency: z.string(),
  stock: z.int(),
  /** The source sells it without counting pieces: it is in stock, whatever `stock` is. */
  isUncounted: z.literal(true).optional(),
  status: z.enum(productStatuses),
  image: z.string().optional(),
  categoryId: z.int().optional(),
  externalId: z.string().optional(),
  source: z.enum(sources),
  sku: z.string().optional(),
  vendor: z.string().optional(),
  productType: z.string().optional(),
  /**
   * When the source last changed the record, by the source's clock, and when it reported the change. The later report wins among equal
   * change times.
   */
  sourceAt: z.int().optional(),
  sourceReportedAt: z.int().optional(),
  /** The operation id of the create call, so that its retry finds this record. */
  createdBy: z.string().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  deletedAt: z.int().optional(),
});
export type Product = z.output<typeof storedProduct>;

export const storedCategory = z.object({
  companyId: z.int(),
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().optional(),
  image: z.string().optional(),
  productsCount: z.int().default(0),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
  /** The operation id of the create call, so that its retry finds this record. */
  createdBy: z.string().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type Category = z.output<typeof storedCategory>;

/** The projection that counts a category's products in the category's row. */
export const categoryTarget = projectionTarget<{ companyId: number; id: number }, Category>(categoryEntityName);

export const storedItem = z.object({
  id: z.string().optional(),
  productId: z.int().optional(),
  externalId: z.string().optional(),
  sku: z.string().optional(),
  name: z.string(),
  quantity: z.int(),
  price: z.int(),
  total: z.int().optional(),
  image: z.string().optional(),
});
export type OrderItem = z.output<typeof storedItem>;

export const storedStep = z.object({
  from: z.enum(orderStatuses).optional(),
  to: z.enum(orderStatuses),
  source: z.string(),
  at: z.int(),
  isRegression: z.boolean(),
  /** The update arrived after a newer one: it is history only and did not change the status. */
  isStale: z.literal(true).optional(),
  /** From a store import: the customer is not notified. */
  isImported: z.literal(true).optional(),
});
export type OrderStep = z.output<typeof storedStep>;

export const storedShipment = z.object({
  at: z.int().optional(),
  status: z.string().optional(),
  number: z.string().optional(),
  url: z.string().optional(),
  courier: z.string().optional(),
  /** The carrier's status and when it was reached. */
  shipmentStatus: z.string().optional(),
  shipmentAt: z.int().optional(),
  /** A post without a signature reported it. */
  isUnsigned: z.literal(true).optional(),
});
export type Shipment = z.output<typeof storedShipment>;

export const storedParcelEvent = z.object({ label: z.string(), at: z.int() });
export type ParcelEvent = z.output<typeof storedParcelEvent>;

export const storedOrder = z.object({
  companyId: z.int(),
  id: z.int(),
  rev: z.int(),
  number: z.string(),
  status: z.enum(orderStatuses),
  source: z.enum(sources),
  /** The connected store that the order comes from. */
  connectionId: z.int().optional(),
  externalId: z.string().optional(),
  currency: z.string(),
  total: z.int(),
  subtotal: z.int().optional(),
  shipping: z.int().optional(),
  discount: z.int().optional(),
  tax: z.int().optional(),
  /** What was paid back so far. */
  refunded: z.int().optional(),
  customerName: z.string().optional(),
  /** Digits with country code, or the source's text when it is not a phone number. */
  customerPhone: z.string().optional(),
  customerEmail: z.string().optional(),
  contactId: z.int().optional(),
  items: z.array(storedItem),
  address: z.record(z.string(), z.string()).optional(),
  notes: z.string().optional(),
  trackingNumber: z.string().optional(),
  trackingUrl: z.string().optional(),
  courier: z.string().optional(),
  /** The source's own states, so that the status can be derived again after the mapping changes. */
  sourceStates: z.record(z.string(), z.string()).optional(),
  /** The platform's fulfilments by id, each in its newest version. The order's status follows from all of them. */
  shipments: z.record(z.string(), storedShipment).optional(),
  checkoutIds: z.array(z.string()).optional(),
  /** What carriers reported of the parcel, in their own words, oldest first. */
  parcelEvents: z.array(storedParcelEvent).optional(),
  history: z.array(storedStep),
  version: z.int(),
  /** When the source last sent a known status, by its clock. Later updates may have carried no status or an unknown one. */
  statusAt: z.int().optional(),
  sourceAt: z.int().optional(),
  sourceReportedAt: z.int().optional(),
  placedAt: z.int(),
  /** A post without a signature made or changed it: no message and no link follow from it, also after a signed one. */
  isUnsigned: z.literal(true).optional(),
  /** The customer's data was removed, and later updates do not restore it. */
  redactedAt: z.int().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type Order = z.output<typeof storedOrder>;

/** A checkout that may become abandoned. `claimed`: one worker is sending its reminder. */
export const cartEntityName = 'shop-cart';
export const cartStates = ['open', 'claimed', 'abandoned', 'recovered', 'closed', 'expired'] as const;

export const storedCart = z.object({
  companyId: z.int(),
  /** A hash of source and checkout id. */
  key: z.string(),
  source: z.enum(sources),
  /** All ids by which an order may refer to the checkout. The first is its own. */
  checkoutIds: z.array(z.string()),
  state: z.enum(cartStates),
  /** When the cart was opened and last changed, by the source's clock. */
  startedAt: z.int(),
  lastAt: z.int(),
  /** When the timer of an open cart is due. */
  dueAt: z.int().optional(),
  /** Digits with country code. */
  phone: z.string().optional(),
  email: z.string().optional(),
  name: z.string().optional(),
  url: z.string().optional(),
  total: z.string().optional(),
  currency: z.string().optional(),
  items: z.array(z.string()),
  /** The customer declined marketing at the checkout. */
  marketingDeclined: z.literal(true).optional(),
  remindedAt: z.int().optional(),
  /** Why no reminder was sent. */
  withheld: z.string().optional(),
  rev: z.int(),
  updatedAt: z.int(),
});
export type Cart = z.output<typeof storedCart>;
