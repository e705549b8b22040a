import { context } from '../../shared/contract/context.ts';
import { sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { campaignBatchesQueue, campaignChecksQueue } from '../campaigns/contract/queue.ts';
import { due } from './due.ts';
import { journal } from './journal.ts';
import { restores } from './restores.ts';

/**
 * Summaries: what happened in a company's week, by email to each user who wants it. The figures are those of the reports, read when the email is due.
 * Its operations are answered by administration. Its work is a minute of the week, so it has no queue of its own: its worker is that of the checks of
 * campaigns too. See docs/decisions/weekly-summary.md.
 */
export const summariesContext = context({
  name: 'summaries',
  purpose: 'The weekly summary by email',
  journal,
  restores,
  due,
  functions: [
    {
      // deployed under the name of what it does all day
      name: 'campaign-checks',
      trigger: 'queue',
      entry: 'functions/summaries/worker.ts',
      queue: campaignChecksQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        sendsTo(campaignBatchesQueue),
        { resource: 'email' },
      ],
    },
  ],
});
