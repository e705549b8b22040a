import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, namedUser, paging, pathId, text, timestamp, withOneOf } from '../../../shared/contract/fields.ts';
import { missingReason } from '../../../shared/contract/refusal-words.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract/timezone.ts';
import { flag, timeWithOffset, dateOrTime, perPage, reader, retryKey, version, writer } from './fields.ts';
import { taskStatuses } from './stored-task.ts';

/** A task of a lead. */
export const taskRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the task.' }),
    lead_id: z.int(),
    lead: z
      .object({
        id: z.int().meta({ description: 'The id of the lead.' }),
        title: z.string().meta({ description: 'The title of the lead.' }),
      })
      .nullable()
      .meta({ description: 'The lead, or null.' }),
    title: z.string().meta({ description: 'The title of the task.' }),
    due_at: timestamp.meta({ description: 'When the task is due.' }),
    timezone: z.string().meta({ description: 'The time zone in which reminders show the due time.' }),
    assignee_id: z.int().meta({ description: 'The id of the assignee.' }),
    assignee: namedUser.nullable().meta({ description: 'The assignee, or null.' }),
    status: z.enum(taskStatuses).meta({ description: 'pending, completed or cancelled.' }),
    is_overdue: z.boolean().meta({ description: 'Whether the task is pending and its due time has passed.' }),
    reminded_at: timestamp.nullable().meta({ description: 'When the provider accepted the reminder of this due time, or null.' }),
    reminder_error: z
      .object({
        code: z.string().meta({ description: 'The code: of the provider, or such as window_closed.' }),
        title: z.string().meta({ description: 'The reason in words.' }),
      })
      .nullable()
      .meta({ description: 'Why the reminder did not arrive; it is tried once more at the due time. Null: it did, or is not due.' }),
    outcome_notes: z.string().nullable().meta({ description: 'The outcome of a completed task, or null.' }),
    cancellation_reason: z.string().nullable().meta({ description: 'Why the task was cancelled, or null.' }),
    completed_at: timestamp.nullable().meta({ description: 'When the task was completed, or null.' }),
    cancelled_at: timestamp.nullable().meta({ description: 'When the task was cancelled, or null.' }),
    version: z.int().meta({ description: 'Send it with a change; an outdated one is 409.' }),
    created_by: z.int().meta({ description: 'The id of the user who created the task.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Task' });
export type TaskRecord = z.output<typeof taskRecord>;

const title = text(255, 1);

export const taskBody = z.object({
  title: title.meta({ description: 'The title of the task.' }),
  due_at: timeWithOffset.meta({ description: 'When the task is due, with offset, such as 2026-11-30T09:00:00+01:00.' }),
  timezone: timezone.optional().meta({ description: 'The time zone of reminders; default: the one of the company.' }),
  assignee_id: id.optional().meta({ description: 'The assignee; default: the caller.' }),
  retry_key: retryKey,
});
export type TaskBody = z.output<typeof taskBody>;

export const taskChanges = z.object({
  version,
  title: title.optional().meta({ description: 'The title of the task.' }),
  due_at: timeWithOffset.optional().meta({ description: 'When the task is due, with offset; a change schedules a new reminder.' }),
  timezone: timezone.optional().meta({ description: 'The time zone of reminders.' }),
  assignee_id: id.optional().meta({ description: 'The assignee.' }),
});
export type TaskChanges = z.output<typeof taskChanges>;

const why = text(2_000, 1);

/** The outcome, under any of its names. */
export const completion = withOneOf(
  z.object({
    version,
    outcome_notes: why.optional().meta({ description: 'The outcome; required under one of its names.' }),
    outcome: why.optional().meta({ description: 'Another name of `outcome_notes`.' }),
    notes: why.optional().meta({ description: 'Another name of `outcome_notes`.' }),
  }),
  ['outcome_notes', 'outcome', 'notes'],
  missingReason,
).transform(({ version: seen, outcome_notes, outcome, notes }) => ({ version: seen, why: outcome_notes ?? outcome ?? notes ?? '' }));

