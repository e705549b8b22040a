import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { type Cart, cartEntityName, storedCart } from '../contract/stored.ts';
import { orderCutoff, type CustomerActivity, reminderIntervalMs } from '../domain/cart.ts';

const dayS = 86_400;

/** By last change, for the erasure of a customer: a cart is known by its checkout alone. */
const listPartition = (companyId: number): string => `${tenant(companyId)}#CARTS`;

export const cartEntity = entity({
  name: cartEntityName,
  purpose: 'A cart, with its timer',
  attributes: storedCart,
  key: ({ companyId, key }: { companyId: number; key: string }) => ({ pk: `${tenant(companyId)}#CART#${key}`, sk: 'CART' }),
  idOf: ({ companyId, key }) => ({ companyId, key }),
  indexedBy: ['companyId', 'key', 'dueAt', 'updatedAt'],
  indexes: ({ companyId, key, dueAt, updatedAt }) => ({
    list: { pk: listPartition(companyId), sk: `${sortable(updatedAt)}#${key}` },
    due: dueAt === undefined ? undefined : dueKeys(dueAt, cartEntityName, `${companyId}:${key}`),
  }),
  expiresAt: ({ updatedAt }) => Math.floor(updatedAt / 1_000) + 30 * dayS,
  personalData: 'name, phone, email of a customer',
  example: { pk: 'C#<company>#CART#<hash of source and checkout id>', sk: 'CART' },
});

/**
 * When a customer ordered and was reminded, by checkout id, phone or email. Orders write here; the claim of a reminder is conditional on
 * it.
 */
const activityEntity = entity({
  name: 'shop-cart-activity',
  purpose: 'When a customer ordered and was reminded, by checkout id, phone or email',
  attributes: z.object({
    companyId: z.int(),
    by: z.enum(['checkout', 'phone', 'email']),
    hash: z.string(),
    orderedAt: z.int().optional(),
    remindedAt: z.int().optional(),
  }),
  key: ({ companyId, by, hash }: ActivityId) => ({ pk: `${tenant(companyId)}#CARTACTIVITY#${by}#${hash}`, sk: 'CARTACTIVITY' }),
  idOf: ({ companyId, by, hash }) => ({ companyId, by, hash }),
  expiresAt: ({ orderedAt, remindedAt }) => activityExpiry(Math.max(orderedAt ?? 0, remindedAt ?? 0)),
  personalData: 'a hash of phone or email',
  example: { pk: 'C#<company>#CARTACTIVITY#<checkout, phone or email>#<hash>', sk: 'CARTACTIVITY' },
});
interface ActivityId {
  companyId: number;
  by: 'checkout' | 'phone' | 'email';
  hash: string;
}

const activityExpiry = (at: number): number => Math.floor(at / 1_000) + 30 * dayS;

/** The keys by which a customer or a checkout is known. */
export interface CustomerKeys {
  checkoutIds: readonly string[];
  phone?: string | undefined;
  email?: string | undefined;
}

