import { randomUUID } from 'node:crypto';
import { send } from '../../../shared/queue/send.ts';
import { now, worldNow } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { webhookRetriesQueue, webhookWakesQueue } from '../contract/queue.ts';
import { type AttemptOutcome, type DeliveryAttempt, loggedHeaders, outcomeOf } from '../domain/delivery-attempt.ts';
import { failingLimitMs, nextDeliveryAttemptAt, slowResponseMs } from '../domain/retry-schedule.ts';
import { signedHeaders } from '../domain/signature.ts';
import { postToEndpoint } from '../gateway.ts';
import {
  putPendingDelivery,
  type Delivery,
  deletePendingDelivery,
  getDeliveries,
  putDelivery,
  listPendingDeliveries,
  type PendingDelivery,
} from '../store/delivery.ts';
import { type Endpoint, type EndpointId, releaseEndpointLease, claimLease, type EndpointSet } from '../store/endpoint.ts';
import { unsealBody } from './sealed-bodies.ts';
import { disableEndpoint, activeSecretsOf } from './endpoints.ts';

/**
 * Delivers what is due to one endpoint, under a lease: a slow endpoint occupies one worker, a failing one only workers of its queue class.
 * A wake that finds the lease taken ends: the worker with the lease looks again after the release. A repeated wake (`isRepeated`) may find
 * the lease of a crashed worker, so it comes again after the lease ends.
 */
export type QueueClass = 'first' | 'again';

export const deliverToEndpoint = async (endpoint: EndpointId, queueClass: QueueClass, isRepeated = false): Promise<void> => {
  const key = `${endpoint.companyId}:${endpoint.id}`;
  const other = activeRuns.get(key);
  // several wakes of one batch: the run that is under way looks once more for them
  if (other) {
    other.hasNewWake = true;
    return;
  }
  const own = { hasNewWake: false };
  activeRuns.set(key, own);
  try {
    let isMore = true;
    while (isMore) {
      own.hasNewWake = false;
      isMore = (await deliverUnderLease(endpoint, queueClass, isRepeated)) || (own.hasNewWake && (await hasDue(endpoint)));
    }
  } finally {
    activeRuns.delete(key);
  }
};

const activeRuns = new Map<string, { hasNewWake: boolean }>();

/** Deliveries at once to one endpoint. */
const concurrentDeliveries = 25;
/** No new calls are begun after this; what is left goes to another run. Well below the lease, which outlives the last call. */
const maxRunMs = 15_000;
const leaseMs = 55_000;

/** True: there are more due deliveries, and this run has time for them. */
async function deliverUnderLease(endpoint: EndpointId, queueClass: QueueClass, isRepeated: boolean): Promise<boolean> {
  const began = now();
  const lease = await claimLease(endpoint, { id: randomUUID(), now: began, until: began + leaseMs, queueClass });
  if ('refused' in lease) {
    if (lease.refused === 'unhealthy') await send(webhookRetriesQueue, [wakeMessage(endpoint)]);
    if (lease.refused === 'held' && isRepeated)
      await send(queueOf(queueClass), [{ ...wakeMessage(endpoint), delaySeconds: leaseMs / 1_000 }]);
    return false;
  }
  const { taken } = lease;
  const ended = await deliverDue(taken, began).catch(async (error: unknown) => {
    // what failed is our own: the wake comes again, and need not wait for the lease
    await releaseEndpointLease(taken, {}, taken.dueAt);
    throw error;
  });
  await releaseEndpointLease(taken, ended.learned, ended.nextAt);
  if (ended.isFailingTooLong) await disableEndpoint(endpoint.companyId, endpoint.id, 'failing');
  if (!(await hasDue(endpoint))) return false;
  const isFailing = ended.learned.isUnhealthy === true;
  if (now() - began < maxRunMs && (queueClass === 'again' || !isFailing)) return true;
  await send(queueOf(isFailing ? 'again' : 'first'), [wakeMessage(endpoint)]);
  return false;
}

