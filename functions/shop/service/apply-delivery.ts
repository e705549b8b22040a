import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { PlatformEvent, ParcelUpdate } from '../contract/platform-event.ts';
import { withParcel } from '../domain/order.ts';
import { isDeliveryApplied, putAppliedDelivery } from '../store/delivery.ts';
import { applyCheckout } from './carts.ts';
import { modifyOrder } from './orders.ts';
import {
  cancelDeletedOrder,
  type DeliveryReference,
  orderIdByReference,
  applyFulfilment,
  putWaitingParcel,
  upsertOrder,
} from './upsert-order.ts';
import { applyCustomerUpdate } from './customers.ts';
import { applyPlatformNotice } from './platform-notices.ts';
import { unpublishProduct, upsertPlatformProduct } from './platform-products.ts';

/**
 * Applies a queued delivery of a receiver. Its changes carry the delivery's key in the same transaction or are ordered by the source's
 * clock, so a delivery that repeats, comes late or out of order leaves the source's latest state.
 */
export const applyDelivery = async (companyId: number, key: string, event: PlatformEvent): Promise<void> => {
  if (await isDeliveryApplied(companyId, key)) return;
  await applyEvent(companyId, event, { key });
  await putAppliedDelivery(companyId, key, now());
};

async function applyEvent(companyId: number, event: PlatformEvent, delivery: DeliveryReference): Promise<void> {
  switch (event.kind) {
    case 'product':
      return upsertPlatformProduct(companyId, event);
    case 'product-deleted':
      return unpublishProduct(companyId, event);
    case 'order':
      await upsertOrder(companyId, event, delivery);
      return;
    case 'order-deleted':
      return cancelDeletedOrder(companyId, event, delivery);
    case 'fulfilment':
      return applyFulfilment(companyId, event, delivery);
    case 'parcel':
      return applyParcelUpdate(companyId, event, delivery);
    case 'checkout':
      return applyCheckout(companyId, event);
    case 'customer':
      return applyCustomerUpdate(companyId, event, delivery.key ?? '');
    case 'notice':
      return applyPlatformNotice(companyId, event, delivery.key ?? '');
  }
}

/**
 * Finds the parcel's order by order number, then by tracking number. A report about an unknown order waits for it. The order may come while
 * it is put aside: it looks for reports after its number is known, and here the number is looked for after the report is stored.
 */
async function applyParcelUpdate(companyId: number, given: ParcelUpdate, { key }: DeliveryReference): Promise<void> {
  const update = { ...given, at: given.at ?? now() };
  let orderId = await orderIdOfParcel(companyId, update);
  if (orderId === undefined) {
    await putWaitingParcel(companyId, update, now());
    orderId = await orderIdOfParcel(companyId, update);
  }
  if (orderId === undefined) return;
  const changed = await modifyOrder<never>(companyId, orderId, (order) => withParcel(order, update), { deliveryKey: key });
  if (isProblem(changed)) throw new Error('Too many conflicts while applying a parcel update to an order.');
}

async function orderIdOfParcel(companyId: number, { orderNumbers, trackingNumber }: ParcelUpdate): Promise<number | undefined> {
  for (const number of orderNumbers) {
    const id = await orderIdByReference(companyId, 'number', number);
    if (id !== undefined) return id;
  }
  return trackingNumber === undefined ? undefined : orderIdByReference(companyId, 'tracking', trackingNumber);
}
