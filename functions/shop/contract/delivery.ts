import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { platformEvent } from './platform-event.ts';

/** Normalized deliveries of the receivers, one message for each delivery. The key identifies repeats. */
export const deliveriesQueue = queue({
  name: 'shop-deliveries',
  purpose: 'Normalized events of store platforms, logistics and checkout providers',
  message: z.object({ company_id: z.int(), key: z.string(), event: platformEvent }),
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});
