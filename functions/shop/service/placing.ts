import { setTimeout } from 'node:timers/promises';
import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { takeIds } from '../../../shared/table/head.ts';
import type { SaidFulfilment, SaidOrder } from '../contract/said.ts';
import { type Order, orderEntityName, type Source } from '../contract/stored.ts';
import { type Customer, newOrder, told, withShipments } from '../domain/order.ts';
import { type Shipments, withShipment } from '../domain/shipment.ts';
import { markingWorked } from '../store/delivery.ts';
import { claimOrder, findOrder, findOrderClaim, type OrderClaim, pointToOrder, replaceOrderClaim, saveOrder } from '../store/order.ts';
import { customerOf } from './customers.ts';
import { changeOrder } from './orders.ts';

/** What a delivery is known by: its mark is written with what it causes, so that a repeat changes nothing. */
export interface Delivery {
  key: string | undefined;
}

/** An order that its source told of: made once, then changed in place (S17, S20). Repeats, late and older words change nothing wrongly. */
export const takeOrder = async (companyId: number, said: SaidOrder, { key }: Delivery): Promise<{ order: Order; created: boolean }> => {
  const platform = said.source === 'storeplatform' || said.source === 'webshop' ? { country: said.phoneCountry } : undefined;
  let customer: Customer | undefined;
  for (let attempt = 0; attempt < 12; attempt++) {
    const claim = await claimed(companyId, said.source, said.externalId);
    const { orderId } = claim;
    if (orderId === undefined) continue;
    const held = await findOrder(companyId, orderId, true);
    // who was taken out of an order is not made a contact again by a late word of it
    customer ??=
      held?.redactedAt === undefined
        ? await customerOf(companyId, { phone: said.customerPhone, name: said.customerName, ...(platform ? { platform } : {}) })
        : { phone: undefined, contactId: undefined };
    const person = customer;
    const at = now();
    const also = key === undefined ? [] : [markingWorked(companyId, key, at)];
    if (held) {
      const changed = await changeOrder(
        companyId,
        orderId,
        (seen) => told(seen, said, person, at),
        () => also,
      );
      if (isProblem(changed)) throw new Contended();
      return { order: changed.order, created: false };
    }
    const order: Order = { ...told(newOrder(companyId, orderId, said, at), said, person, at, claim.waiting), version: 1 };
    await pointToOrder(companyId, 'number', numberKey(order.number), orderId);
    if (order.trackingNumber !== undefined) await pointToOrder(companyId, 'tracking', order.trackingNumber, orderId);
    if ((await saveOrder(order, true, also)) === 'done') return { order, created: true };
  }
  throw new Contended();
};

/** A fulfilment of an order; before its order it waits in the order's claim. */
export const takeFulfilment = async (companyId: number, said: SaidFulfilment, { key }: Delivery): Promise<void> => {
  for (let attempt = 0; attempt < 12; attempt++) {
    const id = { companyId, by: 'external' as const, value: externalKey(said.source, said.externalId) };
    const claim = await findOrderClaim(id);
    const at = now();
    const also = key === undefined ? [] : [markingWorked(companyId, key, at)];
    if (claim?.orderId !== undefined) {
      // whoever makes the order has read the claim already: only the order itself can take this
      if (!(await findOrder(companyId, claim.orderId, true))) {
        await setTimeout(beingMadeMs);
        continue;
      }
      const changed = await changeOrder(
        companyId,
        claim.orderId,
        (order) => withShipments(order, withShipment(order.shipments ?? {}, said.shipment), at),
        () => also,
      );
      if (isProblem(changed)) throw new Contended();
      return;
    }
    const waiting: Shipments = withShipment(claim?.waiting ?? {}, said.shipment);
    const next: OrderClaim = { ...id, ...claim, waiting: { ...waiting }, rev: (claim?.rev ?? -1) + 1 };
    if (claim ? await replaceOrderClaim(next) : (await claimOrder(next)).done) return;
  }
  throw new Contended();
};

/** The order of a source's id, where it is known. */
export const orderIdOf = async (companyId: number, source: Source, externalId: string): Promise<number | undefined> =>
  (await findOrderClaim({ companyId, by: 'external', value: externalKey(source, externalId) }))?.orderId;

/** The order that a number (with or without #) or a parcel leads to. */
export const orderIdBy = async (companyId: number, by: 'number' | 'tracking', value: string): Promise<number | undefined> =>
  (await findOrderClaim({ companyId, by, value: by === 'number' ? numberKey(value) : value }))?.orderId;

async function claimed(companyId: number, source: Source, externalId: string): Promise<OrderClaim> {
  const id = { companyId, by: 'external' as const, value: externalKey(source, externalId) };
  const held = await findOrderClaim(id);
  if (held?.orderId !== undefined) return held;
  const orderId = await takeIds(companyId, orderEntityName, 1);
  const next: OrderClaim = { ...id, ...held, orderId, rev: (held?.rev ?? -1) + 1 };
  const done = held ? await replaceOrderClaim(next) : (await claimOrder(next)).done;
  return done ? next : { ...next, orderId: undefined };
}

const externalKey = (source: Source, externalId: string): string => `${source}#${externalId}`;
const numberKey = (number: string): string => number.trim().replace(/^#/, '').toLowerCase();

/** Between two looks whether an order is there by now; after twelve its fulfilment comes again with the queue. */
const beingMadeMs = 25;

class Contended extends Error {
  override name = 'TransactionConflict';
}
