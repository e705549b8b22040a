import { send } from '../../../shared/queue/send.ts';
import { webhookEventsQueue } from '../contract/queue.ts';
import { eventIdOf } from '../domain/payload.ts';
import { subscribedEndpointIds } from '../domain/subscription.ts';
import { subscriptionsOf } from './subscriptions.ts';

/** An event of the change stream. */
export interface EndpointEvent {
  event: string;
  companyId: number;
  /** As the event's schema leaves it. */
  data: Readonly<Record<string, unknown>>;
  /** The same whenever the same change is delivered again. */
  changeId: string;
  /** The change's place in the stream. */
  sequence: string;
  writtenAtMs: number;
}

/** Enqueues the events that endpoints subscribe to. A company without endpoints costs no write and no message. */
export const enqueueEventsForEndpoints = async (changes: readonly EndpointEvent[]): Promise<void> => {
  if (changes.length === 0) return;
  const byCompany = await subscriptionsOf([...new Set(changes.map(({ companyId }) => companyId))]);
  const messages = changes.flatMap(({ event, companyId, data, changeId, sequence, writtenAtMs }) => {
    const endpoint_ids = subscribedEndpointIds(byCompany.get(companyId) ?? [], event, data, writtenAtMs);
    if (endpoint_ids.length === 0) return [];
    const event_id = eventIdOf(companyId, changeId, writtenAtMs);
    return [{ companyId, message: { company_id: companyId, endpoint_ids, event_id, event, at_ms: writtenAtMs, sequence, data } }];
  });
  if (messages.length > 0) await send(webhookEventsQueue, messages);
};
