import * as z from 'zod';
import { all, equals } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { dueTime } from '../../../shared/table/due.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { deliveryStatuses, type DeliveryStatus } from '../contract/delivery.ts';
import { type EndpointId, wakeEndpointPart } from './endpoint.ts';

const partition = (companyId: number, endpointId: number): string => `${tenant(companyId)}#WEBHOOK#${sortable(endpointId)}`;

/**
 * The pending deliveries of an endpoint, in the order of their due time. The key has the time, so that a read costs the same with ten and
 * with ten thousand pending events. The worker deletes the item when the event is delivered or given up.
 */
export const pendingDeliveryEntity = entity({
  name: 'webhook-pending',
  purpose: 'An event that an endpoint has yet to hear',
  attributes: z.object({
    companyId: z.int(),
    endpointId: z.int(),
    eventId: z.string(),
    event: z.string(),
    /** As it is sent. */
    body: z.string(),
    /** Attempts of this round: a resend begins a new one. */
    attempts: z.int(),
    nextAt: z.int(),
    createdAt: z.int(),
  }),
  key: ({ companyId, endpointId, nextAt, eventId }: PendingDeliveryId) => ({
    pk: partition(companyId, endpointId),
    sk: `P#${dueTime(nextAt)}#${eventId}`,
  }),
  idOf: ({ companyId, endpointId, nextAt, eventId }) => ({ companyId, endpointId, nextAt, eventId }),
  expiresAt: ({ createdAt }) => Math.floor(createdAt / 1_000) + logTtlSeconds,
  personalData: 'what an event says of a contact',
  example: { pk: 'C#<company>#WEBHOOK#<endpoint>', sk: 'P#<due time, 15 digits>#<event id>' },
});
export type PendingDelivery = ItemOf<typeof pendingDeliveryEntity>;
export interface PendingDeliveryId {
  companyId: number;
  endpointId: number;
  nextAt: number;
  eventId: string;
}

/**
 * The log of an event at an endpoint, from its first attempt on, and the authority over what is pending: a pending item whose time is not
 * the log's is left over from a crash or a replay, and is dropped unsent.
 */
export const deliveryEntity = entity({
  name: 'webhook-delivery',
  purpose: 'The delivery of an event to an endpoint, with its attempts and responses',
  attributes: z.object({
    companyId: z.int(),
    endpointId: z.int(),
    eventId: z.string(),
    event: z.string(),
    status: z.enum(deliveryStatuses),
    url: z.string(),
    body: z.string(),
    nextAt: z.int().optional(),
    response: z.object({ status: z.int(), body: z.string() }).optional(),
    error: z.string().optional(),
    /** Of the last attempt, while it is no success: what was sent, and what came back. */
    headers: z.object({ sent: z.record(z.string(), z.string()), received: z.record(z.string(), z.string()).optional() }).optional(),
    tries: z.array(z.object({ at: z.int(), ms: z.int(), status: z.int().optional(), error: z.string().optional() })),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, endpointId, eventId }: DeliveryId) => ({ pk: partition(companyId, endpointId), sk: logKey(eventId) }),
  idOf: ({ companyId, endpointId, eventId }) => ({ companyId, endpointId, eventId }),
  expiresAt: ({ createdAt }) => Math.floor(createdAt / 1_000) + logTtlSeconds,
  personalData: 'what an event says of a contact, and the response to it',
  example: { pk: 'C#<company>#WEBHOOK#<endpoint>', sk: 'L#<event id>' },
});
export type Delivery = ItemOf<typeof deliveryEntity>;
export interface DeliveryId {
  companyId: number;
  endpointId: number;
  eventId: string;
}

/** The log is kept 30 days (decision V34). */
const logTtlSeconds = 30 * 86_400;
const logKey = (eventId: string): string => `L#${eventId}`;

/** The same item again when the same event comes again: its first time is the event's own. */
export const putPendingDelivery = pattern(
  { question: 'an event waits for an endpoint', entity: 'webhook-pending', by: 'PutItem', units: '1 WRU' },
  async (pending: PendingDelivery): Promise<void> => {
    await pendingDeliveryEntity.put(pending);
  },
);

/** The next ones, due or not, oldest first; `isAll`: there are no others. */
export const listPendingDeliveries = pattern(
  { question: 'what an endpoint has yet to hear, next first', entity: 'webhook-pending', by: 'Query', units: '1 RRU per 4 KB' },
  async (companyId: number, endpointId: number, limit: number): Promise<{ pending: PendingDelivery[]; isAll: boolean }> => {
    const page = await pendingDeliveryEntity.query({ pk: partition(companyId, endpointId), begins: 'P#', limit, consistent: true });
    return { pending: page.items, isAll: page.last === undefined };
  },
);

