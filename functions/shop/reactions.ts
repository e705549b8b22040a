import { type Consequence, addToCounter, project, emitEvent, message, reaction, reactionList } from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import {
  cartAbandoned,
  orderCreated,
  orderStatusUpdated,
  orderUpdated,
  productCreated,
  productDeleted,
  productUpdated,
} from './contract/events.ts';
import { type Connection, connectionEntityName, connectionsQueue, storedConnection } from './contract/connection.ts';
import { followUpsQueue } from './contract/follow-up.ts';
import {
  type Cart,
  cartEntityName,
  categoryTarget,
  type Order,
  orderEntityName,
  type Product,
  productEntityName,
  publicProducts,
  storedCart,
  storedOrder,
  storedProduct,
} from './contract/stored.ts';
import { type PrivacyRequest, privacyRequestEntityName, storedPrivacyRequest } from './contract/privacy.ts';
import { fromMinor } from './domain/money.ts';
import { trackingUrlOf } from './domain/order.ts';
import { parcelEventsOf } from './domain/parcel.ts';
import { isRegression } from './domain/status.ts';
import { isLiveProduct, isPublic } from './domain/product.ts';

/** Counters, category product counts, outgoing events and follow-up work of the shop. */
export const reactions = reactionList({ sendsTo: [followUpsQueue, connectionsQueue] }, [
  reaction<Product>({ name: productEntityName, parse: (raw) => storedProduct.parse(raw) }, ({ before, after }) => {
    const product = after ?? before;
    if (!product) return [];
    return [
      ...totals(product.companyId, before, after),
      ...categoryCounts(product.companyId, before, after),
      ...productEvents(before, after),
    ];
  }),
  reaction<Order>({ name: orderEntityName, parse: (raw) => storedOrder.parse(raw) }, ({ before, after }) => {
    const order = after ?? before;
    if (!order) return [];
    const by = Number(after !== undefined) - Number(before !== undefined);
    return [
      ...(by === 0 ? [] : [addToCounter(order.companyId, orderEntityName, by)]),
      ...orderEvents(before, after),
      ...orderFollowUps(before, after),
    ];
  }),
  reaction<Connection>({ name: connectionEntityName, parse: (raw) => storedConnection.parse(raw) }, ({ before, after }) =>
    after === undefined ? [] : after.status === 'active' ? connectionWork(before, after) : disconnectWork(before, after),
  ),
  reaction<PrivacyRequest>({ name: privacyRequestEntityName, parse: (raw) => storedPrivacyRequest.parse(raw) }, ({ before, after }) =>
    after?.below && before?.below !== after.below
      ? [
          message(followUpsQueue, after.companyId, {
            kind: 'redact',
            company_id: after.companyId,
            request: after.request,
            below: after.below,
          }),
        ]
      : [],
  ),
  reaction<Cart>({ name: cartEntityName, parse: (raw) => storedCart.parse(raw) }, ({ before, after }) =>
    after?.state === 'abandoned' && before?.state !== 'abandoned' ? [cartEvent(after)] : [],
  ),
]);

/** A new order ends carts, and a new status may notify the customer. Imported orders do neither. */
function orderFollowUps(before: Order | undefined, after: Order | undefined): Consequence[] {
  if (!after || before?.status === after.status || after.history.at(-1)?.isImported) return [];
  const { companyId, id, status } = after;
  return [message(followUpsQueue, companyId, { kind: 'order', company_id: companyId, order_id: id, status, is_new: before === undefined })];
}

/** A new connection gets its setup, a running import gets its next slice. */
function connectionWork(before: Connection | undefined, after: Connection): Consequence[] {
  const { companyId, id, connectedAt, import: taken } = after;
  const reference = { company_id: companyId, connection_id: id };
  const isSameSlice = before?.import?.slice === taken?.slice && before?.import?.startedAt === taken?.startedAt;
  return [
    ...(before?.connectedAt === connectedAt
      ? []
      : [message(connectionsQueue, companyId, { kind: 'setup', ...reference, connected_at_ms: connectedAt })]),
    ...(taken?.status !== 'running' || isSameSlice
      ? []
      : [message(connectionsQueue, companyId, { kind: 'import', ...reference, slice: taken.slice, started_at_ms: taken.startedAt })]),
  ];
}

/** A store that was disconnected leaves subscriptions at the platform and a receiver behind. */
function disconnectWork(before: Connection | undefined, { companyId, id, connectedAt }: Connection): Consequence[] {
  if (before?.status === 'inactive') return [];
  const reference = { company_id: companyId, connection_id: id, connected_at_ms: connectedAt };
  return [message(connectionsQueue, companyId, { kind: 'disconnect', ...reference })];
}

function cartEvent(cart: Cart): Consequence {
  return emitEvent(cartAbandoned, cart.companyId, {
    checkout_id: cart.checkoutIds[0] ?? '',
    source: cart.source,
    cart_key: cart.key,
    total_amount: cart.total ?? null,
    currency: cart.currency ?? null,
    items: cart.items,
    reminded: cart.withheld === undefined,
    reason: cart.withheld ?? null,
    started_at: isoTime(cart.startedAt),
    at: isoTime(cart.updatedAt),
  });
}

function totals(companyId: number, before: Product | undefined, after: Product | undefined): Consequence[] {
  const all = Number(isLiveProduct(after)) - Number(isLiveProduct(before));
  const shown = Number(isPublic(after)) - Number(isPublic(before));
  return [
    ...(all === 0 ? [] : [addToCounter(companyId, productEntityName, all)]),
    ...(shown === 0 ? [] : [addToCounter(companyId, publicProducts, shown)]),
  ];
}

/** A deleted category has no row to count in, so its change is dropped. */
function categoryCounts(companyId: number, before: Product | undefined, after: Product | undefined): Consequence[] {
  const [from, to] = [before, after].map((product) => (isLiveProduct(product) ? product.categoryId : undefined));
  if (from === to) return [];
  const moved = (id: number | undefined, by: number): Consequence[] =>
    id === undefined
      ? []
      : [project(categoryTarget, { companyId, id }, (row) => row && { ...row, productsCount: Math.max(0, row.productsCount + by) })];
  return [...moved(from, -1), ...moved(to, 1)];
}

function productEvents(before: Product | undefined, after: Product | undefined): Consequence[] {
  if (!after) return [];
  const was = isLiveProduct(before);
  const is = isLiveProduct(after);
  if (!was && !is) return [];
  const event = is ? (was ? productUpdated : productCreated) : productDeleted;
  const detail = {
    product_id: after.id,
    external_id: after.externalId ?? null,
    external_source: after.source === 'api' ? null : after.source,
  };
  return [emitEvent(event, after.companyId, detail)];
}

function orderEvents(before: Order | undefined, after: Order | undefined): Consequence[] {
  if (!after) return [];
  const detail = {
    order_id: after.id,
    order_number: after.number,
    status: after.status,
    source: after.source,
    contact_id: after.contactId ?? null,
    total_amount: fromMinor(after.total, after.currency),
    currency: after.currency,
    tracking_number: after.trackingNumber ?? null,
    tracking_url: trackingUrlOf(after) ?? null,
    parcel_status: parcelEventsOf(after).at(-1)?.label ?? null,
    at: isoTime(after.updatedAt),
  };
  if (!before) return [emitEvent(orderCreated, after.companyId, detail)];
  if (before.status === after.status) return [emitEvent(orderUpdated, after.companyId, detail)];
  const moved = { ...detail, from: before.status, is_regression: isRegression(before.status, after.status) };
  return [emitEvent(orderStatusUpdated, after.companyId, moved)];
}
