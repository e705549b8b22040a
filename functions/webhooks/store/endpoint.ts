import * as z from 'zod';
import { all, any, atMost, equals, exists, missing, unchanged } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { endpointEntityName } from '../contract/queue.ts';
import { type Subscriptions, subscriptionsEntity } from './subscriptions.ts';

/**
 * An endpoint, with the lease of the worker that delivers to it: one worker at a time, so that a slow receiver occupies one worker only.
 * The claim of the lease reads the endpoint in the same call.
 */
export const endpointEntity = entity({
  name: endpointEntityName,
  purpose: 'An outgoing webhook: its address, its sealed secret, how it fares, and who delivers to it now',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    url: z.string(),
    events: z.array(z.string()),
    profileId: z.string().optional(),
    status: z.enum(['active', 'disabled']),
    /** Its company is suspended: deliveries wait. */
    isSuspended: z.literal(true).optional(),
    disabledReason: z.enum(['by_user', 'gone', 'failing']).optional(),
    sealedSecret: z.string(),
    previousSecret: z.object({ sealed: z.string(), expiresAt: z.int() }).optional(),
    /** The operation that created it, and the one that rotated its secret last: repeated, they change nothing. */
    createdBy: z.string(),
    rotatedBy: z.string().optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
    /** The worker that delivers now, and the end of its lease. */
    leaseId: z.string().optional(),
    leaseUntil: z.int().optional(),
    /** It failed or was slow: its deliveries use the retry queue. */
    isUnhealthy: z.literal(true).optional(),
    failingSince: z.int().optional(),
    lastSuccessAt: z.int().optional(),
    dueAt: z.int().optional(),
  }),
  key: ({ companyId, id }: EndpointId) => ({ pk: partition(companyId), sk: `E#${sortable(id)}` }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'dueAt'],
  indexes: (endpoint) => ({ due: dueOf(endpoint, endpoint.dueAt) }),
  example: { pk: 'C#<company>#WEBHOOKS', sk: 'E#<endpoint, 16 digits>' },
});
export type Endpoint = ItemOf<typeof endpointEntity>;
export interface EndpointId {
  companyId: number;
  id: number;
}

const partition = (companyId: number): string => `${tenant(companyId)}#WEBHOOKS`;

const dueOf = ({ companyId, id }: EndpointId, dueAt: number | undefined) =>
  dueAt === undefined ? undefined : dueKeys(dueAt, endpointEntityName, `${companyId}:${id}`);

/** What an endpoint's owner or its deliveries change. */
export type EndpointSet = { [K in keyof Omit<Endpoint, 'companyId' | 'id' | 'dueAt'>]?: Endpoint[K] | undefined };

export const listEndpoints = pattern(
  { question: 'the endpoints of a company', entity: 'webhook-endpoint', by: 'Query', units: '0.5 RRU per 4 KB, at most 10 endpoints' },
  async (companyId: number): Promise<Endpoint[]> => (await endpointEntity.query({ pk: partition(companyId), begins: 'E#' })).items,
);

