import { consume } from '../../shared/queue/consume.ts';
import { templateSyncsQueue } from './contract/queue.ts';
import { completeSync } from './service/sync-templates.ts';

export const handler = consume(templateSyncsQueue, async ({ company_id }) => {
  await completeSync(company_id);
});
