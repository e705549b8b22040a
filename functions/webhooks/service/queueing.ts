import type * as z from 'zod';
import { send } from '../../../shared/queue/send.ts';
import { log } from '../../../shared/runtime/log.ts';
import { webhookWakesQueue, type webhookEventsQueue } from '../contract/queue.ts';
import { bodyOf, maxBodyBytes } from '../domain/payload.ts';
import { addPending } from '../store/delivery.ts';

/**
 * Puts an event into the lane of each endpoint that is to hear it, then wakes them. The same event again puts the same items again, and
 * the log tells the deliverer which of them were heard.
 */
export const queueEvent = async (message: z.output<typeof webhookEventsQueue.message>): Promise<void> => {
  const { company_id: companyId, event_id: eventId, event, at_ms: atMs, sequence, data } = message;
  const body = bodyOf({ id: eventId, event, companyId, atMs, sequence, data });
  if (Buffer.byteLength(body) > maxBodyBytes) throw new Error('An event is larger than a webhook may be.');
  await Promise.all(
    message.endpoint_ids.map((endpointId) =>
      addPending({ companyId, endpointId, eventId, event, body, attempts: 0, nextAt: atMs, createdAt: atMs }),
    ),
  );
  log.info('An event waits for its endpoints', { company_id: companyId, event, count: message.endpoint_ids.length });
  await Promise.all(message.endpoint_ids.map((endpointId) => wake(companyId, endpointId)));
};

/** Wakes asked for in the same moment, as those of one batch are, go together, and each endpoint once. */
function wake(companyId: number, endpointId: number): Promise<void> {
  if (!asked) {
    const wakes = new Map<string, { companyId: number; message: { company_id: number; endpoint_id: number } }>();
    const sent = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      asked = undefined;
      return send(webhookWakesQueue, [...wakes.values()]);
    });
    asked = { wakes, sent };
  }
  asked.wakes.set(`${companyId}:${endpointId}`, { companyId, message: { company_id: companyId, endpoint_id: endpointId } });
  return asked.sent;
}

let asked:
  | { wakes: Map<string, { companyId: number; message: { company_id: number; endpoint_id: number } }>; sent: Promise<void> }
  | undefined;
