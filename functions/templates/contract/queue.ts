import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';

export const templateSyncsQueue = queue({
  name: 'template-syncs',
  purpose: 'Accounts with more templates than a caller can wait for',
  message: z.object({ company_id: z.int() }),
  workSeconds: 290,
  maxReceives: 5,
});
