import { isProblem } from '../../../shared/contract/problems.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { FulfilmentUpdate, OrderUpdate, ParcelUpdate, RecordDeletion } from '../contract/platform-event.ts';
import { type Order, orderEntityName, type Source } from '../contract/stored.ts';
import { type Customer, newOrder, applyOrderUpdate, withDeletion, withParcel, withShipments } from '../domain/order.ts';
import { type Shipments, withShipment } from '../domain/shipment.ts';
import {
  createOrderClaim,
  getOrderRow,
  getOrderClaim,
  type OrderClaim,
  putOrderReference,
  updateOrderClaim,
  putOrder,
} from '../store/order.ts';
import { customerOf } from './customers.ts';
import { modifyOrder } from './orders.ts';

/** The key of the delivery that causes a change. It is written in the same transaction, so that a repeat changes nothing. */
export interface DeliveryReference {
  key: string | undefined;
}

/** Creates the order of a source's external id, or updates it. Repeated, late and older updates are safe. */
export const upsertOrder = async (
  companyId: number,
  update: OrderUpdate,
  { key: deliveryKey }: DeliveryReference,
): Promise<{ order: Order; created: boolean }> => {
  let customer: Customer | undefined;
  return retryOnConflict<{ order: Order; created: boolean }>(12, async () => {
    const { orderId, waiting, deletedAt } = await claimOrderId(companyId, update.source, update.externalId);
    if (orderId === undefined) return conflict;
    const existing = await getOrderRow(companyId, orderId, { consistent: true });
    // A late update of a redacted order does not create the contact again.
    customer ??=
      existing?.redactedAt === undefined ? await customerOfUpdate(companyId, update) : { phone: undefined, contactId: undefined };
    const orderCustomer = customer;
    const at = now();
    if (existing) {
      const changed = await modifyOrder(companyId, orderId, (seen) => applyOrderUpdate(seen, update, orderCustomer, at), { deliveryKey });
      return isProblem(changed) ? conflict : { order: changed.order, created: false };
    }
    const created = applyOrderUpdate(newOrder(companyId, orderId, update, at), update, orderCustomer, at, waiting);
    const draft = deletedAt === undefined ? created : withDeletion(created, update.source, deletedAt);
    await putOrderReference(companyId, 'number', numberKey(draft.number), orderId);
    if (draft.trackingNumber !== undefined) await putOrderReference(companyId, 'tracking', draft.trackingNumber, orderId);
    const parcels = await waitingParcels(companyId, draft);
    const order: Order = { ...parcels.reduce(withParcel, draft), version: 1 };
    const isTracked = order.trackingNumber !== undefined && order.trackingNumber !== draft.trackingNumber;
    if (isTracked) await putOrderReference(companyId, 'tracking', order.trackingNumber ?? '', orderId);
    return (await putOrder(order, { isNew: true, deliveryKey })) === 'done' ? { order, created: true } : conflict;
  });
};

type DatedParcel = ParcelUpdate & { at: number };

/** The reports that came before their order, oldest first. 1 RRU, 2 for an order with a tracking number. */
async function waitingParcels(companyId: number, { number, trackingNumber }: Order): Promise<DatedParcel[]> {
  const claims = await Promise.all([
    getOrderClaim({ companyId, by: 'parcel-number', value: numberKey(number) }),
    trackingNumber === undefined ? undefined : getOrderClaim({ companyId, by: 'parcel-tracking', value: trackingNumber }),
  ]);
  const parcels = claims.flatMap((claim) => claim?.parcels ?? []).map((parcel) => ({ ...parcel, at: parcel.at ?? 0 }));
  return parcels.toSorted((a, b) => a.at - b.at);
}

/** Stores a report about a parcel whose order is not known yet, under every number that the order may be known by later. 1 WRU each. */
export const putWaitingParcel = async (companyId: number, parcel: DatedParcel, at: number): Promise<void> => {
  const { orderNumbers, trackingNumber } = parcel;
  const ids = [
    ...orderNumbers.map((number) => ({ companyId, by: 'parcel-number' as const, value: numberKey(number) })),
    ...(trackingNumber === undefined ? [] : [{ companyId, by: 'parcel-tracking' as const, value: trackingNumber }]),
  ];
  for (const id of ids)
    await retryOnConflict<void>(12, async () => {
      const claim = await getOrderClaim(id);
      const held = claim?.parcels ?? [];
      if (held.some((each) => each.at === parcel.at && each.label === parcel.label)) return undefined;
      const parcels = [...held, parcel].slice(-maxWaitingParcels);
      const next: OrderClaim = {
        ...id,
        parcels,
        expiresAtSeconds: Math.floor(at / 1_000) + waitingDays * 86_400,
        rev: (claim?.rev ?? -1) + 1,
      };
      return (claim ? await updateOrderClaim(next) : (await createOrderClaim(next)).done) ? undefined : conflict;
    });
};

