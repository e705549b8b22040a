import * as z from 'zod';
import { all, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { type Order, orderEntityName, storedOrder, storedShipment } from '../contract/stored.ts';
import { partitionKey, recordsBelow } from './id-partition.ts';

export const orderEntity = entity({
  name: orderEntityName,
  purpose: 'An order with its lines, customer, tracking and history',
  attributes: storedOrder,
  key: ({ companyId, id }: { companyId: number; id: number }) => partitionKey(companyId, 'OR', id),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#OR#<id / 128>', sk: '<id, 16 digits>' },
});

/** What an order is found by: its source's id (a claim, written before the order, as a product's is), its number, its parcel's number. */
export const orderClaimEntity = entity({
  name: 'shop-order-claim',
  purpose: 'Which order has a source id, a number, a tracking number',
  attributes: z.object({
    companyId: z.int(),
    by: z.enum(['external', 'number', 'tracking']),
    value: z.string(),
    orderId: z.int().optional(),
    /** Fulfilments that came before their order. */
    waiting: z.record(z.string(), storedShipment).optional(),
    rev: z.int().default(0),
  }),
  key: ({ companyId, by, value }: OrderClaimId) => ({ pk: `${tenant(companyId)}#ORX#${by}#${value}`, sk: 'ORX' }),
  idOf: ({ companyId, by, value }) => ({ companyId, by, value }),
  example: { pk: 'C#<company>#ORX#<external, number or tracking>#<value>', sk: 'ORX' },
});
export type OrderClaim = ItemOf<typeof orderClaimEntity>;
export interface OrderClaimId {
  companyId: number;
  by: 'external' | 'number' | 'tracking';
  value: string;
}

/** An order. A miss is asked again consistently, so that an order is there right after its creation. */
export const getOrderRow = pattern(
  { question: 'an order by its id', entity: orderEntityName, by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, id: number, consistent: boolean): Promise<Order | undefined> =>
    (await orderEntity.get({ companyId, id }, { consistent })) ??
    (consistent ? undefined : orderEntity.get({ companyId, id }, { consistent: true })),
);

export const getOrderClaim = pattern(
  { question: 'an order by what it is found by', entity: 'shop-order-claim', by: 'GetItem', units: '1 RRU, consistent' },
  (id: OrderClaimId): Promise<OrderClaim | undefined> => orderClaimEntity.get(id, { consistent: true }),
);

/** Claims a source's id, if nobody has; refused: the claim as it stands. */
export const createOrderClaim = pattern(
  { question: 'a source id becomes an order', entity: 'shop-order-claim', by: 'PutItem', units: '1 WRU' },
  (claim: OrderClaim): Promise<Written<OrderClaim>> => orderClaimEntity.put(claim, missing()),
);

/** Writes a claim, if nobody wrote it since it was read. */
export const updateOrderClaim = pattern(
  { question: 'a claim gets its order, or fulfilments that wait', entity: 'shop-order-claim', by: 'PutItem', units: '1 WRU' },
  async (claim: OrderClaim): Promise<boolean> => (await orderClaimEntity.put(claim, equals('rev', claim.rev - 1))).done,
);

/** Numbers and parcels lead to the order that named them last. */
export const putOrderReference = pattern(
  { question: 'a number leads to an order', entity: 'shop-order-claim', by: 'PutItem', units: '1 WRU' },
  async (companyId: number, by: 'number' | 'tracking', value: string, orderId: number): Promise<void> => {
    await orderClaimEntity.put({ companyId, by, value, orderId, rev: 0 });
  },
);

/**
 * Writes an order, if nobody wrote it since it was read, together with `also` (the mark of the delivery that caused it). `changed`: read
 * again; `also`: what else was to be written stands already, and nothing was.
 */
export const putOrder = pattern(
  { question: 'create or change an order', entity: orderEntityName, by: 'TransactWriteItems', units: '1 WRU; with a delivery mark 4' },
  async (order: Order, isNew: boolean, also: readonly TransactionPart[]): Promise<'done' | 'changed' | 'also'> => {
    const guard = isNew ? missing() : all(exists(), equals('rev', order.rev - 1));
    if (also.length === 0) return (await orderEntity.put(order, guard)).done ? 'done' : 'changed';
    const committed = await commit([orderEntity.putting(order, guard), ...also]);
    if (committed.done) return 'done';
    return committed.refused.some(({ index }) => index > 0) ? 'also' : 'changed';
  },
);

/** Orders below an id, newest first; `take` says when it has enough. */
export const listOrdersBelow = pattern(
  { question: 'orders of blocks of 128 ids, newest first', entity: orderEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  async (companyId: number, belowId: number, expected: number, take: (order: Order) => boolean): Promise<void> => {
    for await (const orders of recordsBelow(orderEntity, companyId, belowId, expected))
      for (const order of orders) if (!take(order)) return;
  },
);