export const deletePendingDelivery = pattern(
  { question: 'an event does not wait any more', entity: 'webhook-pending', by: 'DeleteItem', units: '1 WRU' },
  async (pending: PendingDeliveryId): Promise<void> => {
    await pendingDeliveryEntity.delete(pending);
  },
);

export const getDeliveries = pattern(
  { question: 'the log of several events at an endpoint', entity: 'webhook-delivery', by: 'BatchGetItem', units: '1 RRU an event' },
  (companyId: number, endpointId: number, eventIds: readonly string[]): Promise<Delivery[]> =>
    deliveryEntity.getMany(
      eventIds.map((eventId) => ({ companyId, endpointId, eventId })),
      { consistent: true },
    ),
);

export const putDelivery = pattern(
  { question: 'the log of a delivery', entity: 'webhook-delivery', by: 'PutItem', units: '1 WRU per KB' },
  async (delivery: Delivery): Promise<void> => {
    await deliveryEntity.put(delivery);
  },
);

export const listDeliveryLog = pattern(
  { question: 'deliveries of an endpoint, newest event first', entity: 'webhook-delivery', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (
    companyId: number,
    endpointId: number,
    options: {
      beforeEventId: string | undefined;
      isInclusive?: boolean;
      /** The least id that is read. */
      fromEventId?: string | undefined;
      status?: DeliveryStatus | undefined;
      event?: string | undefined;
      limit: number;
    },
  ): Promise<{ deliveries: Delivery[]; last: string | undefined }> => {
    const { status, event } = options;
    const filters = [status === undefined ? [] : equals('status', status), event === undefined ? [] : equals('event', event)].flat();
    const page = await deliveryEntity.query({
      pk: partition(companyId, endpointId),
      between: [logKey(options.fromEventId ?? ''), 'L#~'],
      descending: true,
      after:
        options.beforeEventId === undefined
          ? undefined
          : // greater than the id, and less than any other
            { ...deliveryEntity.key({ companyId, endpointId, eventId: `${options.beforeEventId}${options.isInclusive ? ' ' : ''}` }) },
      limit: options.limit,
      ...(filters.length > 0 ? { filter: all(...filters) } : {}),
    });
    const last = page.last?.['sk'];
    return { deliveries: page.items, last: typeof last === 'string' ? last.slice(2) : undefined };
  },
);

/** Schedules a delivery for now and wakes the endpoint. False when the endpoint is disabled or deleted, or its log is not as it was seen. */
export const putPendingDeliveryAndWake = pattern(
  { question: 'an endpoint is to hear an event now', entity: 'webhook-pending', by: 'TransactWriteItems', units: '5-7 WRU' },
  async (endpoint: EndpointId, pending: PendingDelivery, log: Delivery | undefined, seen?: Delivery): Promise<boolean> => {
    const committed = await commit({
      endpoint: wakeEndpointPart(endpoint, pending.nextAt),
      pending: pendingDeliveryEntity.putting(pending),
      log: log && deliveryEntity.putting(log, seen && all(equals('status', seen.status), equals('updatedAt', seen.updatedAt))),
    });
    return committed.done;
  },
);

const perSlice = 200;

/** Deliveries of an endpoint, also of a deleted one, in key order after a log entry. */
export const listDeliveriesAfter = pattern(
  { question: 'the log of an endpoint, for an erasure', entity: 'webhook-delivery', by: 'Query', units: '1 RRU per 4 KB' },
  async (companyId: number, endpointId: number, afterEventId: string): Promise<{ deliveries: Delivery[]; isLast: boolean }> => {
    const query = { pk: partition(companyId, endpointId), between: [`${logKey(afterEventId)} `, 'L#~'], consistent: true } as const;
    const deliveries = await deliveryEntity.collect(query, { atMost: perSlice });
    return { deliveries, isLast: deliveries.length < perSlice };
  },
);

export const deleteDelivery = pattern(
  { question: 'remove a delivery about an erased contact', entity: 'webhook-delivery', by: 'DeleteItem', units: '1 WRU per KB' },
  async (delivery: DeliveryId): Promise<void> => {
    await deliveryEntity.delete(delivery);
  },
);

/** The pending deliveries of an endpoint, for an erasure. */
export const listAllPendingDeliveries = pattern(
  { question: 'all that an endpoint has yet to hear', entity: 'webhook-pending', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, endpointId: number): Promise<PendingDelivery[]> =>
    pendingDeliveryEntity.collect({ pk: partition(companyId, endpointId), begins: 'P#', consistent: true }),
);
