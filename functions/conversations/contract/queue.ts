import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { dueWork } from '../../../shared/events/due.ts';
import { conversationEntityName } from './stored.ts';

export const snoozesQueue = queue({
  name: 'conversation-snoozes',
  purpose: 'Conversations that were put away and come back, by reference',
  message: z.object({ company_id: z.int(), contact_id: z.int(), until_ms: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

/** A conversation that was put away until a time; the reference is `company:contact`. */
export const dueSnooze = dueWork({
  name: conversationEntityName,
  purpose: 'A conversation that was put away and comes back',
  queue: snoozesQueue,
  companyOf: (reference) => Number(reference.split(':')[0]),
  message: (reference, dueAtMs) => {
    const [company_id = 0, contact_id = 0] = reference.split(':').map(Number);
    return { company_id, contact_id, until_ms: dueAtMs };
  },
});
