import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { domainBus, eventSource, type EventSpec } from '../contract/event.ts';
import { variableOf } from '../contract/resource.ts';
import { withTimeouts } from '../runtime/aws-client.ts';
import { setting } from '../runtime/env.ts';
import { currentRequestId } from '../runtime/log.ts';
import { processValue } from '../runtime/memory.ts';
import { inParallel } from '../runtime/parallel.ts';

export interface OutgoingEvent {
  event: EventSpec;
  companyId: number;
  detail: unknown;
  /** The same on every repetition, so that subscribers can recognize a duplicate. */
  id: string;
}

/** Publishes events, ten per request, requests side by side. Repeats only the failed ones and throws when some remain unpublished. */
export const publish = async (events: readonly OutgoingEvent[]): Promise<void> => {
  const slices = Array.from({ length: Math.ceil(events.length / 10) }, (_, index) => events.slice(index * 10, index * 10 + 10));
  await inParallel(slices, requestsAtOnce, publishSlice);
};

const requestsAtOnce = 10;

async function publishSlice(slice: readonly OutgoingEvent[]): Promise<void> {
  let left = slice;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > 4) throw new Error(`${left.length} events could not be published.`);
    if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, 25 * 2 ** attempt));
    const answer = await client().send(new PutEventsCommand({ Entries: left.map(entry) }));
    left = left.filter((_, index) => answer.Entries?.[index]?.ErrorCode !== undefined);
  }
}

const client = processValue(() => new EventBridgeClient({ maxAttempts: 4, ...withTimeouts() }));

function entry({ event, companyId, detail, id }: OutgoingEvent) {
  return {
    EventBusName: setting(variableOf(domainBus)),
    Source: eventSource,
    DetailType: event.name,
    Detail: JSON.stringify({ id, company_id: companyId, request_id: currentRequestId(), data: event.detail.parse(detail) }),
  };
}
