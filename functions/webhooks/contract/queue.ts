import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { dueWork } from '../../../shared/events/due.ts';

/** The queue is the first store of an event: the message has all of its data. It has ids, never the text of a message. */
export const webhookEventsQueue = queue({
  name: 'webhook-events',
  purpose: 'Events that endpoints listen to, one a message',
  message: z.object({
    company_id: z.int(),
    endpoint_ids: z.array(z.int()).min(1),
    event_id: z.string(),
    event: z.string(),
    /** Epoch milliseconds. */
    at_ms: z.int(),
    sequence: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

const wake = z.object({ company_id: z.int(), endpoint_id: z.int() });

/** Two queue classes, so that healthy endpoints never wait for failing ones. */
export const webhookWakesQueue = queue({
  name: 'webhook-wakes',
  purpose: 'Endpoints that have something to hear',
  message: wake,
  workSeconds: 60,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

export const webhookRetriesQueue = queue({
  name: 'webhook-retries',
  purpose: 'Endpoints in trouble that have something to hear again',
  message: wake,
  workSeconds: 60,
  maxReceives: 8,
});

export const endpointEntityName = 'webhook-endpoint';
export const subscriptionsEntityName = 'webhook-subscriptions';

export const dueEndpoint = dueWork({
  name: endpointEntityName,
  purpose: 'An endpoint to which something is to be delivered again',
  queue: webhookRetriesQueue,
  companyOf: (reference) => Number(reference.split(':')[0]),
  message: (reference) => {
    const [company_id = 0, endpoint_id = 0] = reference.split(':').map(Number);
    return { company_id, endpoint_id };
  },
});
