import * as z from 'zod';
import { all, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { parcelUpdate } from '../contract/platform-event.ts';
import { type Order, orderEntityName, storedOrder, storedShipment } from '../contract/stored.ts';
import { appliedDeliveryPart } from './delivery.ts';
import { partitionKey, type RecordsBelow, recordsBelow } from './id-partition.ts';

export const orderEntity = entity({
  name: orderEntityName,
  purpose: 'An order with its lines, customer, tracking and history',
  attributes: storedOrder,
  key: ({ companyId, id }: { companyId: number; id: number }) => partitionKey(companyId, 'OR', id),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  personalData: 'name, phone, email, address, notes of a customer',
  example: { pk: 'C#<company>#OR#<id / 128>', sk: '<id, 16 digits>' },
});

/** References to an order: its source's external id (a claim, written before the order), its number, its tracking number. */
export const orderClaimEntity = entity({
  name: 'shop-order-claim',
  purpose: 'Which order has an external id, a number or a tracking number',
  attributes: z.object({
    companyId: z.int(),
    by: z.enum(['external', 'number', 'tracking', 'parcel-number', 'parcel-tracking']),
    value: z.string(),
    orderId: z.int().optional(),
    /** Fulfilments that arrived before their order. */
    waiting: z.record(z.string(), storedShipment).optional(),
    /** The source deleted the order at this time, before it was known here. */
    deletedAt: z.int().optional(),
    /** Reports about a parcel that arrived before its order, by the number that names the order or the parcel. */
    parcels: z.array(parcelUpdate).optional(),
    expiresAtSeconds: z.int().optional(),
    rev: z.int().default(0),
  }),
  key: ({ companyId, by, value }: OrderClaimId) => ({ pk: `${tenant(companyId)}#ORX#${by}#${value}`, sk: 'ORX' }),
  idOf: ({ companyId, by, value }) => ({ companyId, by, value }),
  expiresAt: ({ expiresAtSeconds }) => expiresAtSeconds,
  example: { pk: 'C#<company>#ORX#<external, number or tracking>#<value>', sk: 'ORX' },
});
export type OrderClaim = ItemOf<typeof orderClaimEntity>;
export interface OrderClaimId {
  companyId: number;
  by: 'external' | 'number' | 'tracking' | 'parcel-number' | 'parcel-tracking';
  value: string;
}

/** An order. A miss is read again consistently, so that an order is found right after its creation. */
export const getOrderRow = pattern(
  { question: 'an order by its id', entity: orderEntityName, by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, id: number, { consistent = false }: { consistent?: boolean } = {}): Promise<Order | undefined> =>
    (await orderEntity.get({ companyId, id }, { consistent })) ??
    (consistent ? undefined : orderEntity.get({ companyId, id }, { consistent: true })),
);

export const getOrderClaim = pattern(
  { question: 'an order by external id, number or tracking number', entity: 'shop-order-claim', by: 'GetItem', units: '1 RRU, consistent' },
  (id: OrderClaimId): Promise<OrderClaim | undefined> => orderClaimEntity.get(id, { consistent: true }),
);

/** Claims a source's external id, or returns the current claim. */
export const createOrderClaim = pattern(
  { question: 'claim an external id for an order', entity: 'shop-order-claim', by: 'PutItem', units: '1 WRU' },
  (claim: OrderClaim): Promise<Written<OrderClaim>> => orderClaimEntity.put(claim, missing()),
);

/** Writes a claim, on the condition that its revision is unchanged. */
export const updateOrderClaim = pattern(
  { question: 'change a claim, if its revision is unchanged', entity: 'shop-order-claim', by: 'PutItem', units: '1 WRU' },
  async (claim: OrderClaim): Promise<boolean> => (await orderClaimEntity.put(claim, equals('rev', claim.rev - 1))).done,
);

/** Points a number to an order. The last order that named it wins. */
export const putOrderReference = pattern(
  { question: 'point a number to an order', entity: 'shop-order-claim', by: 'PutItem', units: '1 WRU' },
  async (companyId: number, by: 'number' | 'tracking', value: string, orderId: number): Promise<void> => {
    await orderClaimEntity.put({ companyId, by, value, orderId, rev: 0 });
  },
);

/**
 * Writes an order on the condition that its revision is unchanged, in one transaction with the delivery that caused the change. `changed`:
 * read the order again. `applied`: the delivery was applied before, and nothing was written.
 */
export const putOrder = pattern(
  { question: 'create or change an order', entity: orderEntityName, by: 'TransactWriteItems', units: '1 WRU; with a delivery 4' },
  async (
    order: Order,
    { isNew = false, deliveryKey }: { isNew?: boolean; deliveryKey?: string | undefined },
  ): Promise<'done' | 'changed' | 'applied'> => {
    const condition = isNew ? missing() : all(exists(), equals('rev', order.rev - 1));
    if (deliveryKey === undefined) return (await orderEntity.put(order, condition)).done ? 'done' : 'changed';
    const committed = await commit({
      order: orderEntity.putting(order, condition),
      delivery: appliedDeliveryPart(order.companyId, deliveryKey, order.updatedAt),
    });
    if (committed.done) return 'done';
    return committed.refused.delivery ? 'applied' : 'changed';
  },
);

/** Orders below an id, newest first, at most `count`. */
export const listOrdersBelow = pattern(
  { question: 'orders below an id, newest first', entity: orderEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number, belowId: number, count: number): Promise<RecordsBelow<Order>> => recordsBelow(orderEntity, companyId, belowId, count),
);
