import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import type { Lead } from '../contract/stored-lead.ts';
import { type Task, taskEntityName } from '../contract/stored-task.ts';
import type { TaskBody, TaskChanges, TaskRecord } from '../contract/task.ts';
import { maxPendingTasks, withPending } from '../domain/lead.ts';
import { toTaskRecord } from '../domain/record.ts';
import { editTask, newTask, toCancelledTask, toCompletedTask } from '../domain/task.ts';
import { getStoredLead } from '../store/lead.ts';
import { getRetryKey } from '../store/retry-key.ts';
import { createStoredTask, getLeadIdOfTask, getStoredTask, updateStoredTask, updateTaskWithLead } from '../store/task.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { canOwn, maxWriteAttempts, notAssignableText } from './assignees.ts';
import { versionConflict } from './leads.ts';

type CreateTaskProblem = Problem<'not_found' | 'validation_failed' | 'retry_key_reused'>;
type TaskProblem = Problem<'not_found' | 'validation_failed' | 'version_conflict' | 'task_not_pending'>;

/** POST /leads/{id}/tasks: the task and the lead's pending tasks in one transaction. */
export const createTask = async (
  companyId: number,
  userId: number,
  leadId: number,
  body: TaskBody,
): Promise<TaskRecord | CreateTaskProblem> => {
  const { retry_key: retryKey, ...content } = body;
  const fingerprint = sha256(canonical(content));
  const earlier = retryKey === undefined ? undefined : await findCreatedTask(companyId, leadId, retryKey, fingerprint);
  if (earlier) return earlier;
  const assigneeId = body.assignee_id ?? userId;
  const [lead, company, isAssigneeValid] = await Promise.all([
    getStoredLead(companyId, leadId, { consistent: true }),
    getCompany(companyId),
    // the caller has write access and can be the assignee
    body.assignee_id === undefined || canOwn(companyId, assigneeId),
  ]);
  if (!lead) return problem('not_found');
  if (!isAssigneeValid) return invalid('assignee_id', notAssignableText);
  const given = { title: body.title, dueAt: body.due_at, timezone: body.timezone ?? company?.timezone ?? 'UTC', assigneeId };
  const id = await nextIds(companyId, taskEntityName, 1);
  const task = newTask(companyId, leadId, id, given, reminderMinutes(company), userId, now());
  const key = retryKey === undefined ? undefined : { companyId, leadId, of: 'task' as const, key: retryKey, recordId: id, fingerprint };
  let seen: Lead | undefined = lead;
  return retryOnConflict<TaskRecord | CreateTaskProblem>(maxWriteAttempts, async () => {
    if (!seen) return problem('not_found');
    if (seen.pending.length >= maxPendingTasks)
      return invalid('lead_id', `The lead has ${maxPendingTasks} pending tasks. Complete or cancel some of them first.`);
    const next = withTask(seen, task);
    const outcome = await createStoredTask(task, next, key);
    if (outcome === 'done') return buildTaskRecord(task, next);
    const winner = key && outcome === 'taken' ? await findCreatedTask(companyId, leadId, key.key, fingerprint) : undefined;
    if (winner) return winner;
    seen = await getStoredLead(companyId, leadId, { consistent: true });
    return conflict;
  });
};

export const getTask = async (companyId: number, id: number): Promise<TaskRecord | Problem<'not_found'>> => {
  const leadId = await getLeadIdOfTask(companyId, id);
  return leadId === undefined ? problem('not_found') : getLeadTask(companyId, leadId, id);
};

export const getLeadTask = async (companyId: number, leadId: number, id: number): Promise<TaskRecord | Problem<'not_found'>> => {
  const [task, lead] = await Promise.all([getStoredTask(companyId, leadId, id), getStoredLead(companyId, leadId)]);
  return task ? buildTaskRecord(task, lead) : problem('not_found');
};

/** PATCH /leads/{id}/tasks/{task_id}: changes a pending task. */
export const updateTask = async (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  body: TaskChanges,
): Promise<TaskRecord | TaskProblem> => {
  const [company, isAssigneeValid] = await Promise.all([
    getCompany(companyId),
    body.assignee_id === undefined ? true : canOwn(companyId, body.assignee_id),
  ]);
  const fields = { title: body.title, dueAt: body.due_at, timezone: body.timezone, assigneeId: body.assignee_id };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return updateTaskVersion(companyId, leadId, id, body.version, (task) => {
    if (!isAssigneeValid && body.assignee_id !== task.assigneeId) return invalid('assignee_id', notAssignableText);
    return editTask(task, given, reminderMinutes(company), userId, now());
  });
};

