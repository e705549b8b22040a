import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';

export const templateSyncsQueue = queue({
  name: 'template-syncs',
  purpose: 'Accounts with more templates than a caller can wait for, and those whose daily check is due',
  /** `check`: the accounts and numbers too, once a day. */
  message: z.object({ company_id: z.int(), what: z.literal('check').optional() }),
  workSeconds: 290,
  maxReceives: 5,
});
