import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { type Cart, cartEntityName, storedCart } from '../contract/stored.ts';
import { orderCutoff, type CustomerActivity, reminderIntervalMs } from '../domain/cart.ts';

const dayS = 86_400;

export const cartEntity = entity({
  name: cartEntityName,
  purpose: 'A checkout that may be left behind, with its timer',
  attributes: storedCart,
  key: ({ companyId, key }: { companyId: number; key: string }) => ({ pk: `${tenant(companyId)}#CART#${key}`, sk: 'CART' }),
  idOf: ({ companyId, key }) => ({ companyId, key }),
  indexedBy: ['companyId', 'key', 'dueAt'],
  indexes: ({ companyId, key, dueAt }) => ({
    due: dueAt === undefined ? undefined : dueKeys(dueAt, cartEntityName, `${companyId}:${key}`),
  }),
  expiresAt: ({ updatedAt }) => Math.floor(updatedAt / 1_000) + 30 * dayS,
  example: { pk: 'C#<company>#CART#<hash of source and checkout id>', sk: 'CART' },
});

/** That somebody ordered, or was reminded: by checkout id, phone or email. An order writes here, a reminder is sent on its condition. */
const activityEntity = entity({
  name: 'shop-cart-mark',
  purpose: 'By checkout id, phone or email: when an order came, when a reminder went out',
  attributes: z.object({
    companyId: z.int(),
    by: z.enum(['checkout', 'phone', 'email']),
    hash: z.string(),
    orderedAt: z.int().optional(),
    remindedAt: z.int().optional(),
  }),
  key: ({ companyId, by, hash }: ActivityId) => ({ pk: `${tenant(companyId)}#CARTMARK#${by}#${hash}`, sk: 'CARTMARK' }),
  idOf: ({ companyId, by, hash }) => ({ companyId, by, hash }),
  expiresAt: ({ orderedAt, remindedAt }) => activityExpiry(Math.max(orderedAt ?? 0, remindedAt ?? 0)),
  example: { pk: 'C#<company>#CARTMARK#<checkout, phone or email>#<hash>', sk: 'CARTMARK' },
});
interface ActivityId {
  companyId: number;
  by: 'checkout' | 'phone' | 'email';
  hash: string;
}

const activityExpiry = (at: number): number => Math.floor(at / 1_000) + 30 * dayS;

/** What a person or a checkout is known by. */
export interface CustomerKeys {
  checkoutIds: readonly string[];
  phone?: string | undefined;
  email?: string | undefined;
}

export const getCart = pattern(
  { question: 'a cart', entity: cartEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (companyId: number, key: string): Promise<Cart | undefined> => cartEntity.get({ companyId, key }, { consistent: true }),
);

/** Writes a cart, if nobody wrote it since it was read. */
export const putCart = pattern(
  { question: 'a cart is opened, changed or ended', entity: cartEntityName, by: 'PutItem', units: '1 WRU, 2 or 3 when its timer moves' },
  (cart: Cart): Promise<Written<Cart>> => cartEntity.put(cart, cart.rev === 0 ? missing() : equals('rev', cart.rev - 1)),
);

export const listActivity = pattern(
  { question: 'did somebody order, were they reminded', entity: 'shop-cart-mark', by: 'BatchGetItem', units: '1 RRU each, consistent' },
  (companyId: number, traits: CustomerKeys): Promise<CustomerActivity[]> =>
    activityEntity.getMany(activityIds(companyId, traits), { consistent: true }),
);

/** An order: from now on no reminder of the carts that it ends goes out. One write for each trait; the later order stands. */
export const recordOrder = pattern(
  { question: 'an order ends carts', entity: 'shop-cart-mark', by: 'UpdateItem', units: '1 WRU for each of checkout ids, phone, email' },
  async (companyId: number, traits: CustomerKeys, orderedAt: number): Promise<void> => {
    await Promise.all(
      activityIds(companyId, traits).map((id) =>
        activityEntity.change(
          id,
          { set: { ...id, kind: 'shop-cart-mark', orderedAt, ttl: activityExpiry(orderedAt) } },
          any(missing('orderedAt'), below('orderedAt', orderedAt)),
        ),
      ),
    );
  },
);

/**
 * The reminder's claim: the cart and everything it is known by, in one write, so that an order that comes at the same moment either
 * prevents it or comes after it. False: something stands differently by now.
 */
export const claimReminder = pattern(
  {
    question: 'a reminder is about to go out, unless an order came',
    entity: cartEntityName,
    by: 'TransactWriteItems',
    units: '2 WRU a part',
  },
  async (cart: Cart, at: number): Promise<boolean> => {
    const { dueAt: _due, ...rest } = cart;
    const claimed: Cart = { ...rest, state: 'claimed', remindedAt: at, rev: cart.rev + 1, updatedAt: at };
    const parts = activityIds(cart.companyId, cart).map((id): TransactionPart => {
      const notOrdered = id.by === 'checkout' ? missing('orderedAt') : any(missing('orderedAt'), below('orderedAt', orderCutoff(cart)));
      const notReminded = any(missing('remindedAt'), below('remindedAt', at - reminderIntervalMs + 1));
      const set = { ...id, kind: 'shop-cart-mark', remindedAt: at, ttl: activityExpiry(at) };
      return activityEntity.changing(id, { set }, all(notOrdered, notReminded));
    });
    return (await commit([cartEntity.putting(claimed, equals('rev', cart.rev)), ...parts])).done;
  },
);

/** Nothing is kept of when a person ordered or was reminded. */
export const deleteActivity = pattern(
  { question: 'a person is forgotten', entity: 'shop-cart-mark', by: 'DeleteItem', units: '1 WRU a trait' },
  async (companyId: number, traits: CustomerKeys): Promise<void> => {
    await Promise.all(activityIds(companyId, traits).map((id) => activityEntity.delete(id)));
  },
);

const notificationEntity = entity({
  name: 'shop-notice',
  purpose: 'The customer of an order is told of a status, once',
  attributes: z.object({ companyId: z.int(), orderId: z.int(), status: z.string(), at: z.int() }),
  key: ({ companyId, orderId, status }: { companyId: number; orderId: number; status: string }) => ({
    pk: `${tenant(companyId)}#NOTICE#${orderId}`,
    sk: status,
  }),
  idOf: ({ companyId, orderId, status }) => ({ companyId, orderId, status }),
  example: { pk: 'C#<company>#NOTICE#<order>', sk: '<status>' },
});

/** Since when the customer's notice of this status is on its way: for ever the same, so that every repetition makes the same message. */
export const claimNotification = pattern(
  { question: 'is the customer told of this status', entity: 'shop-notice', by: 'PutItem', units: '1 WRU' },
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
