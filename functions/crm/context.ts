import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { leadCreated, leadUpdated, taskCreated, taskUpdated } from './contract/event.ts';
import { preferenceRoutes } from './contract/preference.ts';
import { recordRoutes } from './contract/routes.ts';
import { crmQueue } from './contract/work.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';

/**
 * CRM: pipelines, leads, tasks, notes, timelines, reports, reminders to staff.
 *
 * Everything that belongs to a lead is in its partition; see docs/decisions/crm-lead-partition.md. A lead stores its pending tasks, written
 * in the transactions of the tasks, so its next action and counts are exact. Every change stores its timeline entry in the changed item.
 * Projections write the timelines, place leads and tasks into cells (stage, owner, follow-up; status, assignee, reminded) with counts, and
 * pack facts and texts for reports and search. Lists read the newest part directly and the rest through the cells (docs/decisions/crm-lists.md).
 * Notes are internal: no module that handles notes can import one that sends.
 */
export const crmContext = context({
  name: 'crm',
  purpose: 'Pipelines, leads, tasks, notes, timelines, reports, reminders to staff',
  events: [leadCreated, leadUpdated, taskCreated, taskUpdated],
  reactions,
  projections,
  recounts,
  due,
  erasure,
  functions: [
    {
      name: 'crm-http',
      trigger: 'http',
      entry: 'functions/crm/http/public.ts',
      routes: recordRoutes,
      // one route in API Gateway for all below a lead
      apiPaths: ['/api/v1/crm/leads/{rest+}'],
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'), reads(cursorKey)],
      // a report unpacks the facts of every lead
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
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(sealingKey),
        reads(erasureKey),
        sendsTo(crmQueue),
      ],
    },
  ],
});