export const cancellation = withOneOf(
  z.object({
    version,
    cancellation_reason: why.optional().meta({ description: 'The reason; required under one of its names.' }),
    reason: why.optional().meta({ description: 'Another name of `cancellation_reason`.' }),
  }),
  ['cancellation_reason', 'reason'],
  missingReason,
).transform(({ version: seen, cancellation_reason, reason }) => ({ version: seen, why: cancellation_reason ?? reason ?? '' }));

const filters = {
  status: z
    .enum(taskStatuses, { error: 'Must be pending, completed or cancelled.' })
    .optional()
    .meta({ description: 'Only tasks of this status.' }),
  assignee_id: id.optional().meta({ description: 'Only tasks of this assignee.' }),
  mine: flag.meta({ description: '1: tasks of the caller; 0: tasks of others.' }),
  reminded: flag.meta({ description: '1: tasks whose reminder was accepted; 0: all others.' }),
  overdue: flag.meta({ description: '1: overdue tasks; 0: all others.' }),
  due_from: dateOrTime('first').optional().meta({ description: 'Only tasks due at or after this date or time.' }),
  due_to: dateOrTime('last').optional().meta({ description: 'Only tasks due at or before this date or time.' }),
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
    summary: 'List tasks',
    description: 'The tasks of all leads, earliest due time first, with any combination of filters.',
    caller: reader,
    limit: 'crm',
    query: taskQuery,
    answers: { 200: paginated(taskRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getTask: route({
    method: 'GET',
    path: '/api/v1/crm/tasks/{id}',
    summary: 'Get a task',
    description: 'A task by its id.',
    caller: reader,
    limit: 'crm',
    params: leadParams,
    answers,
    errors: ['not_found'],
  }),
  listLeadTasks: route({
    method: 'GET',
    path,
    summary: 'List the tasks of a lead',
    description: 'The tasks of one lead, earliest due time first.',
    caller: reader,
    limit: 'crm',
    params: leadParams,
    query: leadTaskQuery,
    answers: { 200: paginated(taskRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  createTask: route({
    method: 'POST',
    path,
    summary: 'Add a task to a lead',
    description:
      'A reminder is sent to the assignee before the due time, if the assignee has a verified work number. The same `retry_key` with the same content returns the same task.',
    caller: writer,
    isOwnRecord: true,
    limit: 'crm',
    params: leadParams,
    body: taskBody.meta({ id: 'CreateTaskRequest' }),
    answers,
    refuses: ['limit'],
    errors: ['validation_failed', 'not_found', 'retry_key_reused'],
  }),
  getLeadTask: route({
    method: 'GET',
    path: `${path}/{task_id}`,
    summary: 'Get a task of a lead',
    description: 'A task by its id and the id of its lead.',
    caller: reader,
    limit: 'crm',
    params: taskParams,
    answers,
    errors: ['not_found'],
  }),
  updateTask: route({
    method: 'PATCH',
    path: `${path}/{task_id}`,
    summary: 'Update a task',
    description: 'Changes a pending task. `version` must be the current one; else 409 with the current record.',
    caller: writer,
    limit: 'crm',
    params: taskParams,
    body: taskChanges.meta({ id: 'UpdateTaskRequest' }),
    answers,
    errors: stale,
  }),
  completeTask: route({
    method: 'PUT',
    path: `${path}/{task_id}/complete`,
    summary: 'Complete a task',
    description: 'Closes a pending task with its outcome.',
    caller: writer,
    limit: 'crm',
    params: taskParams,
    body: completion.meta({ id: 'CompleteTaskRequest' }),
    answers,
    errors: stale,
  }),
  cancelTask: route({
    method: 'PUT',
    path: `${path}/{task_id}/cancel`,
    summary: 'Cancel a task',
    description: 'Closes a pending task with the reason.',
    caller: writer,
    limit: 'crm',
    params: taskParams,
    body: cancellation.meta({ id: 'CancelTaskRequest' }),
    answers,
    errors: stale,
  }),
};
