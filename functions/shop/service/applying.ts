import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { takeIds } from '../../../shared/table/head.ts';
import type { Said, SaidGone, SaidParcel, SaidProduct } from '../contract/said.ts';
import { type Product, productEntityName } from '../contract/stored.ts';
import { roundedMinor } from '../domain/money.ts';
import { isOlder, tracked, withStatus } from '../domain/order.ts';
import { markingWorked, markWorked, wasWorked } from '../store/delivery.ts';
import { claimExternalId, moveClaim, type ProductClaim } from '../store/product.ts';
import { takeCheckout } from './carts.ts';
import { changeOrder } from './orders.ts';
import { type Delivery, orderIdBy, orderIdOf, takeFulfilment, takeOrder } from './placing.ts';
import { shopSettings } from './settings.ts';
import { readSource, upsertProduct } from './upsert.ts';

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
      return log.info('A delivery leads to nothing yet', { company_id: companyId, event: said.kind });
  }
}

/** products/create and products/update are the same: the product of the external id becomes what the platform says (S21). */
export const takeProduct = async (companyId: number, said: SaidProduct): Promise<void> => {
  const { source, externalId } = said;
  const settings = await shopSettings(companyId);
  const upserted = await upsertProduct(
    await readSource({ companyId, source, externalId }),
    (seen, isNew, claim) => asPlatformSays(seen, isNew, claim, said, settings.platform_currency),
    () => takeIds(companyId, productEntityName, 1),
  );
  if (isProblem(upserted)) throw new Error('A platform product was refused.');
  if (upserted.outcome !== 'created') return;
  // deleted while it was being made: whoever dropped it saw no product yet
  const { claim } = await readSource({ companyId, source, externalId });
  const goneAt = claim?.goneAt;
  if (goneAt !== undefined && (said.at ?? 0) <= goneAt)
    await dropProduct(companyId, { kind: 'product-gone', source, externalId, at: goneAt });
};

function asPlatformSays(
  seen: Product,
  isNew: boolean,
  claim: ProductClaim | undefined,
  said: SaidProduct,
  platformCurrency: string,
): Product | undefined {
  if (claim?.goneAt !== undefined && (said.at ?? 0) <= claim.goneAt) return undefined;
  if (!isNew && isOlder(said, seen)) return undefined;
  const {
    deletedAt: _deleted,
    compareAt: _compare,
    description: _text,
    image: _image,
    sku: _sku,
    vendor: _vendor,
    productType: _type,
    ...kept
  } = seen;
  const currency = said.currency ?? (isNew ? platformCurrency : seen.currency);
  return {
    ...kept,
    name: said.name,
    currency,
    price: said.price === undefined ? seen.price : roundedMinor(said.price, currency),
    stock: said.stock ?? seen.stock,
    status: said.status ?? seen.status,
    ...(said.compareAt ? { compareAt: roundedMinor(said.compareAt, currency) } : {}),
    ...(said.description ? { description: said.description } : {}),
    ...(said.image ? { image: said.image } : {}),
    ...(said.sku ? { sku: said.sku } : {}),
    ...(said.vendor ? { vendor: said.vendor } : {}),
    ...(said.productType ? { productType: said.productType } : {}),
    ...(said.at === undefined ? {} : { sourceAt: said.at }),
    ...(said.saidAt === undefined ? {} : { sourceSaidAt: said.saidAt }),
  };
}

/** products/delete: the product is hidden (2§6); one that never came leaves a mark, so that a late word does not bring it (S21). */
async function dropProduct(companyId: number, { source, externalId, at }: SaidGone): Promise<void> {
  for (let attempt = 0; attempt < 12; attempt++) {
    const { claim, product } = await readSource({ companyId, source, externalId });
    if (claim === undefined || (claim.goneAt ?? 0) < at) {
      const marked: ProductClaim = { companyId, source, externalId, ...claim, at: claim?.at ?? now(), goneAt: at };
      const done = claim ? await moveClaim(claim, marked) : (await claimExternalId(marked)).done;
      if (!done) continue;
    }
    if (!product) return;
    const dropped = await upsertProduct(
      { companyId, source, externalId, claim, product },
      (seen) => ((seen.sourceAt ?? 0) > at ? undefined : { ...seen, status: 'Draft', sourceAt: at, sourceSaidAt: at }),
      () => takeIds(companyId, productEntityName, 1),
    );
    if (!isProblem(dropped)) return;
  }
  throw new Error('A product changed too often to be dropped.');
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