export const getCart = pattern(
  { question: 'a cart', entity: cartEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (companyId: number, key: string): Promise<Cart | undefined> => cartEntity.get({ companyId, key }, { consistent: true }),
);

/** Writes a cart, on the condition that its revision is unchanged. */
export const putCart = pattern(
  {
    question: 'create or change a cart, if its revision is unchanged',
    entity: cartEntityName,
    by: 'PutItem',
    units: '3 WRU, 4 or 5 when its timer moves',
  },
  (cart: Cart): Promise<Written<Cart>> => cartEntity.put(cart, cart.rev === 0 ? missing() : equals('rev', cart.rev - 1)),
);

export const listActivity = pattern(
  {
    question: 'when a customer ordered and was reminded',
    entity: 'shop-cart-activity',
    by: 'BatchGetItem',
    units: '1 RRU each, consistent',
  },
  (companyId: number, keys: CustomerKeys): Promise<CustomerActivity[]> =>
    activityEntity.getMany(activityIds(companyId, keys), { consistent: true }),
);

/** Records an order, after which no reminder of the carts that it ends is sent. One write for each key; the latest order time stays. */
export const recordOrder = pattern(
  {
    question: 'record an order that ends carts',
    entity: 'shop-cart-activity',
    by: 'UpdateItem',
    units: '1 WRU for each of checkout ids, phone, email',
  },
  async (companyId: number, keys: CustomerKeys, orderedAt: number): Promise<void> => {
    await Promise.all(
      activityIds(companyId, keys).map((id) =>
        activityEntity.change(
          id,
          { set: { ...id, kind: 'shop-cart-activity', orderedAt, ttl: activityExpiry(orderedAt) } },
          any(missing('orderedAt'), below('orderedAt', orderedAt)),
        ),
      ),
    );
  },
);

/**
 * Claims a reminder: the cart and all its keys in one transaction, so that a concurrent order either prevents the reminder or comes after
 * it. False when a condition failed.
 */
export const claimReminder = pattern(
  { question: 'claim a reminder, unless an order arrived', entity: cartEntityName, by: 'TransactWriteItems', units: '2 WRU a part' },
  async (cart: Cart, at: number): Promise<boolean> => {
    const { dueAt: _due, ...rest } = cart;
    const claimed: Cart = { ...rest, state: 'claimed', remindedAt: at, rev: cart.rev + 1, updatedAt: at };
    const activity = activityIds(cart.companyId, cart).map((id) => {
      const notOrdered = id.by === 'checkout' ? missing('orderedAt') : any(missing('orderedAt'), below('orderedAt', orderCutoff(cart)));
      const notReminded = any(missing('remindedAt'), below('remindedAt', at - reminderIntervalMs + 1));
      const set = { ...id, kind: 'shop-cart-activity', remindedAt: at, ttl: activityExpiry(at) };
      return activityEntity.changing(id, { set }, all(notOrdered, notReminded));
    });
    return (await commit({ cart: cartEntity.putting(claimed, equals('rev', cart.rev)), activity })).done;
  },
);

/** Takes back the claim of a reminder that was not sent, so that the customer counts as not reminded. */
export const releaseReminder = pattern(
  { question: 'a claimed reminder was not sent', entity: 'shop-cart-activity', by: 'UpdateItem', units: '1 WRU a key' },
  async (cart: Cart): Promise<void> => {
    await Promise.all(
      activityIds(cart.companyId, cart).map((id) =>
        activityEntity.change(id, { remove: ['remindedAt'] }, equals('remindedAt', cart.remindedAt ?? 0)),
      ),
    );
  },
);

/** Carts in the order of their last change, some after `cursor`. */
export const listStoredCarts = pattern(
  { question: 'the carts of a company', entity: cartEntityName, by: 'Query', index: 'list', units: '0.5 RRU per 4 KB (about 8 carts)' },
  async (companyId: number, cursor: string | undefined): Promise<{ carts: Cart[]; next: string | undefined }> => {
    const low = cursor === undefined ? ' ' : `${cursor}~`;
    const carts = await cartEntity.collect({ pk: listPartition(companyId), index: 'list', between: [low, '~'] }, { atMost: cartsPerSlice });
    const last = carts.at(-1);
    return { carts, next: carts.length === cartsPerSlice && last ? `${sortable(last.updatedAt)}#${last.key}` : undefined };
  },
);
const cartsPerSlice = 500;

export const listNewestCarts = pattern(
  {
    question: 'the carts that changed last',
    entity: cartEntityName,
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB (about 8 carts)',
  },
  (companyId: number): Promise<Cart[]> =>
    cartEntity.collect({ pk: listPartition(companyId), index: 'list', descending: true }, { atMost: cartsPerSlice }),
);

export const deleteCart = pattern(
  { question: 'remove a cart of an erased customer', entity: cartEntityName, by: 'DeleteItem', units: '3 WRU' },
  async (companyId: number, key: string): Promise<void> => {
    await cartEntity.delete({ companyId, key });
  },
);

/** Deletes when a customer ordered and was reminded. */
export const deleteCartActivity = pattern(
  { question: 'delete what is stored about a customer', entity: 'shop-cart-activity', by: 'DeleteItem', units: '1 WRU a key' },
  async (companyId: number, keys: CustomerKeys): Promise<void> => {
    await Promise.all(activityIds(companyId, keys).map((id) => activityEntity.delete(id)));
  },
);

const notificationEntity = entity({
  name: 'shop-order-notification',
  purpose: 'The notification of an order status, sent once',
  attributes: z.object({ companyId: z.int(), orderId: z.int(), status: z.string(), at: z.int() }),
  key: ({ companyId, orderId, status }: { companyId: number; orderId: number; status: string }) => ({
    pk: `${tenant(companyId)}#NOTICE#${orderId}`,
    sk: status,
  }),
  idOf: ({ companyId, orderId, status }) => ({ companyId, orderId, status }),
  example: { pk: 'C#<company>#NOTICE#<order>', sk: '<status>' },
});

/** Claims the notification of a status and returns the time of the first claim, so that every retry sends the same message. */
export const claimNotification = pattern(
  { question: 'claim the notification of an order status', entity: 'shop-order-notification', by: 'PutItem', units: '1 WRU' },
  async (notice: { companyId: number; orderId: number; status: string; at: number }): Promise<number> => {
    const claimed = await notificationEntity.put(notice, missing());
    if (claimed.done) return notice.at;
    return claimed.current?.at ?? (await notificationEntity.get(notice, { consistent: true }))?.at ?? notice.at;
  },
);

function activityIds(companyId: number, { checkoutIds, phone, email }: CustomerKeys): ActivityId[] {
  return [
    ...checkoutIds.map((value) => ({ by: 'checkout' as const, value })),
    ...(phone === undefined ? [] : [{ by: 'phone' as const, value: phone }]),
    ...(email === undefined ? [] : [{ by: 'email' as const, value: email.trim().toLowerCase() }]),
  ].map(({ by, value }) => ({ companyId, by, hash: sha256(value).slice(0, 32) }));
}
