import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { mapOk } from '../../../shared/http/reply.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { ulidTime } from '../../../shared/runtime/ids.ts';
import { type CursorPage, cutPage, listByCursor } from '../../../shared/table/page.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits } from '../../../shared/table/walk.ts';
import { testEvent } from '../contract/catalog.ts';
import type { DeliveriesQuery, DeliveryRecord, DeliveryReplay, DeliveryStatus, ReplayInput } from '../contract/delivery.ts';
import { payloadBody } from '../domain/payload.ts';
import { unsealBody } from './sealed-bodies.ts';
import { putPendingDeliveryAndWake, type Delivery, getDeliveries, listDeliveryLog, type PendingDelivery } from '../store/delivery.ts';
import { getEndpoint, listEndpoints } from '../store/endpoint.ts';

const deliveryPlace = z.object({ before: z.string() });

/** A page may be short: 1,000 deliveries or 1,000 read units are looked through for it, and the cursor goes on from there. */
export const listDeliveries = (
  companyId: number,
  endpointId: number,
  { status, limit, cursor }: DeliveriesQuery,
): Promise<CursorPage<DeliveryRecord> | Problem<'not_found' | 'invalid_cursor'>> =>
  listByCursor(
    { scope: `webhook-deliveries:${companyId}:${endpointId}:${status ?? ''}`, cursor, position: deliveryPlace },
    async (after) => {
      if (!(await getEndpoint(companyId, endpointId))) return problem('not_found');
      const found: Delivery[] = [];
      const unitsBefore = readUnits();
      let before = after;
      for (let looked = 0; looked < 1_000 && found.length < limit && readUnits() - unitsBefore < maxWalkUnits; looked += 100) {
        const range = { beforeEventId: before?.before, status, limit: status === undefined ? limit : 100 };
        const page = await listDeliveryLog(companyId, endpointId, range);
        found.push(...page.deliveries);
        before = page.last === undefined ? undefined : { before: page.last };
        if (!before) break;
      }
      const { items, next = before } = cutPage(found, { limit }, ({ eventId }) => ({ before: eventId }));
      return { items: await Promise.all(items.map(toDeliveryRecord)), next };
    },
  );

/** Where a list over all endpoints goes on: behind an event at an endpoint; endpoints of one event are in the order of their ids. */
const place = z.object({ before: z.string(), endpointId: z.int() });
type Place = z.output<typeof place>;

const maxLookedPerEndpoint = 500;

/** The deliveries of all endpoints of a company, merged by event. */
export const listAllDeliveries = (
  companyId: number,
  { status, limit, cursor }: DeliveriesQuery,
): Promise<CursorPage<DeliveryRecord> | Problem<'invalid_cursor'>> =>
  listByCursor({ scope: `deliveries:${companyId}:${status ?? ''}`, cursor, position: place }, async (after) => {
    const endpoints = (await listEndpoints(companyId)).map(({ id }) => id);
    const { deliveries, next } = await mergedDeliveries(companyId, endpoints, { status, limit, after });
    return { items: await Promise.all(deliveries.map(toDeliveryRecord)), next };
  });

/**
 * Newest event first. Of an endpoint where little fits, a stretch is looked through: what lies behind it is for the next call. The endpoints
 * are read side by side, a share of the page of each, then more of those that may have more for it; together within the units of one call.
 */
async function mergedDeliveries(
  companyId: number,
  endpointIds: readonly number[],
  { status, limit, after }: { status: DeliveryStatus | undefined; limit: number; after: Place | undefined },
): Promise<{ deliveries: Delivery[]; next: Place | undefined }> {
  const walks = endpointIds.map((endpointId) => walkFrom(endpointId, after));
  const unitsBefore = readUnits();
  let perRead = Math.min(mostPerRead, Math.ceil((limit + 1) / Math.max(1, walks.length)) + 4);
  let looked = 0;
  for (let open = walks; open.length > 0; open = openWalks(walks, limit)) {
    await Promise.all(open.map((walk) => readOn(companyId, walk, status, perRead)));
    looked += open.length * perRead;
    const units = readUnits() - unitsBefore;
    if (units >= maxWalkUnits) break;
    perRead = Math.max(1, Math.min(mostPerRead, Math.floor(((maxWalkUnits - units) * looked) / (Math.max(1, units) * open.length))));
  }
  const ends = walks.flatMap(lookedTo).toSorted(byEvent);
  const all = merged(walks);
  const [nearest] = ends;
  const sure = nearest ? all.filter((each) => byEvent(each, nearest) <= 0) : all;
  const deliveries = sure.slice(0, limit);
  const last = sure.length > limit ? deliveries.at(-1) : nearest;
  return { deliveries, next: last && { before: last.eventId, endpointId: last.endpointId } };
}

