import { dueWork } from '../../../shared/events/due.ts';
import { readReceiptsQueue } from '../../messaging/contract/inbound-queue.ts';
import { conversationEntityName } from './stored.ts';

/** A conversation that was put away until a time; the reference is `company:contact`. */
export const dueSnooze = dueWork({
  name: conversationEntityName,
  purpose: 'A conversation that was put away and comes back',
  queue: readReceiptsQueue,
  companyOf: (reference) => Number(reference.split(':')[0]),
  message: (reference, dueAtMs) => {
    const [company_id = 0, contact_id = 0] = reference.split(':').map(Number);
    return { company_id, contact_id, until_ms: dueAtMs };
  },
});