async function hasDue({ companyId, id }: EndpointId): Promise<boolean> {
  const [next] = (await listPendingDeliveries(companyId, id, 1)).pending;
  return next !== undefined && next.nextAt <= now();
}

const queueOf = (queueClass: QueueClass) => (queueClass === 'first' ? webhookWakesQueue : webhookRetriesQueue);

interface RunResult {
  learned: Pick<EndpointSet, 'isUnhealthy' | 'failingSince' | 'lastSuccessAt'>;
  nextAt: number | undefined;
  isFailingTooLong: boolean;
}

/** Sends and records deliveries, slice by slice, until nothing is due, the time is over, or the endpoint fails. */
async function deliverDue(endpoint: Endpoint, began: number): Promise<RunResult> {
  const done: DeliveryResult[] = [];
  let nextAt: number | undefined;
  for (;;) {
    const { pending } = await listPendingDeliveries(endpoint.companyId, endpoint.id, concurrentDeliveries + 1);
    const due = pending.filter((each) => each.nextAt <= now()).slice(0, concurrentDeliveries);
    nextAt = pending[0]?.nextAt;
    if (due.length === 0) break;
    const results = await deliverBatch(endpoint, due);
    done.push(...results);
    // known without another look, when the slice was all: what of it comes again, and what was not due
    nextAt = earliest([...callsOf(results), ...pending.slice(due.length)].flatMap((each) => each.nextAt ?? []));
    const isGone = results.some(({ outcome }) => outcome === 'gone');
    if (due.length < concurrentDeliveries || now() - began >= maxRunMs || isUnhealthy(results) || isGone) break;
  }
  return { ...evaluateRun(endpoint, done), nextAt };
}

/** `outdated`: no call was made, since the log has another state or another time of the next attempt. */
type DeliveryResult = { outcome: 'outdated' } | { outcome: AttemptOutcome['kind']; attempt: DeliveryAttempt; nextAt: number | undefined };

async function deliverBatch(endpoint: Endpoint, due: readonly PendingDelivery[]): Promise<DeliveryResult[]> {
  const { companyId, id } = endpoint;
  const [secrets, logs] = await Promise.all([
    activeSecretsOf(endpoint, now()),
    getDeliveries(
      companyId,
      id,
      due.map(({ eventId }) => eventId),
    ),
  ]);
  const logOf = new Map(logs.map((each) => [each.eventId, each]));
  let ending: Promise<unknown> | undefined;
  const whenGone = (): Promise<unknown> => (ending ??= disableEndpoint(companyId, id, 'gone'));
  // a failure is thrown when no call is under way any more: the lease ends with it, and the next run would send those calls again
  return inParallel(due, concurrentDeliveries, (pending) =>
    deliverOne({ endpoint, secrets, disableGoneEndpoint: whenGone }, pending, logOf.get(pending.eventId)),
  );
}

interface DeliveryContext {
  endpoint: Endpoint;
  secrets: readonly string[];
  /** The receiver says that it does not exist any more. */
  disableGoneEndpoint: () => Promise<unknown>;
}

