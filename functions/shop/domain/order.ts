import { withoutOthers } from '../../../shared/table/other-versions.ts';
import { dayMs, isoTime } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import type { OrderQuery, OrderRecord } from '../contract/order.ts';
import type { OrderUpdate, ParcelUpdate } from '../contract/platform-event.ts';
import type { Order, OrderItem, OrderStep, Source } from '../contract/stored.ts';
import { fromMinor, roundedMinor } from './money.ts';
import { parcelEventsOf, withParcelEvent } from './parcel.ts';
import { contains } from './product.ts';
import { fitted } from './order-size.ts';
import { platformStatus, type Shipments, trackingOf, withShipment } from './shipment.ts';
import { isRegression, type OrderStatus } from './status.ts';

/** Rules of orders: how updates change an order, and how the API shows it. */

export const newOrder = (companyId: number, id: number, update: OrderUpdate, at: number): Order => ({
  companyId,
  id,
  rev: 0,
  number: update.number,
  status: 'Pending',
  source: update.source,
  externalId: update.externalId,
  currency: update.currency,
  total: 0,
  items: [],
  history: [],
  version: 0,
  placedAt: update.placedAt ?? update.at ?? at,
  createdAt: at,
  updatedAt: at,
});

/** The customer of an order, after the phone number was normalized. */
export interface Customer {
  phone: string | undefined;
  contactId: number | undefined;
}

/**
 * The order after an update of its source. An update older than the last one adds a history entry and changes nothing else; fulfilments are
 * compared by their own times. `waiting`: fulfilments that arrived before their order.
 */
export const applyOrderUpdate = (stored: Order, update: OrderUpdate, customer: Customer, at: number, waiting: Shipments = {}): Order => {
  const seen = withOrigin(stored, update);
  const isNew = seen.rev === 0 && seen.history.length === 0;
  const shipments = (update.shipments ?? []).reduce(withShipment, mergedShipments(seen.shipments ?? {}, waiting));
  if (!isNew && isOlder(update, seen)) return withLateStatus(withShipments(seen, shipments, at), update);
  const next: Order = { ...seen, number: update.number, currency: update.currency };
  const minor = (decimal: string): number => roundedMinor(decimal, update.currency);
  if (update.items !== undefined)
    next.items = update.items.map(({ productExternalId, price, total, ...item }) => ({
      ...item,
      ...(productExternalId === undefined ? {} : { externalId: productExternalId }),
      price: minor(price),
      ...(total === undefined ? {} : { total: minor(total) }),
    }));
  for (const field of ['subtotal', 'shipping', 'discount', 'tax'] as const) {
    const decimal = update[field];
    if (decimal !== undefined) next[field] = minor(decimal);
  }
  if (update.refunds !== undefined) next.refunded = update.refunds.reduce((sum, refund) => sum + minor(refund), 0);
  if (update.total !== undefined) next.total = minor(update.total);
  else if (update.items !== undefined) next.total = totalOfItems(next.items);
  for (const field of ['customerName', 'customerEmail', 'address', 'notes', 'checkoutIds'] as const) {
    const value = update[field];
    if (value !== undefined) Object.assign(next, { [field]: value });
  }
  if (update.tracking !== undefined) Object.assign(next, trackingChanges(update.tracking));
  if (customer.phone !== undefined) next.customerPhone = customer.phone;
  if (customer.contactId !== undefined) next.contactId = customer.contactId;
  if (update.connectionId !== undefined) next.connectionId = update.connectionId;
  if (update.states !== undefined) next.sourceStates = update.states;
  if (update.at !== undefined) next.sourceAt = update.at;
  if (update.reportedAt !== undefined) next.sourceReportedAt = update.reportedAt;
  if (update.placedAt !== undefined) next.placedAt = update.placedAt;
  const followed = update.states && update.source === 'storeplatform' ? platformStatus(update.states, shipments) : undefined;
  const named = update.status ?? followed;
  if (named !== undefined && update.at !== undefined) next.statusAt = update.at;
  const status = named ?? (isNew ? 'Pending' : seen.status);
  const stepped = isNew
    ? {
        ...next,
        status,
        history: [asImported(step(undefined, status, update.source, update.placedAt ?? update.at ?? at), update.isImported)],
      }
    : withStatus(next, status, update.source, update.at ?? at, update.isImported);
  const whole = fitted(withShipments(stepped, shipments, at));
  return seen.redactedAt === undefined ? whole : redacted(whole, seen.redactedAt);
};

