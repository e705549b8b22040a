import type { Queue } from '../../../shared/contract/queue.ts';
import { publish } from '../../../shared/events/publish.ts';
import { setting } from '../../../shared/runtime/env.ts';
import { type Outgoing, send } from '../../../shared/queue/send.ts';
import { enqueueEventsForEndpoints } from '../../webhooks/service/enqueue-events.ts';
import type { StreamRecord } from './stream-record.ts';

export const enqueueMessages = async (records: readonly StreamRecord[]): Promise<void> => {
  const byQueue = new Map<Queue, Outgoing[]>();
  for (const consequence of records.flatMap(({ consequences }) => consequences)) {
    if (consequence.kind !== 'message') continue;
    const { queue, companyId, message, delaySeconds } = consequence;
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), { companyId, message, ...(delaySeconds ? { delaySeconds } : {}) }]);
  }
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
};

/** On the domain bus, for rules of the operator's; where there are none, an event would cost and reach no one. */
export const publishEvents = async (records: readonly StreamRecord[]): Promise<void> => {
  if (setting('PUBLISH_EVENTS') !== 'true') return;
  const events = records.flatMap(({ eventId, consequences }) =>
    consequences.flatMap((each, index) =>
      each.kind === 'event' ? [{ event: each.event, companyId: each.companyId, detail: each.detail, id: `${eventId}-${index}` }] : [],
    ),
  );
  if (events.length > 0) await publish(events);
};

/**
 * For the endpoints that subscribe. The id of an event follows from its change, its name and its place among the change's events of that
 * name, so another event of the same change does not alter it.
 */
export const enqueueWebhooks = async (records: readonly StreamRecord[]): Promise<void> => {
  const events = records.flatMap(({ eventId, position, consequences }) => {
    const countByName = new Map<string, number>();
    return consequences.flatMap((each) => {
      if (each.kind !== 'event') return [];
      const { event, companyId } = each;
      const nth = countByName.get(event.name) ?? 0;
      countByName.set(event.name, nth + 1);
      const data = event.detail.parse(each.detail) as Record<string, unknown>;
      const changeId = `${eventId}:${event.name}:${nth}`;
      return [{ event: event.name, companyId, data, changeId, sequence: position.sequence, writtenAtMs: position.writtenAt }];
    });
  });
  await enqueueEventsForEndpoints(events);
};