const maxWaitingParcels = 20;
const waitingDays = 30;

function customerOfUpdate(companyId: number, update: OrderUpdate): Promise<Customer> {
  const isPlatform = update.source === 'storeplatform' || update.source === 'webshop';
  // a name that a stranger chose must not come into the messages to a known contact
  const customer = {
    phone: update.customerPhone,
    name: update.isUnsigned ? undefined : update.customerName,
    email: update.isUnsigned ? undefined : update.customerEmail,
    isDeclined: update.isUnsigned ?? update.marketingDeclined,
  };
  return customerOf(companyId, isPlatform ? { ...customer, platform: { country: update.phoneCountry } } : customer);
}

/** Applies a fulfilment to its order. Before the order exists, the fulfilment waits in the order's claim. */
export const applyFulfilment = (
  companyId: number,
  { source, externalId, shipment }: FulfilmentUpdate,
  { key: deliveryKey }: DeliveryReference,
): Promise<void> =>
  retryOnConflict<void>(12, async () => {
    const id = { companyId, by: 'external' as const, value: externalKey(source, externalId) };
    const claim = await getOrderClaim(id);
    if (claim?.orderId === undefined) {
      const waiting: Shipments = withShipment(claim?.waiting ?? {}, shipment);
      const next: OrderClaim = { ...id, ...claim, waiting: { ...waiting }, rev: (claim?.rev ?? -1) + 1 };
      const isWritten = claim ? await updateOrderClaim(next) : (await createOrderClaim(next)).done;
      return isWritten ? undefined : conflict;
    }
    // The call that creates the order has read the claim already, so only the order itself can take the fulfilment.
    if (!(await getOrderRow(companyId, claim.orderId, { consistent: true }))) return conflict;
    const at = now();
    const change = (order: Order): Order => withShipments(order, withShipment(order.shipments ?? {}, shipment), at);
    return isProblem(await modifyOrder(companyId, claim.orderId, change, { deliveryKey })) ? conflict : undefined;
  });

/**
 * Cancels an order that its source deleted. Before the order exists the deletion waits in the order's claim; while it is being created, the deletion is
 * repeated: only the order itself can take it then. A claim without its order is that of a call that crashed, and the next one reads the deletion.
 */
export const cancelDeletedOrder = (
  companyId: number,
  { source, externalId, at }: RecordDeletion,
  { key: deliveryKey }: DeliveryReference,
): Promise<void> =>
  retryOnConflict<void>(12, async () => {
    const id = { companyId, by: 'external' as const, value: externalKey(source, externalId) };
    const claim = await getOrderClaim(id);
    const order = claim?.orderId === undefined ? undefined : await getOrderRow(companyId, claim.orderId, { consistent: true });
    if (order) {
      const changed = await modifyOrder<never>(companyId, order.id, (seen) => withDeletion(seen, source, at), { deliveryKey });
      return isProblem(changed) ? conflict : undefined;
    }
    if ((claim?.deletedAt ?? 0) >= at) return undefined;
    const next: OrderClaim = { ...id, ...claim, deletedAt: at, rev: (claim?.rev ?? -1) + 1 };
    const isWritten = claim ? await updateOrderClaim(next) : (await createOrderClaim(next)).done;
    if (isWritten && claim?.orderId !== undefined)
      throw new Error('An order is deleted while it is being created: the deletion comes again.');
    return isWritten ? undefined : conflict;
  });

/** The order of a source's external id, when it is known. */
export const orderIdByExternalId = async (companyId: number, source: Source, externalId: string): Promise<number | undefined> =>
  (await getOrderClaim({ companyId, by: 'external', value: externalKey(source, externalId) }))?.orderId;

/** The order of an order number (with or without #) or a tracking number. */
export const orderIdByReference = async (companyId: number, by: 'number' | 'tracking', value: string): Promise<number | undefined> =>
  (await getOrderClaim({ companyId, by, value: by === 'number' ? numberKey(value) : value }))?.orderId;

async function claimOrderId(companyId: number, source: Source, externalId: string): Promise<OrderClaim> {
  const id = { companyId, by: 'external' as const, value: externalKey(source, externalId) };
  const held = await getOrderClaim(id);
  if (held?.orderId !== undefined) return held;
  const orderId = await nextIds(companyId, orderEntityName, 1);
  const next: OrderClaim = { ...id, ...held, orderId, rev: (held?.rev ?? -1) + 1 };
  const done = held ? await updateOrderClaim(next) : (await createOrderClaim(next)).done;
  return done ? next : { ...next, orderId: undefined };
}

const externalKey = (source: Source, externalId: string): string => `${source}#${externalId}`;
const numberKey = (number: string): string => number.trim().replace(/^#/, '').toLowerCase();
