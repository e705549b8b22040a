import { randomUUID } from 'node:crypto';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { webhookRetriesQueue, webhookWakesQueue } from '../contract/queue.ts';
import { type Attempt, verdictOf } from '../domain/outcome.ts';
import { failingLimitMs, nextAttemptAt, slowMs } from '../domain/schedule.ts';
import { headersOf } from '../domain/signature.ts';
import { callReceiver } from '../gateway.ts';
import { addPending, type Delivery, dropPending, findDeliveries, keepDelivery, listPending, type Pending } from '../store/delivery.ts';
import { type Endpoint, type EndpointId, releaseLease, takeLease, type EndpointSet } from '../store/endpoint.ts';
import { openBody } from './bodies.ts';
import { disableEndpoint, secretsOf } from './endpoints.ts';

/**
 * Delivers to one endpoint what is due. A lease keeps it to one worker at a time: a receiver however slow or broken holds one worker, and
 * one in trouble holds none of those that the others wait for. A wake that finds the lease taken has nothing to do: whoever holds it looks
 * once more after giving it back. Only a wake that comes again (`isRepeated`) may meet the lease of a worker that died, and looks again
 * when that has run out.
 */
export type Lane = 'first' | 'again';

export const serveEndpoint = async (endpoint: EndpointId, lane: Lane, isRepeated = false): Promise<void> => {
  const key = `${endpoint.companyId}:${endpoint.id}`;
  const other = underWay.get(key);
  // several wakes of one batch: the run that is under way looks once more for them
  if (other) {
    other.isAsked = true;
    return;
  }
  const own = { isAsked: false };
  underWay.set(key, own);
  try {
    let isMore = true;
    while (isMore) {
      own.isAsked = false;
      isMore = (await serveOnce(endpoint, lane, isRepeated)) || (own.isAsked && (await hasDue(endpoint)));
    }
  } finally {
    underWay.delete(key);
  }
};

const underWay = new Map<string, { isAsked: boolean }>();

/** Deliveries at once to one endpoint. */
const width = 25;
/** No new calls are begun after this; what is left goes to another run. Well below the lease, which outlives the last call. */
const runMs = 15_000;
const leaseMs = 55_000;

/** True: there is more to hear, and the time to go on. */
async function serveOnce(endpoint: EndpointId, lane: Lane, isRepeated: boolean): Promise<boolean> {
  const began = now();
  const lease = await takeLease(endpoint, { id: randomUUID(), now: began, until: began + leaseMs, lane });
  if ('refused' in lease) {
    if (lease.refused === 'troubled') await send(webhookRetriesQueue, [wakeOf(endpoint)]);
    if (lease.refused === 'held' && isRepeated) await send(queueOf(lane), [{ ...wakeOf(endpoint), delaySeconds: leaseMs / 1_000 }]);
    return false;
  }
  const { taken } = lease;
  const ended = await run(taken, began).catch(async (error: unknown) => {
    // what failed is our own: the wake comes again, and need not wait for the lease
    await releaseLease(taken, {}, taken.dueAt);
    throw error;
  });
  await releaseLease(taken, ended.learned, ended.nextAt);
  if (ended.isFailingTooLong) await disableEndpoint(endpoint.companyId, endpoint.id, 'failing');
  if (!(await hasDue(endpoint))) return false;
  const isInTrouble = ended.learned.troubled === true;
  if (now() - began < runMs && (lane === 'again' || !isInTrouble)) return true;
  await send(queueOf(isInTrouble ? 'again' : 'first'), [wakeOf(endpoint)]);
  return false;
}

async function hasDue({ companyId, id }: EndpointId): Promise<boolean> {
  const [next] = (await listPending(companyId, id, 1)).pending;
  return next !== undefined && next.nextAt <= now();
}

const queueOf = (lane: Lane) => (lane === 'first' ? webhookWakesQueue : webhookRetriesQueue);

interface Ended {
  learned: Pick<EndpointSet, 'troubled' | 'failingSince' | 'lastSuccessAt'>;
  nextAt: number | undefined;
  isFailingTooLong: boolean;
}

/** Calls and settles, slice by slice, until nothing is due, the time is over, or the receiver shows that it is in trouble. */
async function run(endpoint: Endpoint, began: number): Promise<Ended> {
  const done: Settled[] = [];
  let nextAt: number | undefined;
  for (;;) {
    const { pending } = await listPending(endpoint.companyId, endpoint.id, width + 1);
    const due = pending.filter((each) => each.nextAt <= now()).slice(0, width);
    nextAt = pending[0]?.nextAt;
    if (due.length === 0) break;
    const settled = await deliverSlice(endpoint, due);
    done.push(...settled);
    // known without another look, when the slice was all: what of it comes again, and what was not due
    nextAt = least([...settled.map(({ nextAt: at }) => at), ...pending.slice(due.length).map((each) => each.nextAt)]);
    if (due.length < width || now() - began >= runMs || inTrouble(settled) || settled.some(({ gone }) => gone)) break;
  }
  return { ...judged(endpoint, done), nextAt };
}

interface Settled {
  attempt: Attempt | undefined;
  isHeard: boolean;
  isFailed: boolean;
  gone: boolean;
  nextAt: number | undefined;
}

