import { consume } from '../../shared/queue/consume.ts';
import { templateSyncsQueue } from './contract/queue.ts';
import { checkAccounts } from './service/check-accounts.ts';
import { completeSync } from './service/sync-templates.ts';

export const handler = consume(templateSyncsQueue, async ({ company_id, what }) => {
  await (what === 'check' ? checkAccounts(company_id) : completeSync(company_id));
});