async function deliverOne(
  { endpoint, secrets, disableGoneEndpoint: whenGone }: DeliveryContext,
  pending: PendingDelivery,
  known: Delivery | undefined,
): Promise<DeliveryResult> {
  if (known && (known.status !== 'pending' || known.nextAt !== pending.nextAt)) {
    await deletePendingDelivery(pending);
    return { outcome: 'outdated' };
  }
  const { eventId: id, event } = pending;
  const body = await unsealBody(pending);
  const headers = signedHeaders({ id, event, body }, secrets, worldNow());
  const attempt = await postToEndpoint(endpoint.url, headers, body);
  const verdict = outcomeOf(attempt);
  // the worker disables the endpoint before it records the attempt: after a crash in between, the attempt is made again
  if (verdict.kind === 'gone') await whenGone();
  const attempts = pending.attempts + 1;
  const nextAt =
    verdict.kind === 'failed' ? nextDeliveryAttemptAt(attempts, attempt.at + attempt.ms, Math.random(), verdict.retryAfterMs) : undefined;
  const status = verdict.kind === 'delivered' ? 'delivered' : verdict.kind === 'aborted' ? 'aborted' : nextAt ? 'pending' : 'failed';
  const error = verdict.kind === 'failed' ? verdict.error : verdict.kind === 'gone' ? 'gone' : undefined;
  const { ms, status: answered } = attempt;
  log.info('A webhook was tried', {
    company_id: endpoint.companyId,
    event,
    message_id: id,
    attempt: attempts,
    ms,
    ...defined({ status: answered, code: error }),
  });
  metric('WebhookAttempts', 'Count', 1, { outcome: verdict.kind });
  await recordAttempt(
    pending,
    {
      companyId: endpoint.companyId,
      endpointId: endpoint.id,
      eventId: id,
      event,
      status,
      url: endpoint.url,
      body: pending.body,
      ...defined({ nextAt, error, response: answered === undefined ? undefined : { status: answered, body: attempt.body ?? '' } }),
      // what is looked for when an attempt fails; of a success they are not kept, so that the log stays small
      ...(verdict.kind === 'delivered'
        ? {}
        : { headers: defined({ sent: headers, received: attempt.headers && loggedHeaders(attempt.headers) }) }),
      tries: [...(known?.tries ?? []), toTry(attempt, error)].slice(-maxLoggedTries),
      createdAt: pending.createdAt,
      updatedAt: now(),
    },
    attempts,
  );
  return { outcome: verdict.kind, attempt, nextAt };
}

const maxLoggedTries = 30;

function toTry({ at, ms, status }: DeliveryAttempt, error: string | undefined): Delivery['tries'][number] {
  return defined({ at, ms, status, error });
}

/**
 * In this order a crash loses nothing: the next round stands before the log names it, and the old one goes last. What a crash leaves over
 * does not agree with the log, and is dropped.
 */
async function recordAttempt(pending: PendingDelivery, delivery: Delivery, attempts: number): Promise<void> {
  if (delivery.status === 'pending' && delivery.nextAt !== undefined)
    await putPendingDelivery({ ...pending, attempts, nextAt: delivery.nextAt });
  await putDelivery(delivery);
  await deletePendingDelivery(pending);
}

/** Whether the receiver belongs with those that others must not wait for. */
function isUnhealthy(results: readonly DeliveryResult[]): boolean {
  return callsOf(results).some(({ outcome, attempt }) => outcome === 'failed' || attempt.ms >= slowResponseMs);
}

function evaluateRun(endpoint: Endpoint, results: readonly DeliveryResult[]): Pick<RunResult, 'learned' | 'isFailingTooLong'> {
  const calls = callsOf(results);
  if (calls.length === 0) return { learned: {}, isFailingTooLong: false };
  const timesOf = (kind: AttemptOutcome['kind']): number[] => calls.flatMap(({ outcome, attempt }) => (outcome === kind ? attempt.at : []));
  const deliveredAt = Math.max(0, ...timesOf('delivered'));
  const failingSince = deliveredAt > 0 ? undefined : (endpoint.failingSince ?? earliest(timesOf('failed')));
  return {
    learned: {
      isUnhealthy: isUnhealthy(calls) ? true : undefined,
      failingSince,
      ...(deliveredAt > 0 ? { lastSuccessAt: deliveredAt } : {}),
    },
    isFailingTooLong: failingSince !== undefined && now() - failingSince >= failingLimitMs,
  };
}

const callsOf = (results: readonly DeliveryResult[]) => results.filter((result) => result.outcome !== 'outdated');

const earliest = (times: readonly number[]): number | undefined => (times.length > 0 ? Math.min(...times) : undefined);

function wakeMessage({ companyId, id }: EndpointId) {
  return { companyId, message: { company_id: companyId, endpoint_id: id } };
}
