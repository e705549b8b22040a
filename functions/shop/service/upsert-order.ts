import { setTimeout } from 'node:timers/promises';
import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { FulfilmentUpdate, OrderUpdate } from '../contract/platform-event.ts';
import { type Order, orderEntityName, type Source } from '../contract/stored.ts';
import { type Customer, newOrder, applyOrderUpdate, withShipments } from '../domain/order.ts';
import { type Shipments, withShipment } from '../domain/shipment.ts';
import { appliedDeliveryPart } from '../store/delivery.ts';
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

/** What a delivery is known by: its mark is written with what it causes, so that a repeat changes nothing. */
export interface DeliveryReference {
  key: string | undefined;
}

/** An order that its source told of: made once, then changed in place (S17, S20). Repeats, late and older words change nothing wrongly. */
export const upsertOrder = async (
  companyId: number,
  update: OrderUpdate,
  { key }: DeliveryReference,
): Promise<{ order: Order; created: boolean }> => {
  const platform = update.source === 'storeplatform' || update.source === 'webshop' ? { country: update.phoneCountry } : undefined;
  let customer: Customer | undefined;
  for (let attempt = 0; attempt < 12; attempt++) {
    const claim = await claimOrderId(companyId, update.source, update.externalId);
    const { orderId } = claim;
    if (orderId === undefined) continue;
    const existing = await getOrderRow(companyId, orderId, true);
    // who was taken out of an order is not made a contact again by a late word of it
    customer ??=
      existing?.redactedAt === undefined
        ? await customerOf(companyId, { phone: update.customerPhone, name: update.customerName, ...(platform ? { platform } : {}) })
        : { phone: undefined, contactId: undefined };
    const person = customer;
    const at = now();
    const also = key === undefined ? [] : [appliedDeliveryPart(companyId, key, at)];
    if (existing) {
      const changed = await modifyOrder(
        companyId,
        orderId,
        (seen) => applyOrderUpdate(seen, update, person, at),
        () => also,
      );
      if (isProblem(changed)) throw new Contended();
      return { order: changed.order, created: false };
    }
    const order: Order = { ...applyOrderUpdate(newOrder(companyId, orderId, update, at), update, person, at, claim.waiting), version: 1 };
    await putOrderReference(companyId, 'number', numberKey(order.number), orderId);
    if (order.trackingNumber !== undefined) await putOrderReference(companyId, 'tracking', order.trackingNumber, orderId);
    if ((await putOrder(order, true, also)) === 'done') return { order, created: true };
  }
  throw new Contended();
};

/** A fulfilment of an order; before its order it waits in the order's claim. */
export const applyFulfilment = async (companyId: number, update: FulfilmentUpdate, { key }: DeliveryReference): Promise<void> => {
  for (let attempt = 0; attempt < 12; attempt++) {
    const id = { companyId, by: 'external' as const, value: externalKey(update.source, update.externalId) };
    const claim = await getOrderClaim(id);
    const at = now();
    const also = key === undefined ? [] : [appliedDeliveryPart(companyId, key, at)];
    if (claim?.orderId !== undefined) {
      // whoever makes the order has read the claim already: only the order itself can take this
      if (!(await getOrderRow(companyId, claim.orderId, true))) {
        await setTimeout(orderCreationPollMs);
        continue;
      }
      const changed = await modifyOrder(
        companyId,
        claim.orderId,
        (order) => withShipments(order, withShipment(order.shipments ?? {}, update.shipment), at),
        () => also,
      );
      if (isProblem(changed)) throw new Contended();
      return;
    }
    const waiting: Shipments = withShipment(claim?.waiting ?? {}, update.shipment);
    const next: OrderClaim = { ...id, ...claim, waiting: { ...waiting }, rev: (claim?.rev ?? -1) + 1 };
    if (claim ? await updateOrderClaim(next) : (await createOrderClaim(next)).done) return;
  }
  throw new Contended();
};

/** The order of a source's id, where it is known. */
export const orderIdByExternalId = async (companyId: number, source: Source, externalId: string): Promise<number | undefined> =>
  (await getOrderClaim({ companyId, by: 'external', value: externalKey(source, externalId) }))?.orderId;

/** The order that a number (with or without #) or a parcel leads to. */
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

/** Between two looks whether an order is there by now; after twelve its fulfilment comes again with the queue. */
const orderCreationPollMs = 25;

class Contended extends Error {
  override name = 'TransactionConflict';
}
