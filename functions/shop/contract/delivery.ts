import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { platformEvent } from './platform-event.ts';

/** What a receiver took in, in our words, once for every delivery; the key tells repeats (S19). */
export const deliveriesQueue = queue({
  name: 'shop-deliveries',
  purpose: 'What store platforms, logistics and checkout providers told, to be applied',
  message: z.object({ company_id: z.int(), key: z.string(), said: platformEvent }),
  workSeconds: 30,
  maxReceives: 8,
});
