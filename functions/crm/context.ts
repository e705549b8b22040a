import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { preferenceRoutes } from './contract/preference.ts';
import { recordRoutes } from './contract/routes.ts';
import { crmQueue } from './contract/work.ts';

/**
 * CRM: pipelines, enquiries ("leads"), tasks, notes, timelines, reports, reminders to staff.
 *
 * All that belongs to an enquiry lies in its partition. An enquiry keeps its pending tasks in itself, written in the tasks' own
 * transactions, so next action and counts are never a guess; every change carries its entry of the timeline in the changed item. The
 * change stream writes out timelines, puts enquiries and tasks into cells (stage, owner, follow-up; status, assignee, reminded) with
 * their counts, and packs facts and texts for reports and search. Lists read their newest stretch live and the rest through cells.
 * Notes are internal: no module that handles them can reach one that sends.
 */
export const crmContext = context({
  name: 'crm',
  purpose: 'Pipelines, enquiries, tasks, notes, timelines, reports, reminders to staff',
  functions: [
    {
      name: 'crm-http',
      trigger: 'http',
      entry: 'functions/crm/http/public.ts',
      routes: recordRoutes,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem')],
      // a report unpacks the facts of every enquiry
      memoryMb: 1_024,
    },
    {
      name: 'crm-preferences-http',
      trigger: 'http',
      entry: 'functions/crm/http/preferences.ts',
      routes: preferenceRoutes,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey)],
    },
    {
      name: 'crm-worker',
      trigger: 'queue',
      entry: 'functions/crm/worker.ts',
      queue: crmQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey), sendsTo(crmQueue)],
    },
  ],
});
