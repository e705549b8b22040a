import type * as z from 'zod';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { webhookEventsQueue, webhookWakesQueue } from '../contract/queue.ts';
import { payloadBody, maxPayloadBytes } from '../domain/payload.ts';
import { putPendingDelivery } from '../store/delivery.ts';
import { sealBody } from './sealed-bodies.ts';
import { webhookData } from '../registry.generated.ts';

/**
 * Creates a pending delivery of an event for each of its endpoints, then wakes the endpoints. The same event again writes the same items
 * again, and the log shows the worker which of them were delivered.
 */
export const createDeliveries = async (message: z.output<typeof webhookEventsQueue.message>): Promise<void> => {
  const { company_id: companyId, event_id: eventId, event, at_ms: atMs, sequence } = message;
  const bodyWith = (data: Readonly<Record<string, unknown>>): string =>
    payloadBody({ id: eventId, event, companyId, atMs, sequence, data });
  const declared = webhookData.find(({ of }) => of.includes(event));
  const data = declared ? await declared.read(companyId, event, message.data) : message.data;
  if (data === undefined) return createLater(message);
  const whole = bodyWith(data);
  const isWhole = Buffer.byteLength(whole) <= maxPayloadBytes;
  const body = isWhole ? whole : bodyWith(message.data);
  const isSealed = isWhole && data !== message.data;
  const put = async (endpointId: number): Promise<void> => {
    const place = { companyId, endpointId, eventId };
    const stored = isSealed ? await sealBody(place, body) : body;
    await putPendingDelivery({ ...place, event, body: stored, attempts: 0, nextAt: atMs, createdAt: atMs });
  };
  await wakeEndpointsAfter(
    () => Promise.all(message.endpoint_ids.map(put)),
    message.endpoint_ids.map((endpoint_id) => ({ company_id: companyId, endpoint_id })),
  );
  log.info('An event waits for its endpoints', { company_id: companyId, event, count: message.endpoint_ids.length });
};

/** A request is stored beside the write that began it. One that is not there seconds later was never answered, and no endpoint gets its event. */
async function createLater(message: z.output<typeof webhookEventsQueue.message>): Promise<void> {
  const { company_id: companyId, event, at_ms: atMs } = message;
  if (now() < atMs + lateStoreMs) await send(webhookEventsQueue, [{ companyId, message, delaySeconds: 5 }]);
  else log.info('An event is dropped: what it is about was never stored', { company_id: companyId, event });
}

/** Longer than a function of the API runs. */
const lateStoreMs = 30_000;

type Wake = z.input<typeof webhookWakesQueue.message>;
interface WakeBatch {
  working: number;
  wakes: Map<string, Wake>;
  sent: PromiseWithResolvers<void>;
}

/** The wakes of a batch go together when the last of its events is put, each endpoint once. */
async function wakeEndpointsAfter(put: () => Promise<unknown>, wakes: readonly Wake[]): Promise<void> {
  openWakeBatch ??= { working: 0, wakes: new Map(), sent: Promise.withResolvers() };
  const own = openWakeBatch;
  own.working++;
  try {
    await put();
    for (const wake of wakes) own.wakes.set(`${wake.company_id}:${wake.endpoint_id}`, wake);
  } finally {
    if (--own.working === 0) {
      openWakeBatch = undefined;
      own.sent.resolve(
        send(
          webhookWakesQueue,
          [...own.wakes.values()].map((message) => ({ companyId: message.company_id, message })),
        ),
      );
    }
  }
  await own.sent.promise;
}

let openWakeBatch: WakeBatch | undefined;