export const getEndpoint = pattern(
  { question: 'an endpoint by id', entity: 'webhook-endpoint', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<Endpoint | undefined> => endpointEntity.get({ companyId, id }, { consistent: true }),
);

/** False when another request changed the company's endpoints. */
export const createEndpoint = pattern(
  { question: 'a new endpoint, and its subscription', entity: 'webhook-endpoint', by: 'TransactWriteItems', units: '4 WRU' },
  async (endpoint: Endpoint, subscriptions: SubscriptionsChange): Promise<boolean> =>
    (await commit({ endpoint: endpointEntity.putting(endpoint, missing()), subscriptions: putSubscriptionsPart(subscriptions) })).done,
);

/** False when another request changed it, or the company's endpoints. */
export const updateEndpoint = pattern(
  { question: 'change an endpoint, and its subscription', entity: 'webhook-endpoint', by: 'TransactWriteItems', units: '4 WRU' },
  async (seen: Endpoint, set: EndpointSet, subscriptions: SubscriptionsChange, wakeAt?: number): Promise<boolean> => {
    const change = { set: { ...set, ...(wakeAt === undefined ? {} : { dueAt: wakeAt }) } };
    const hiddenChange = { endpointId: seen.id, field: 'url' as const, at: set.updatedAt ?? seen.updatedAt };
    const isMoved = set.url !== undefined && set.url !== seen.url;
    const { seen: before, next } = subscriptions;
    const endpoint = endpointEntity.updating(seen, change, equals('updatedAt', seen.updatedAt));
    const part = putSubscriptionsPart({ seen: before, next: isMoved ? { ...next, hiddenChange } : next });
    return (await commit({ endpoint, subscriptions: part })).done;
  },
);

export const deleteEndpoint = pattern(
  { question: 'delete an endpoint, and its subscription', entity: 'webhook-endpoint', by: 'TransactWriteItems', units: '4 WRU' },
  async (endpoint: EndpointId, subscriptions: SubscriptionsChange): Promise<boolean> =>
    (await commit({ endpoint: endpointEntity.deleting(endpoint, exists()), subscriptions: putSubscriptionsPart(subscriptions) })).done,
);

export const updateSecret = pattern(
  { question: 'a new secret for an endpoint', entity: 'webhook-endpoint', by: 'TransactWriteItems', units: '4 WRU' },
  async (seen: Endpoint, set: EndpointSet): Promise<boolean> =>
    (
      await commit({
        endpoint: endpointEntity.changing(seen, { set }, equals('sealedSecret', seen.sealedSecret)),
        subscriptions: subscriptionsEntity.changing(
          seen,
          { set: { hiddenChange: { endpointId: seen.id, field: 'secret', at: set.updatedAt ?? seen.updatedAt } } },
          exists(),
        ),
      })
    ).done,
);

/** The part of a transaction that adds a delivery to an endpoint: the endpoint becomes due, if it exists and is active. */
export const wakeEndpointPart = (endpoint: EndpointId, at: number): TransactionPart =>
  endpointEntity.updating(endpoint, { set: { dueAt: at } }, all(exists(), equals('status', 'active')));

/** `held`: another worker delivers to it; `unhealthy`: it belongs to the other queue class; `off`: it is disabled, deleted or suspended. */
export type LeaseResult = { taken: Endpoint } | { refused: 'held' | 'unhealthy' | 'off' };

export const claimLease = pattern(
  { question: 'lease an endpoint, if no worker holds it', entity: 'webhook-endpoint', by: 'UpdateItem', units: '1 WRU' },
  async (endpoint: EndpointId, lease: { id: string; now: number; until: number; queueClass: 'first' | 'again' }): Promise<LeaseResult> => {
    const isFree = any(missing('leaseUntil'), atMost('leaseUntil', lease.now));
    const taken = await endpointEntity.change(
      endpoint,
      { set: { leaseId: lease.id, leaseUntil: lease.until } },
      all(
        exists(),
        equals('status', 'active'),
        missing('isSuspended'),
        isFree,
        ...(lease.queueClass === 'first' ? [missing('isUnhealthy')] : []),
      ),
    );
    if (taken.done) return { taken: taken.item };
    if (taken.current?.status !== 'active' || taken.current.isSuspended) return { refused: 'off' };
    if (taken.current.leaseUntil !== undefined && taken.current.leaseUntil > lease.now) return { refused: 'held' };
    return { refused: 'unhealthy' };
  },
);

/** Suspends an endpoint, or resumes it: then it is due at once, for what waited. */
export const updateEndpointSuspension = pattern(
  { question: 'whether deliveries to an endpoint wait for its company', entity: 'webhook-endpoint', by: 'UpdateItem', units: '1 to 3 WRU' },
  async (seen: Endpoint, isSuspended: true | undefined, at: number): Promise<void> => {
    await endpointEntity.update(seen, { set: { isSuspended, ...(isSuspended ? {} : { dueAt: at }) } }, exists());
  },
);

/** Gives the lease back with what was learned; nothing happens when another holds it by now. */
export const releaseEndpointLease = pattern(
  {
    question: 'an endpoint is free again, and due when it has something to hear',
    entity: 'webhook-endpoint',
    by: 'UpdateItem',
    units: '1 WRU, 2-3 when its due time moves',
  },
  async (seen: Endpoint, learned: EndpointSet, nextAt: number | undefined): Promise<void> => {
    const due = seen.dueAt === nextAt ? {} : { dueAt: nextAt };
    const set = { ...learned, leaseId: undefined, leaseUntil: undefined, ...due };
    await endpointEntity.update(seen, { set }, unchanged('leaseId', seen.leaseId));
  },
);

/** A company's subscriptions as they shall be, if they are still as they were seen. */
export interface SubscriptionsChange {
  seen: Subscriptions | undefined;
  next: Subscriptions;
}

function putSubscriptionsPart({ seen, next }: SubscriptionsChange): TransactionPart {
  return subscriptionsEntity.putting(next, seen ? equals('rev', seen.rev) : missing());
}