type Placed = Pick<Delivery, 'eventId' | 'endpointId'>;

const byEvent = (a: Placed, b: Placed): number => (a.eventId === b.eventId ? a.endpointId - b.endpointId : a.eventId < b.eventId ? 1 : -1);

/** An endpoint's log, read backwards. */
interface Walk {
  endpointId: number;
  found: Delivery[];
  beforeEventId: string | undefined;
  isInclusive: boolean;
  looked: number;
  isAtEnd: boolean;
}
const mostPerRead = 100;

const walkFrom = (endpointId: number, after: Place | undefined): Walk => ({
  endpointId,
  found: [],
  beforeEventId: after?.before,
  isInclusive: after !== undefined && endpointId > after.endpointId,
  looked: 0,
  isAtEnd: false,
});

const merged = (walks: readonly Walk[]): Delivery[] => walks.flatMap(({ found }) => found).toSorted(byEvent);

/** Those that may have more for the page: what they have not read begins before its end. */
function openWalks(walks: readonly Walk[], limit: number): Walk[] {
  const border = merged(walks)[limit];
  return walks.filter(
    (walk) => walk.looked < maxLookedPerEndpoint && lookedTo(walk).some((end) => border === undefined || byEvent(end, border) < 0),
  );
}

const lookedTo = ({ endpointId, isAtEnd, beforeEventId }: Walk): Placed[] =>
  isAtEnd || beforeEventId === undefined ? [] : [{ eventId: beforeEventId, endpointId }];

async function readOn(companyId: number, walk: Walk, status: DeliveryStatus | undefined, limit: number): Promise<void> {
  const { endpointId, beforeEventId, isInclusive } = walk;
  const page = await listDeliveryLog(companyId, endpointId, { beforeEventId, isInclusive, status, limit });
  walk.found.push(...page.deliveries);
  walk.looked += limit;
  walk.isAtEnd = page.last === undefined;
  walk.isInclusive = false;
  walk.beforeEventId = page.last;
}

const replayPlace = place.extend({ startedAt: z.int() });

const perReplay = 100;

/**
 * Begins a new round for each delivery that has failed since a time, of active endpoints. A delivery that has moved since the first call is left
 * alone, so that each begins once for a replay.
 */
export const replayDeliveries = async (
  companyId: number,
  { since, webhook_id: endpointId, cursor }: ReplayInput,
): Promise<DeliveryReplay | Problem<'not_found' | 'webhook_disabled' | 'invalid_cursor'>> => {
  const found = await listByCursor(
    { scope: `replay:${companyId}:${since}:${endpointId ?? ''}`, cursor, position: replayPlace },
    async (after) => {
      const endpoints = (await listEndpoints(companyId)).filter(({ id }) => endpointId === undefined || id === endpointId);
      if (endpointId !== undefined && endpoints.length === 0) return problem('not_found');
      const active = endpoints.filter(({ status }) => status === 'active');
      if (endpointId !== undefined && active.length === 0) return problem('webhook_disabled');
      const startedAt = after?.startedAt ?? now();
      const ids = active.map(({ id }) => id);
      const { deliveries, next } = await mergedDeliveries(companyId, ids, { status: 'failed', limit: perReplay, after });
      // an event bears the second in which its change was written
      const sinceMs = Math.floor(Date.parse(since) / 1_000) * 1_000;
      const wanted = deliveries.filter(({ createdAt, updatedAt }) => createdAt >= sinceMs && updatedAt <= startedAt);
      const outcomes = await Promise.all(wanted.map(replayDelivery));
      const isDone = !next || ulidTime(next.before.slice('evt_'.length)) < sinceMs - dayMs;
      return {
        resent: outcomes.filter(Boolean).length,
        skipped: outcomes.filter((each) => !each).length,
        next: isDone ? undefined : { ...next, startedAt },
      };
    },
  );
  return mapOk(found, ({ resent, skipped, nextCursor }) => ({
    resent,
    skipped,
    has_more: nextCursor !== undefined,
    next_cursor: nextCursor ?? null,
  }));
};