/** The order after its source deleted it; a later update of the source brings it back. */
export const withDeletion = (order: Order, source: Source, at: number): Order =>
  (order.sourceAt ?? 0) > at ? order : { ...withStatus(order, 'Cancelled', source, at), sourceAt: at };

/** Marks what a post without a signature made or changed. The mark stays: such a post may have set any field. */
const withOrigin = (order: Order, { isUnsigned }: { isUnsigned?: true | undefined }): Order =>
  isUnsigned ? { ...order, isUnsigned } : order;

/** The link that a customer may follow: none that a stranger may have set. */
export const trackingUrlOf = ({ trackingUrl, isUnsigned }: Order): string | undefined => (isUnsigned ? undefined : trackingUrl);

/** The order without its customer's data. The sold items stay. */
export const redacted = (order: Order, at: number): Order => {
  const {
    customerName: _name,
    customerPhone: _phone,
    customerEmail: _email,
    contactId: _contact,
    address: _address,
    notes: _notes,
    checkoutIds: _checkouts,
    ...rest
  } = order;
  return { ...withoutOthers(rest), redactedAt: at };
};

/** The order with another status and one more history entry. The same status adds no entry. */
export const withStatus = (order: Order, status: OrderStatus, source: string, at: number, isImported?: true): Order =>
  status === order.status
    ? order
    : { ...order, status, history: [...order.history, asImported(step(order.status, status, source, at), isImported)].slice(-maxSteps) };

/**
 * Whether to notify the customer of a status: not of imported, stale or backward steps, not of orders placed long ago, and not of what a
 * post without a signature says.
 */
export const shouldNotify = ({ history, placedAt, isUnsigned }: Order, status: OrderStatus, isNew: boolean, at: number): boolean => {
  if (isUnsigned) return false;
  const isReached = history.some((each) => each.to === status && !each.isStale && !each.isImported && !each.isRegression);
  return isReached && (!isNew || placedAt > at - notifyWithinMs);
};

/** A platform may report an order long after it was placed. */
const notifyWithinMs = 2 * dayMs;

/** The order with new fulfilments. Tracking follows from them, and so does the status when the platform's states are known. */
export const withShipments = (order: Order, shipments: Shipments, at: number): Order => {
  if (order.sourceStates === undefined || order.source !== 'storeplatform') return order;
  const tracking = trackingOf(shipments);
  const isUnsigned = Object.values(shipments).some((each) => each.isUnsigned) || undefined;
  const next: Order = { ...withOrigin(order, { isUnsigned }), ...(Object.keys(shipments).length > 0 ? { shipments } : {}) };
  if (tracking) Object.assign(next, trackingChanges({ number: tracking.number, url: tracking.url, courier: tracking.courier }));
  const newest = Math.max(order.sourceAt ?? 0, ...Object.values(shipments).map((each) => Math.max(each.at ?? 0, each.shipmentAt ?? 0)));
  return withStatus(next, platformStatus(order.sourceStates, shipments), order.source, newest || at);
};