async function deliverSlice(endpoint: Endpoint, due: readonly Pending[]): Promise<Settled[]> {
  const { companyId, id } = endpoint;
  const [secrets, logs] = await Promise.all([
    secretsOf(endpoint, now()),
    findDeliveries(
      companyId,
      id,
      due.map(({ eventId }) => eventId),
    ),
  ]);
  const logOf = new Map(logs.map((each) => [each.eventId, each]));
  let ending: Promise<unknown> | undefined;
  const whenGone = (): Promise<unknown> => (ending ??= disableEndpoint(companyId, id, 'gone'));
  return Promise.all(due.map((pending) => deliverOne({ endpoint, secrets, whenGone }, pending, logOf.get(pending.eventId))));
}

interface Slice {
  endpoint: Endpoint;
  secrets: readonly string[];
  /** The receiver says that it does not exist any more. */
  whenGone: () => Promise<unknown>;
}

async function deliverOne({ endpoint, secrets, whenGone }: Slice, pending: Pending, known: Delivery | undefined): Promise<Settled> {
  if (known && (known.status !== 'pending' || known.nextAt !== pending.nextAt)) {
    await dropPending(pending);
    return { attempt: undefined, isHeard: false, isFailed: false, gone: false, nextAt: undefined };
  }
  const { eventId: id, event } = pending;
  const body = await openBody(pending);
  const attempt = await callReceiver(endpoint.url, headersOf({ id, event, body }, secrets, now()), body);
  const verdict = verdictOf(attempt);
  // before the event is settled: afterwards nothing would tell a process that comes after a dead one
  if (verdict.kind === 'gone') await whenGone();
  const attempts = pending.attempts + 1;
  const nextAt =
    verdict.kind === 'failed' ? nextAttemptAt(attempts, attempt.at + attempt.ms, Math.random(), verdict.retryAfterMs) : undefined;
  const status = verdict.kind === 'delivered' ? 'delivered' : verdict.kind === 'aborted' ? 'aborted' : nextAt ? 'pending' : 'failed';
  const error = verdict.kind === 'failed' ? verdict.error : verdict.kind === 'gone' ? 'gone' : undefined;
  log.info('A webhook was tried', {
    company_id: endpoint.companyId,
    event,
    message_id: id,
    attempt: attempts,
    ms: attempt.ms,
    ...(attempt.status === undefined ? {} : { status: attempt.status }),
    ...(error === undefined ? {} : { code: error }),
  });
  metric('WebhookAttempts', 'Count', 1, { outcome: verdict.kind });
  await settle(
    pending,
    {
      companyId: endpoint.companyId,
      endpointId: endpoint.id,
      eventId: id,
      event,
      status,
      url: endpoint.url,
      body: pending.body,
      ...(nextAt === undefined ? {} : { nextAt }),
      ...(attempt.status === undefined ? {} : { response: { status: attempt.status, body: attempt.body ?? '' } }),
      ...(error === undefined ? {} : { error }),
      tries: [...(known?.tries ?? []), tried(attempt, error)].slice(-keptTries),
      createdAt: pending.createdAt,
      updatedAt: now(),
    },
    attempts,
  );
  return { attempt, isHeard: status === 'delivered', isFailed: verdict.kind === 'failed', gone: verdict.kind === 'gone', nextAt };
}

const keptTries = 30;

function tried({ at, ms, status }: Attempt, error: string | undefined): Delivery['tries'][number] {
  return { at, ms, ...(status === undefined ? {} : { status }), ...(error === undefined ? {} : { error }) };
}

/**
 * In this order a crash loses nothing: the next round stands before the log names it, and the old one goes last. What a crash leaves over
 * does not agree with the log, and is dropped.
 */
async function settle(pending: Pending, delivery: Delivery, attempts: number): Promise<void> {
  if (delivery.status === 'pending' && delivery.nextAt !== undefined) await addPending({ ...pending, attempts, nextAt: delivery.nextAt });
  await keepDelivery(delivery);
  await dropPending(pending);
}

/** Whether the receiver belongs with those that others must not wait for. */
function inTrouble(settled: readonly Settled[]): boolean {
  return settled.some(({ isFailed, attempt }) => isFailed || (attempt?.ms ?? 0) >= slowMs);
}

function judged(endpoint: Endpoint, settled: readonly Settled[]): Pick<Ended, 'learned' | 'isFailingTooLong'> {
  const calls = settled.filter(({ attempt }) => attempt !== undefined);
  if (calls.length === 0) return { learned: {}, isFailingTooLong: false };
  const heardAt = Math.max(0, ...calls.filter(({ isHeard }) => isHeard).map(({ attempt }) => attempt?.at ?? 0));
  const failedAt = Math.min(Number.POSITIVE_INFINITY, ...calls.filter(({ isFailed }) => isFailed).map(({ attempt }) => attempt?.at ?? 0));
  const failingSince = heardAt > 0 ? undefined : (endpoint.failingSince ?? (Number.isFinite(failedAt) ? failedAt : undefined));
  return {
    learned: {
      troubled: inTrouble(calls) ? true : undefined,
      failingSince,
      ...(heardAt > 0 ? { lastSuccessAt: heardAt } : {}),
    },
    isFailingTooLong: failingSince !== undefined && now() - failingSince >= failingLimitMs,
  };
}

function least(times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}

function wakeOf({ companyId, id }: EndpointId) {
  return { companyId, message: { company_id: companyId, endpoint_id: id } };
}
