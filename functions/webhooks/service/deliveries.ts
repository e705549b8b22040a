import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { ulidTime } from '../../../shared/runtime/ids.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { testEvent } from '../contract/catalog.ts';
import type { DeliveriesQuery, DeliveryRecord } from '../contract/delivery.ts';
import { payloadBody } from '../domain/payload.ts';
import { unsealBody } from './sealed-bodies.ts';
import { putPendingDeliveryAndWake, type Delivery, getDeliveries, listDeliveryLog } from '../store/delivery.ts';
import { getEndpoint } from '../store/endpoint.ts';

export interface DeliveryPage {
  items: DeliveryRecord[];
  nextCursor: string | undefined;
}

/** A filtered page may be short: 1,000 deliveries are looked through for it, and the cursor goes on from there. */
export const listDeliveries = async (
  companyId: number,
  endpointId: number,
  { status, limit, cursor }: DeliveriesQuery,
): Promise<DeliveryPage | Problem<'not_found' | 'invalid_cursor'>> => {
  const scope = `webhook-deliveries:${companyId}:${endpointId}:${status ?? ''}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, z.object({ before: z.string() }));
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  if (!(await getEndpoint(companyId, endpointId))) return problem('not_found');
  const found: Delivery[] = [];
  let beforeEventId = after?.before;
  for (let looked = 0; looked < 1_000 && found.length < limit; looked += 100) {
    const page = await listDeliveryLog(companyId, endpointId, { beforeEventId, status, limit: status === undefined ? limit : 100 });
    found.push(...page.deliveries);
    beforeEventId = page.last;
    if (page.last === undefined) break;
  }
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1)?.eventId : beforeEventId;
  return {
    items: await Promise.all(items.map(toDeliveryRecord)),
    nextCursor: last === undefined ? undefined : await encodeCursor(scope, { before: last }),
  };
};

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
  const at = now();
  const { eventId, event, body, createdAt } = delivery;
  const log: Delivery = { ...delivery, status: 'pending', nextAt: at, updatedAt: at };
  const pending = { companyId, endpointId, eventId, event, body, attempts: 0, nextAt: at, createdAt };
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