/** The order after a report about its parcel. A report that is older than the last one is history only. */
export const withParcel = (order: Order, update: ParcelUpdate & { at: number }): Order => {
  const { at, label, status } = update;
  const isLate = order.sourceStates?.['parcel_at'] !== undefined && at < Number(order.sourceStates['parcel_at']);
  const states = { ...order.sourceStates, ...(isLate ? {} : { parcel: label, parcel_at: String(at) }) };
  const next: Order = {
    ...withOrigin(order, update),
    ...trackingChanges({ number: update.trackingNumber, url: update.trackingUrl, courier: update.courier }),
    ...(order.source === 'storeplatform' ? {} : { sourceStates: states }),
    parcelEvents: withParcelEvent(order.parcelEvents, { label, at }),
  };
  const isFinal = order.status === 'Refunded' || order.status === 'Cancelled' || (order.status === 'Delivered' && status === 'Shipped');
  return status === undefined || isLate || isFinal ? next : withStatus(next, status, 'logistics', at);
};

/** The given tracking fields as changes of an order. */
export const trackingChanges = (given: {
  number?: string | undefined;
  url?: string | undefined;
  courier?: string | undefined;
}): Partial<Order> => ({
  ...(given.number ? { trackingNumber: given.number } : {}),
  ...(given.url ? { trackingUrl: given.url } : {}),
  ...(given.courier ? { courier: given.courier } : {}),
});

/** The order with what a request gives: text replaces a field, null or an empty text clears it, an absent field stays. */
export const withGivenFields = (order: Order, given: { [K in ClearableField]?: string | null | undefined }): Order => {
  const next = { ...order };
  for (const field of clearableFields) {
    const value = given[field];
    if (value === undefined) continue;
    if (value === null || value === '') delete next[field];
    else next[field] = value;
  }
  return next;
};
const clearableFields = ['trackingNumber', 'trackingUrl', 'notes', 'customerName', 'customerEmail'] as const;
type ClearableField = (typeof clearableFields)[number];

/** `after` with a new revision, or undefined when it equals `before`. */
export const changedOrder = (before: Order, after: Order, at: number): Order | undefined =>
  comparable(before) === comparable(after) ? undefined : { ...after, rev: before.rev + 1, version: before.version + 1, updatedAt: at };

export const totalOfItems = (items: readonly OrderItem[]): number => items.reduce((sum, item) => sum + lineTotal(item), 0);

export const matchingOrder =
  (query: Partial<Omit<OrderQuery, 'page' | 'limit' | 'cursor'>>, phone: string | undefined) =>
  (order: Order): boolean =>
    (query.status === undefined || order.status === query.status) &&
    (query.source === undefined || order.source === query.source) &&
    (query.from === undefined || order.placedAt >= query.from) &&
    (query.to === undefined || order.placedAt <= query.to) &&
    (query.updated_from === undefined || order.updatedAt >= query.updated_from) &&
    (!query.customer_phone || order.customerPhone === (phone ?? query.customer_phone)) &&
    (!query.search || contains(query.search, [order.number, order.customerName, order.customerPhone]));

