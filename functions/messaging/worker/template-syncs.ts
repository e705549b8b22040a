import { consume } from '../../../shared/queue/consume.ts';
import { templateSyncsQueue } from '../contract/template-queue.ts';
import { finishSync } from '../service/template-sync-later.ts';

export const handler = consume(templateSyncsQueue, async ({ company_id }) => {
  await finishSync(company_id);
});