export const completeTask = (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  { version, why }: { version: number; why: string },
): Promise<TaskRecord | TaskProblem> =>
  updateTaskVersion(companyId, leadId, id, version, (task) => toCompletedTask(task, why, userId, now()));

export const cancelTask = (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  { version, why }: { version: number; why: string },
): Promise<TaskRecord | TaskProblem> =>
  updateTaskVersion(companyId, leadId, id, version, (task) => toCancelledTask(task, why, userId, now()));

/** Cancels a pending task of a lead that is being deleted; one that is pending no more stays as it is. */
export const cancelTaskOfDeleted = (companyId: number, userId: number, leadId: number, id: number): Promise<void> =>
  retryOnConflict<void>(maxWriteAttempts, async () => {
    const [task, lead] = await Promise.all([getStoredTask(companyId, leadId, id), getStoredLead(companyId, leadId, { consistent: true })]);
    if (!task || !lead || task.status !== 'pending') return undefined;
    return (await writeTask(lead, task, toCancelledTask(task, 'The lead was deleted.', userId, now()))) ? undefined : conflict;
  });

/** Minutes before the due time at which a reminder is sent. */
export const reminderMinutes = (company: Company | undefined): number => company?.settings.taskReminderMinutes ?? 10;

/** Applies a change to the version of a pending task that the caller has seen. */
function updateTaskVersion(
  companyId: number,
  leadId: number,
  id: number,
  version: number,
  change: (task: Task) => Task | undefined | Problem<'validation_failed'>,
): Promise<TaskRecord | TaskProblem> {
  return retryOnConflict<TaskRecord | TaskProblem>(maxWriteAttempts, async () => {
    const [task, lead] = await Promise.all([getStoredTask(companyId, leadId, id), getStoredLead(companyId, leadId, { consistent: true })]);
    if (!task || !lead) return problem('not_found');
    if (task.status !== 'pending') return problem('task_not_pending', { details: { status: task.status } });
    if (task.version !== version) return versionConflict(await buildTaskRecord(task, lead));
    const next = change(task);
    if (next === undefined) return buildTaskRecord(task, lead);
    if (isProblem(next)) return next;
    return (await writeTask(lead, task, next)) ? buildTaskRecord(next, lead) : conflict;
  });
}

/**
 * Writes a task with what its lead stores of it. The lead stores the title of its next task: a changed title requires that the lead did not
 * change, and another next task requires that its title did not change.
 */
async function writeTask(lead: Lead, before: Task, after: Task): Promise<boolean> {
  const isMoved = before.dueAt !== after.dueAt || before.status !== after.status;
  const isNext = lead.pending[0]?.[1] === after.id;
  if (!isMoved && before.title === after.title) return (await updateStoredTask(after)).done;
  if (!isMoved && !isNext) return updateTaskWithLead(after, { check: lead });
  const others = lead.pending.filter(([, id]) => id !== after.id);
  const nextId = withTask(lead, after).pending[0]?.[1];
  const isNewNext = nextId !== undefined && nextId !== after.id && nextId !== lead.pending[0]?.[1];
  const nextTask = isNewNext ? await getStoredTask(lead.companyId, lead.id, nextId) : undefined;
  const titles = new Map([
    ...(lead.pending[0] && lead.nextTitle !== undefined ? [[lead.pending[0][1], lead.nextTitle] as const] : []),
    [after.id, after.title] as const,
    ...(nextTask ? [[nextTask.id, nextTask.title] as const] : []),
  ]);
  const pending = after.status === 'pending' ? [...others, [after.dueAt, after.id] as const] : others;
  return updateTaskWithLead(after, { update: withPending(lead, pending, (id) => titles.get(id)) }, nextTask);
}

/** The lead with a pending task, or without a closed one. */
function withTask(lead: Lead, task: Task): Lead {
  const others = lead.pending.filter(([, id]) => id !== task.id);
  const pending = task.status === 'pending' ? [...others, [task.dueAt, task.id] as const] : others;
  return withPending(lead, pending, (id) => (id === task.id ? task.title : lead.nextTitle));
}

async function findCreatedTask(
  companyId: number,
  leadId: number,
  key: string,
  fingerprint: string,
): Promise<TaskRecord | Problem<'not_found' | 'retry_key_reused'> | undefined> {
  const used = await getRetryKey(companyId, leadId, 'task', key);
  if (!used) return undefined;
  if (used.fingerprint !== fingerprint) return problem('retry_key_reused', { details: { task_id: used.recordId } });
  return getLeadTask(companyId, leadId, used.recordId);
}

async function buildTaskRecord(task: Task, lead: Lead | undefined): Promise<TaskRecord> {
  return toTaskRecord(task, lead?.title, await getUserNames(task.companyId, [task.assigneeId]), now());
}