export const orderRecordOf = (
  order: Order,
  cards: ReadonlyMap<number, { id: number; name: string | null; phone: string; email: string | null }>,
): OrderRecord => {
  const money = (minor: number): string => fromMinor(minor, order.currency);
  const moneyOrNull = (minor: number | undefined): string | null => (minor === undefined ? null : money(minor));
  const contact = order.contactId === undefined ? undefined : cards.get(order.contactId);
  return {
    id: order.id,
    order_number: order.number,
    status: order.status,
    source: order.source,
    external_id: order.externalId ?? null,
    total_amount: money(order.total),
    subtotal: moneyOrNull(order.subtotal),
    shipping_amount: moneyOrNull(order.shipping),
    discount_amount: moneyOrNull(order.discount),
    tax_amount: moneyOrNull(order.tax),
    refunded_amount: moneyOrNull(order.refunded),
    currency: order.currency,
    customer_name: order.customerName ?? contact?.name ?? null,
    customer_phone: order.customerPhone ?? null,
    customer_email: order.customerEmail ?? null,
    contact_id: contact?.id ?? null,
    contact: contact ? { id: contact.id, name: contact.name, phone: contact.phone, email: contact.email } : null,
    items: order.items.map((item) => ({
      id: item.id ?? null,
      product_id: item.productId ?? null,
      external_id: item.externalId ?? null,
      sku: item.sku ?? null,
      name: item.name,
      quantity: item.quantity,
      price: money(item.price),
      total: money(lineTotal(item)),
      image: item.image ?? null,
    })),
    shipping_address: order.address ?? null,
    notes: order.notes ?? null,
    tracking_number: order.trackingNumber ?? null,
    tracking_url: trackingUrlOf(order) ?? null,
    parcel_events: parcelEventsOf(order).map(({ label, at }) => ({ status: label, at: isoTime(at) })),
    status_history: order.history.map(({ from, to, source, at, isRegression: back, isStale }) => ({
      from: from ?? null,
      to,
      source,
      at: isoTime(at),
      is_regression: back,
      is_stale: isStale === true,
    })),
    placed_at: isoTime(order.placedAt),
    version: order.version,
    created_at: isoTime(order.createdAt),
    updated_at: isoTime(order.updatedAt),
  };
};

const maxSteps = 100;

const lineTotal = ({ price, quantity, total }: OrderItem): number => total ?? price * quantity;

const asImported = (each: OrderStep, isImported: true | undefined): OrderStep => (isImported ? { ...each, isImported: isImported } : each);

const step = (from: OrderStatus | undefined, to: OrderStatus, source: string, at: number): OrderStep => ({
  ...(from === undefined ? {} : { from }),
  to,
  source,
  at,
  isRegression: from !== undefined && isRegression(from, to),
});

/** Compares by the source's clock, then by the time of the report. An update without a time is never older. */
export const isOlder = (
  update: { at?: number | undefined; reportedAt?: number | undefined },
  seen: { sourceAt?: number | undefined; sourceReportedAt?: number | undefined },
): boolean =>
  update.at !== undefined &&
  seen.sourceAt !== undefined &&
  (update.at < seen.sourceAt ||
    (update.at === seen.sourceAt &&
      update.reportedAt !== undefined &&
      seen.sourceReportedAt !== undefined &&
      update.reportedAt < seen.sourceReportedAt));

/**
 * A late status adds one history entry. When all newer updates carried no known status, the late status is the newest one and becomes the
 * order's.
 */
function withLateStatus(order: Order, update: OrderUpdate): Order {
  if (update.status !== undefined && update.at !== undefined && update.at > (order.statusAt ?? 0))
    return { ...withStatus(order, update.status, update.source, update.at, update.isImported), statusAt: update.at };
  const status =
    update.states === undefined ? update.status : platformStatus(update.states, (update.shipments ?? []).reduce(withShipment, {}));
  const at = update.at;
  if (status === undefined || at === undefined || order.history.some((each) => each.to === status && each.at === at)) return order;
  const late: OrderStep = { to: status, source: update.source, at, isRegression: false, isStale: true };
  return { ...order, history: [...order.history, late].slice(-maxSteps) };
}

/** The fulfilments of both sides, each in its newest version. */
function mergedShipments(one: Shipments, other: Shipments): Shipments {
  return Object.entries(other).reduce<Shipments>((all, [id, each]) => {
    const { at, shipmentAt, shipmentStatus, ...body } = each;
    const withBody =
      at === undefined || each.status === undefined
        ? all
        : withShipment(all, { ...defined({ number: body.number, url: body.url, courier: body.courier }), id, at, status: each.status });
    return shipmentAt === undefined || shipmentStatus === undefined
      ? withBody
      : withShipment(withBody, { id, at: shipmentAt, shipmentStatus });
  }, one);
}

const comparable = ({ rev: _rev, version: _version, updatedAt: _at, ...rest }: Order): string =>
  JSON.stringify(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