/** False: it is not as it was read, and so no longer known to have failed, or its endpoint was disabled meanwhile. */
const replayDelivery = (delivery: Delivery): Promise<boolean> => {
  const { pending, log } = nextRound(delivery);
  return putPendingDeliveryAndWake({ companyId: delivery.companyId, id: delivery.endpointId }, pending, log, delivery);
};

function nextRound(delivery: Delivery): { pending: PendingDelivery; log: Delivery } {
  const at = now();
  const { companyId, endpointId, eventId, event, body, createdAt } = delivery;
  return {
    log: { ...delivery, status: 'pending', nextAt: at, updatedAt: at },
    pending: { companyId, endpointId, eventId, event, body, attempts: 0, nextAt: at, createdAt },
  };
}

/** The same event under the same id, in a new round of attempts; what the endpoint answered before stays in the log. */
export const resendDelivery = async (
  companyId: number,
  endpointId: number,
  deliveryId: string,
): Promise<DeliveryRecord | Problem<'not_found' | 'webhook_disabled' | 'conflict'>> => {
  const [endpoint, [delivery]] = await Promise.all([
    getEndpoint(companyId, endpointId),
    getDeliveries(companyId, endpointId, [deliveryId]),
  ]);
  if (!endpoint || !delivery) return problem('not_found');
  if (endpoint.status !== 'active') return problem('webhook_disabled');
  const { pending, log } = nextRound(delivery);
  return (await putPendingDeliveryAndWake({ companyId, id: endpointId }, pending, log)) ? toDeliveryRecord(log) : problem('conflict');
};

/** A repeated operation makes the same event, which is delivered once. */
export const testWebhook = async (
  companyId: number,
  endpointId: number,
  operationId: string,
): Promise<{ delivery_id: string; event: string } | Problem<'not_found' | 'webhook_disabled' | 'conflict'>> => {
  const endpoint = await getEndpoint(companyId, endpointId);
  if (!endpoint) return problem('not_found');
  if (endpoint.status !== 'active') return problem('webhook_disabled');
  const ulid = operationId.slice(-26);
  const eventId = `evt_${ulid}`;
  const at = ulidTime(ulid);
  const data = { webhook_id: endpointId, text: 'This is a test. Your endpoint works.' };
  const body = payloadBody({ id: eventId, event: testEvent, companyId, atMs: at, sequence: '0', data });
  const pending = { companyId, endpointId, eventId, event: testEvent, body, attempts: 0, nextAt: at, createdAt: at };
  return (await putPendingDeliveryAndWake({ companyId, id: endpointId }, pending, undefined))
    ? { delivery_id: eventId, event: testEvent }
    : problem('conflict');
};

const toDeliveryRecord = async (delivery: Delivery): Promise<DeliveryRecord> => ({
  id: delivery.eventId,
  webhook_id: delivery.endpointId,
  event: delivery.event,
  status: delivery.status,
  attempts: delivery.tries.length,
  next_attempt_at: delivery.nextAt === undefined ? null : isoTime(delivery.nextAt),
  request: { url: delivery.url, body: await unsealBody(delivery) },
  response: delivery.response ?? null,
  error: delivery.error ?? null,
  tries: delivery.tries.map(({ at, ms, status, error }) => ({ at: isoTime(at), ms, status: status ?? null, error: error ?? null })),
  created_at: isoTime(delivery.createdAt),
  updated_at: isoTime(delivery.updatedAt),
});
