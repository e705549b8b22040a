import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';
import { orderStatuses, productStatuses } from '../domain/status.ts';

/** What the table holds of a shop: for its stores, and for reactions. Money is minor units, times are epoch milliseconds. */
export const productEntityName = 'shop-product';
export const categoryEntityName = 'shop-category';
export const orderEntityName = 'shop-order';
/** The head that counts the products everybody may see. */
export const publicProducts = 'shop-public-product';

/** Where a product or an order comes from. */
export const sources = ['api', 'erp', 'custom', 'storeplatform', 'webshop', 'checkout'] as const;
export type Source = (typeof sources)[number];

export const storedProduct = z.object({
  companyId: z.int(),
  id: z.int(),
  /** Moved by every write; guards the next one. */
  rev: z.int(),
  name: z.string(),
  description: z.string().optional(),
  price: z.int(),
  compareAt: z.int().optional(),
  currency: z.string(),
  stock: z.int(),
  status: z.enum(productStatuses),
  image: z.string().optional(),
  categoryId: z.int().optional(),
  externalId: z.string().optional(),
  source: z.enum(sources),
  sku: z.string().optional(),
  vendor: z.string().optional(),
  productType: z.string().optional(),
  /** When the source last changed it, by the source's own clock; and when that was told, which decides among equals. */
  sourceAt: z.int().optional(),
  sourceReportedAt: z.int().optional(),
  /** The call that made it: its repetition meets it. */
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
  /** The call that made it: its repetition meets it. */
  createdBy: z.string().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type Category = z.output<typeof storedCategory>;

/** The number of products is folded into the category's own row. */
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
  /** Told too late to count: kept as history only (S20). */
  isStale: z.literal(true).optional(),
  /** Learned from a first import: history to us, and no news to the customer. */
  isImported: z.literal(true).optional(),
});
export type OrderStep = z.output<typeof storedStep>;

export const storedShipment = z.object({
  at: z.int().optional(),
  status: z.string().optional(),
  number: z.string().optional(),
  url: z.string().optional(),
  courier: z.string().optional(),
  /** Where the parcel is, and when that was so. */
  shipmentStatus: z.string().optional(),
  shipmentAt: z.int().optional(),
});
export type Shipment = z.output<typeof storedShipment>;

export const storedOrder = z.object({
  companyId: z.int(),
  id: z.int(),
  rev: z.int(),
  number: z.string(),
  status: z.enum(orderStatuses),
  source: z.enum(sources),
  externalId: z.string().optional(),
  currency: z.string(),
  total: z.int(),
  subtotal: z.int().optional(),
  shipping: z.int().optional(),
  discount: z.int().optional(),
  tax: z.int().optional(),
  customerName: z.string().optional(),
  /** Digits with country code, or as the source wrote it where that is no phone number. */
  customerPhone: z.string().optional(),
  customerEmail: z.string().optional(),
  contactId: z.int().optional(),
  items: z.array(storedItem),
  address: z.record(z.string(), z.string()).optional(),
  notes: z.string().optional(),
  trackingNumber: z.string().optional(),
  trackingUrl: z.string().optional(),
  courier: z.string().optional(),
  /** What the source called its states, so that a changed mapping can be worked out again. */
  sourceStates: z.record(z.string(), z.string()).optional(),
  /** The platform's fulfilments by id, each as newest told; the order's status follows from all of them. */
  shipments: z.record(z.string(), storedShipment).optional(),
  checkoutIds: z.array(z.string()).optional(),
  history: z.array(storedStep),
  version: z.int(),
  /** When the source last named a status that we know, by its clock: it may have changed the order since without naming one. */
  statusAt: z.int().optional(),
  sourceAt: z.int().optional(),
  sourceReportedAt: z.int().optional(),
  placedAt: z.int(),
  /** The person was taken out of it, and nothing that is told later brings them back. */
  redactedAt: z.int().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type Order = z.output<typeof storedOrder>;

/** A checkout that may be left behind. `claimed`: its reminder is on the way and nobody else sends it. */
export const cartEntityName = 'shop-cart';
export const cartStates = ['open', 'claimed', 'abandoned', 'recovered', 'closed', 'expired'] as const;

export const storedCart = z.object({
  companyId: z.int(),
  /** Made from source and checkout id. */
  key: z.string(),
  source: z.enum(sources),
  /** All ids by which an order may name it, the first is its own. */
  checkoutIds: z.array(z.string()),
  state: z.enum(cartStates),
  /** By the source's clock: since when it is open, when it last changed. */
  startedAt: z.int(),
  lastAt: z.int(),
  /** While open: when to look whether it was left. */
  dueAt: z.int().optional(),
  /** Digits with country code. */
  phone: z.string().optional(),
  email: z.string().optional(),
  name: z.string().optional(),
  url: z.string().optional(),
  total: z.string().optional(),
  currency: z.string().optional(),
  items: z.array(z.string()),
  /** The person said no to being written to. */
  marketingDeclined: z.literal(true).optional(),
  remindedAt: z.int().optional(),
  /** Why no reminder went out when it was left. */
  withheld: z.string().optional(),
  rev: z.int(),
  updatedAt: z.int(),
});
export type Cart = z.output<typeof storedCart>;
