import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract.ts';
import { flag, timeWithOffset, dateOrTime, perPage, reader, retryKey, version, writer } from './fields.ts';
import { taskStatuses } from './stored.ts';

/** A task (A64). */
export const taskRecord = z
  .object({
    id: z.int(),
    lead_id: z.int(),
    lead: z.object({ id: z.int(), title: z.string() }).nullable(),
    title: z.string(),
    due_at: timestamp,
    timezone: z.string(),
    assignee_id: z.int(),
    assignee: z.object({ id: z.int(), name: z.string() }).nullable(),
    status: z.enum(taskStatuses),
    is_overdue: z.boolean(),
    reminded_at: timestamp.nullable(),
    outcome_notes: z.string().nullable(),
    cancellation_reason: z.string().nullable(),
    completed_at: timestamp.nullable(),
    cancelled_at: timestamp.nullable(),
    version: z.int(),
    created_by: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Task' });
export type TaskRecord = z.output<typeof taskRecord>;

const title = text(255, 1);

export const taskBody = z.object({
  title,
  due_at: timeWithOffset,
  timezone: timezone.optional(),
  assignee_id: id.optional(),
  retry_key: retryKey,
});
export type TaskBody = z.output<typeof taskBody>;

export const taskChanges = z.object({
  version,
  title: title.optional(),
  due_at: timeWithOffset.optional(),
  timezone: timezone.optional(),
  assignee_id: id.optional(),
});
export type TaskChanges = z.output<typeof taskChanges>;

const why = text(2_000, 1);

/** The notes under any of their names (A65). */
export const completion = z
  .object({ version, outcome_notes: why.optional(), outcome: why.optional(), notes: why.optional() })
  .transform(({ version: seen, outcome_notes, outcome, notes }, context) =>
    required('outcome_notes', outcome_notes ?? outcome ?? notes, seen, context),
  );

export const cancellation = z
  .object({ version, cancellation_reason: why.optional(), reason: why.optional() })
  .transform(({ version: seen, cancellation_reason, reason }, context) =>
    required('cancellation_reason', cancellation_reason ?? reason, seen, context),
  );

const filters = {
  status: z.enum(taskStatuses, { error: 'Must be pending, completed or cancelled.' }).optional(),
  assignee_id: id.optional(),
  mine: flag,
  reminded: flag,
  overdue: flag,
  due_from: dateOrTime('first').optional(),
  due_to: dateOrTime('last').optional(),
};
export const taskQuery = paging(perPage, 100, { lead_id: id.optional(), ...filters });
export type TaskQuery = z.output<typeof taskQuery>;
export const leadTaskQuery = paging(perPage, 100, filters);
export type LeadTaskQuery = z.output<typeof leadTaskQuery>;

const leadParams = z.object({ id: pathId });
const taskParams = z.object({ id: pathId, task_id: pathId });
const path = '/api/v1/crm/leads/{id}/tasks';
const stale = ['validation_failed', 'not_found', 'version_conflict', 'task_not_pending'] as const;
const answers = { 200: success(taskRecord) } as const;

export const taskRoutes = {
  listTasks: route({
    method: 'GET',
    path: '/api/v1/crm/tasks',
    summary: 'Tasks, earliest due first; any combination of filters',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    query: taskQuery,
    answers: { 200: paginated(taskRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getTask: route({
    method: 'GET',
    path: '/api/v1/crm/tasks/{id}',
    summary: 'A task',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params: leadParams,
    answers,
    errors: ['not_found'],
  }),
  listLeadTasks: route({
    method: 'GET',
    path,
    summary: 'Tasks of an enquiry, earliest due first',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params: leadParams,
    query: leadTaskQuery,
    answers: { 200: paginated(taskRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  createTask: route({
    method: 'POST',
    path,
    summary: 'Add a task to an enquiry',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params: leadParams,
    body: taskBody,
    answers,
    errors: ['validation_failed', 'not_found', 'retry_key_reused'],
  }),
  getLeadTask: route({
    method: 'GET',
    path: `${path}/{task_id}`,
    summary: 'A task of an enquiry',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params: taskParams,
    answers,
    errors: ['not_found'],
  }),
  updateTask: route({
    method: 'PATCH',
    path: `${path}/{task_id}`,
    summary: 'Change a pending task; a changed due time is reminded of anew',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params: taskParams,
    body: taskChanges,
    answers,
    errors: stale,
  }),
  completeTask: route({
    method: 'PUT',
    path: `${path}/{task_id}/complete`,
    summary: 'Complete a task with its outcome',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params: taskParams,
    body: completion,
    answers,
    errors: stale,
  }),
  cancelTask: route({
    method: 'PUT',
    path: `${path}/{task_id}/cancel`,
    summary: 'Cancel a task with the reason',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params: taskParams,
    body: cancellation,
    answers,
    errors: stale,
  }),
};

function required(
  field: string,
  given: string | undefined,
  seen: number,
  context: z.core.$RefinementCtx,
): { version: number; why: string } {
  if (given !== undefined) return { version: seen, why: given };
  context.addIssue({ code: 'custom', path: [field], message: 'This field is required.' });
  return z.NEVER;
}
