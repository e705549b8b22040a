import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { Said, SaidGone, SaidParcel } from '../contract/said.ts';
import { tracked, withStatus } from '../domain/order.ts';
import { markingWorked, markWorked, wasWorked } from '../store/delivery.ts';
import { takeCheckout } from './carts.ts';
import { changeOrder } from './orders.ts';
import { type Delivery, orderIdBy, orderIdOf, takeFulfilment, takeOrder } from './placing.ts';
import { takeNotice } from './privacy.ts';
import { dropProduct, takeProduct } from './taking-products.ts';

/**
 * A delivery of a receiver, applied. What it changes carries its mark in the same write, or is guarded by the source's own clock; the mark
 * is set when it is done. So a delivery twice, late or out of order leaves what the platform last said.
 */
export const applyDelivery = async (companyId: number, key: string, said: Said): Promise<void> => {
  if (await wasWorked(companyId, key)) return;
  await apply(companyId, said, { key });
  await markWorked(companyId, key, now());
};

async function apply(companyId: number, said: Said, delivery: Delivery): Promise<void> {
  switch (said.kind) {
    case 'product':
      return takeProduct(companyId, said);
    case 'product-gone':
      return dropProduct(companyId, said);
    case 'order':
      await takeOrder(companyId, said, delivery);
      return;
    case 'order-gone':
      return dropOrder(companyId, said, delivery);
    case 'fulfilment':
      return takeFulfilment(companyId, said, delivery);
    case 'parcel':
      return takeParcel(companyId, said, delivery);
    case 'checkout':
      return takeCheckout(companyId, said);
    case 'notice':
      return takeNotice(companyId, said, delivery.key ?? '');
  }
}

async function dropOrder(companyId: number, { source, externalId, at }: SaidGone, { key }: Delivery): Promise<void> {
  const orderId = await orderIdOf(companyId, source, externalId);
  if (orderId === undefined) return;
  await changeOrder<never>(
    companyId,
    orderId,
    (order) => ((order.sourceAt ?? 0) > at ? order : { ...withStatus(order, 'Cancelled', source, at), sourceAt: at }),
    () => (key === undefined ? [] : [markingWorked(companyId, key, now())]),
  );
}

/** A parcel's order is found by its number, then by the tracking number; an unknown one is nobody's (S23). */
async function takeParcel(companyId: number, said: SaidParcel, { key }: Delivery): Promise<void> {
  const orderId = await orderOfParcel(companyId, said);
  if (orderId === undefined) return;
  const at = said.at ?? now();
  const changed = await changeOrder<never>(
    companyId,
    orderId,
    (order) => {
      const isLate = order.sourceStates?.['parcel_at'] !== undefined && at < Number(order.sourceStates['parcel_at']);
      const states = { ...order.sourceStates, ...(isLate ? {} : { parcel: said.label, parcel_at: String(at) }) };
      const next = {
        ...order,
        ...tracked({ number: said.trackingNumber, url: said.trackingUrl, courier: said.courier }),
        ...(order.source === 'storeplatform' ? {} : { sourceStates: states }),
      };
      const isFinal =
        order.status === 'Refunded' || order.status === 'Cancelled' || (order.status === 'Delivered' && said.status === 'Shipped');
      return said.status === undefined || isLate || isFinal ? next : withStatus(next, said.status, 'logistics', at);
    },
    () => (key === undefined ? [] : [markingWorked(companyId, key, now())]),
  );
  if (isProblem(changed)) throw new Error('An order changed too often to take its parcel.');
}

async function orderOfParcel(companyId: number, { orderNumbers, trackingNumber }: SaidParcel): Promise<number | undefined> {
  for (const number of orderNumbers) {
    const id = await orderIdBy(companyId, 'number', number);
    if (id !== undefined) return id;
  }
  return trackingNumber === undefined ? undefined : orderIdBy(companyId, 'tracking', trackingNumber);
}
