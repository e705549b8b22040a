import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { mapOk } from '../../../shared/http/reply.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { ulid, ulidTime } from '../../../shared/runtime/ids.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits } from '../../../shared/table/walk.ts';
import { testEvent } from '../contract/catalog.ts';
import type { DeliveriesQuery, DeliveryFilters, DeliveryRecord, DeliveryReplay, ReplayInput } from '../contract/delivery.ts';
import { payloadBody } from '../domain/payload.ts';
import { unsealBody } from './sealed-bodies.ts';
import { putPendingDeliveryAndWake, type Delivery, getDeliveries, listDeliveryLog, type PendingDelivery } from '../store/delivery.ts';
import { getEndpoint, listEndpoints } from '../store/endpoint.ts';

/** The deliveries of one endpoint. A page may be short: the walk for it is bounded, and the cursor goes on from where it ended. */
export const listDeliveries = (
  companyId: number,
  endpointId: number,
  { limit, cursor, ...filters }: DeliveriesQuery,
): Promise<CursorPage<DeliveryRecord> | Problem<'not_found' | 'invalid_cursor'>> =>
  listByCursor(
    { scope: `webhook-deliveries:${companyId}:${endpointId}:${scopeOf(filters)}`, cursor, position: z.object({ before: z.string() }) },
    async (after) => {
      if (!(await getEndpoint(companyId, endpointId))) return problem('not_found');
      const { items, next } = await pageOf(companyId, [endpointId], { filters, limit, after: after && { ...after, endpointId } });
      return { items, next: next && { before: next.before } };
    },
  );

/** The deliveries of all endpoints of a company, merged by event. */
export const listAllDeliveries = (
  companyId: number,
  { limit, cursor, ...filters }: DeliveriesQuery,
): Promise<CursorPage<DeliveryRecord> | Problem<'invalid_cursor'>> =>
  listByCursor({ scope: `deliveries:${companyId}:${scopeOf(filters)}`, cursor, position: place }, async (after) => {
    const endpoints = await listEndpoints(companyId);
    return pageOf(
      companyId,
      endpoints.map(({ id }) => id),
      { filters, limit, after },
    );
  });

/** Where a list over all endpoints goes on: behind an event at an endpoint; endpoints of one event are in the order of their ids. */
const place = z.object({ before: z.string(), endpointId: z.int() });
type Place = z.output<typeof place>;

interface Range {
  filters: DeliveryFilters;
  limit: number;
  after: Place | undefined;
}

/** The filters in the scope of a cursor. A status alone is written as before there were others: cursors that were handed out stay valid. */
const scopeOf = ({ status, ...others }: DeliveryFilters): string =>
  [status ?? '', ...Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))].join(':');

async function pageOf(
  companyId: number,
  endpointIds: readonly number[],
  range: Range,
): Promise<{ items: DeliveryRecord[]; next: Place | undefined }> {
  const { event_id: eventId } = range.filters;
  const { deliveries, next } =
    eventId === undefined
      ? await mergedDeliveries(companyId, endpointIds, range)
      : await deliveriesOf(companyId, endpointIds, eventId, range);
  return { items: await Promise.all(deliveries.map(toDeliveryRecord)), next };
}

/** Of one event: each endpoint has one log of it. */
async function deliveriesOf(
  companyId: number,
  endpointIds: readonly number[],
  eventId: string,
  { filters, after }: Range,
): Promise<{ deliveries: Delivery[]; next: undefined }> {
  if (after) return { deliveries: [], next: undefined };
  const found = await Promise.all(endpointIds.map((id) => getDeliveries(companyId, id, [eventId])));
  return { deliveries: found.flat().filter(matching(filters)), next: undefined };
}

const maxLookedPerEndpoint = 1_000;

/**
 * Newest event first. Of an endpoint where little fits, a stretch is looked through: what lies behind it is for the next call. The endpoints
 * are read side by side, a share of the page of each, then more of those that may have more for it; together within the units of one call.
 */
async function mergedDeliveries(
  companyId: number,
  endpointIds: readonly number[],
  { filters, limit, after = afterTime(filters.to) }: Range,
): Promise<{ deliveries: Delivery[]; next: Place | undefined }> {
  const walks = endpointIds.map((endpointId) => walkFrom(endpointId, after));
  const unitsBefore = readUnits();
  let perRead = Math.min(mostPerRead, Math.ceil((limit + 1) / Math.max(1, walks.length)) + 4);
  let looked = 0;
  for (let open = walks; open.length > 0; open = openWalks(walks, limit)) {
    await Promise.all(open.map((walk) => readOn(companyId, walk, filters, perRead)));
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

/** Whether a delivery is one of those that the filters name. */
const matching =
  ({ status, event, response_status: answered, from, to }: DeliveryFilters) =>
  (delivery: Delivery): boolean =>
    (status === undefined || delivery.status === status) &&
    (event === undefined || delivery.event === event) &&
    (answered === undefined || delivery.response?.status === answered) &&
    (from === undefined || delivery.createdAt >= secondOf(from)) &&
    (to === undefined || delivery.createdAt <= Date.parse(to));

/** An event bears the second in which its change was written. */
const secondOf = (time: string): number => Math.floor(Date.parse(time) / 1_000) * 1_000;

/** An event is published within a day of its change; its id has the time at which it was. */
const maxLagMs = dayMs;
const firstIdAt = (ms: number): string => `evt_${ulid(Math.max(0, ms), Buffer.alloc(10))}`;

/** Where a walk begins whose events are not later than a time. */
const afterTime = (to: string | undefined): Place | undefined =>
  to === undefined ? undefined : { before: firstIdAt(Date.parse(to) + maxLagMs), endpointId: Number.MAX_SAFE_INTEGER };

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

async function readOn(companyId: number, walk: Walk, filters: DeliveryFilters, limit: number): Promise<void> {
  const { endpointId, beforeEventId, isInclusive } = walk;
  const { status, event, from } = filters;
  const fromEventId = from === undefined ? undefined : firstIdAt(secondOf(from) - maxLagMs);
  const page = await listDeliveryLog(companyId, endpointId, { beforeEventId, isInclusive, fromEventId, status, event, limit });
  walk.found.push(...page.deliveries.filter(matching(filters)));
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
      const { deliveries, next } = await mergedDeliveries(companyId, ids, {
        filters: { status: 'failed', from: since },
        limit: perReplay,
        after,
      });
      const outcomes = await Promise.all(deliveries.filter(({ updatedAt }) => updatedAt <= startedAt).map(replayDelivery));
      return {
        resent: outcomes.filter(Boolean).length,
        skipped: outcomes.filter((each) => !each).length,
        next: next && { ...next, startedAt },
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
  request: { url: delivery.url, body: await unsealBody(delivery), headers: delivery.headers?.sent ?? null },
  response: delivery.response ? { ...delivery.response, headers: delivery.headers?.received ?? null } : null,
  error: delivery.error ?? null,
  tries: delivery.tries.map(({ at, ms, status, error }) => ({ at: isoTime(at), ms, status: status ?? null, error: error ?? null })),
  created_at: isoTime(delivery.createdAt),
  updated_at: isoTime(delivery.updatedAt),
});
