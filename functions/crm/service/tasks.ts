import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import { taskEntityName } from '../contract/stored.ts';
import type { TaskBody, TaskChanges, TaskRecord } from '../contract/task.ts';
import { type Lead, withPending, maxPendingTasks } from '../domain/lead.ts';
import { toTaskRecord } from '../domain/record.ts';
import { toCancelledTask, toCompletedTask, editTask, newTask, type Task } from '../domain/task.ts';
import { checkLeadPart, getStoredLead, refusedParts, updateLeadPart } from '../store/lead.ts';
import {
  checkTaskPart,
  claimRetryKeyPart,
  getRetryKey,
  getStoredTask,
  createTaskParts,
  getLeadIdOfTask,
  updateStoredTask,
  updateTaskPart,
} from '../store/task.ts';
import { Contended, maxAttempts, pause } from './contention.ts';
import { versionConflict } from './leads.ts';
import { canOwn, getUserNames } from './assignees.ts';

/** POST /leads/{id}/tasks (A64); the task and the enquiry's next action and counts in one transaction. */
export const createTask = async (
  companyId: number,
  userId: number,
  leadId: number,
  body: TaskBody,
): Promise<TaskRecord | Problem<'not_found' | 'validation_failed' | 'retry_key_reused'>> => {
  const { retry_key: retryKey, ...content } = body;
  const fingerprint = sha256(canonical(content));
  const earlier = retryKey === undefined ? undefined : await findCreatedTask(companyId, leadId, retryKey, fingerprint);
  if (earlier) return earlier;
  const assigneeId = body.assignee_id ?? userId;
  const [lead, company, assigneeIsFit] = await Promise.all([
    getStoredLead(companyId, leadId, { consistent: true }),
    getCompany(companyId),
    // whoever may call may do the task
    body.assignee_id === undefined || canOwn(companyId, assigneeId),
  ]);
  if (!lead) return problem('not_found');
  if (!assigneeIsFit) return invalid('assignee_id', notAssignable);
  const given = { title: body.title, dueAt: body.due_at, timezone: body.timezone ?? company?.timezone ?? 'UTC', assigneeId };
  const id = await nextIds(companyId, taskEntityName, 1);
  const task = newTask(companyId, leadId, id, given, reminderMinutes(company), userId, now());
  for (let attempt = 1, seen: Lead | undefined = lead; attempt <= maxAttempts; attempt++) {
    if (!seen) return problem('not_found');
    if (seen.pending.length >= maxPendingTasks)
      return invalid('lead_id', `Has ${maxPendingTasks} pending tasks; close some of them first.`);
    const next = withTask(seen, task);
    const parts = [
      updateLeadPart(next),
      ...createTaskParts(task),
      ...(retryKey === undefined ? [] : [claimRetryKeyPart(companyId, leadId, 'task', retryKey, id, fingerprint)]),
    ];
    const refused = refusedParts(await commit(parts));
    if (refused.length === 0) return buildTaskRecord(task, next);
    const winner =
      retryKey !== undefined && refused.includes(3) ? await findCreatedTask(companyId, leadId, retryKey, fingerprint) : undefined;
    if (winner) return winner;
    await pause(attempt);
    seen = await getStoredLead(companyId, leadId, { consistent: true });
  }
  throw new Contended();
};

export const getTask = async (companyId: number, id: number): Promise<TaskRecord | Problem<'not_found'>> => {
  const leadId = await getLeadIdOfTask(companyId, id);
  return leadId === undefined ? problem('not_found') : getLeadTask(companyId, leadId, id);
};

export const getLeadTask = async (companyId: number, leadId: number, id: number): Promise<TaskRecord | Problem<'not_found'>> => {
  const [task, lead] = await Promise.all([getStoredTask(companyId, leadId, id), getStoredLead(companyId, leadId)]);
  return task ? buildTaskRecord(task, lead) : problem('not_found');
};

type TaskProblem = Problem<'not_found' | 'validation_failed' | 'version_conflict' | 'task_not_pending'>;

/** PATCH of a pending task (A65). */
export const updateTask = async (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  body: TaskChanges,
): Promise<TaskRecord | TaskProblem> => {
  const [company, assigneeIsFit] = await Promise.all([
    getCompany(companyId),
    body.assignee_id === undefined ? true : canOwn(companyId, body.assignee_id),
  ]);
  const fields = { title: body.title, dueAt: body.due_at, timezone: body.timezone, assigneeId: body.assignee_id };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return updateTaskVersion(companyId, leadId, id, body.version, (task) => {
    if (!assigneeIsFit && body.assignee_id !== task.assigneeId) return invalid('assignee_id', notAssignable);
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

/** Minutes before the due time at which a reminder goes out (A67). */
export const reminderMinutes = (company: Company | undefined): number => company?.settings.taskReminderMinutes ?? 10;

async function updateTaskVersion(
  companyId: number,
  leadId: number,
  id: number,
  version: number,
  change: (task: Task) => Task | undefined | Problem<'validation_failed'>,
): Promise<TaskRecord | TaskProblem> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const [task, lead] = await Promise.all([getStoredTask(companyId, leadId, id), getStoredLead(companyId, leadId, { consistent: true })]);
    if (!task || !lead) return problem('not_found');
    if (task.status !== 'pending') return problem('task_not_pending', { details: { status: task.status } });
    if (task.version !== version) return versionConflict(await buildTaskRecord(task, lead));
    const next = change(task);
    if (next === undefined) return buildTaskRecord(task, lead);
    if (isProblem(next)) return next;
    if (await writeTask(lead, task, next)) return buildTaskRecord(next, lead);
    await pause(attempt);
  }
  throw new Contended();
}

/**
 * The task and what its enquiry keeps of it, both or none. The enquiry's next action has a title: who changes a title makes sure that
 * the enquiry is as it was seen, who changes what is next makes sure that the next one's title is.
 */
async function writeTask(lead: Lead, before: Task, after: Task): Promise<boolean> {
  const isPlaced = before.dueAt !== after.dueAt || before.status !== after.status;
  const isNext = lead.pending[0]?.[1] === after.id;
  if (!isPlaced && before.title === after.title) return (await updateStoredTask(after)).done;
  if (!isPlaced && !isNext) return (await commit([updateTaskPart(after), checkLeadPart(lead)])).done;
  const pending = lead.pending.filter(([, id]) => id !== after.id);
  const nextId = withTask(lead, after).pending[0]?.[1];
  const isOther = nextId !== undefined && nextId !== after.id && nextId !== lead.pending[0]?.[1];
  const other = isOther ? await getStoredTask(lead.companyId, lead.id, nextId) : undefined;
  const titles = new Map([
    ...(lead.pending[0] && lead.nextTitle !== undefined ? [[lead.pending[0][1], lead.nextTitle] as const] : []),
    [after.id, after.title] as const,
    ...(other ? [[other.id, other.title] as const] : []),
  ]);
  const next = withPending(lead, after.status === 'pending' ? [...pending, [after.dueAt, after.id]] : pending, (id) => titles.get(id));
  return (await commit([updateTaskPart(after), updateLeadPart(next), ...(other ? [checkTaskPart(other)] : [])])).done;
}

/** The enquiry with a task among its pending ones, or without it once it is closed. */
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
  const held = await getRetryKey(companyId, leadId, 'task', key);
  if (!held) return undefined;
  if (held.fingerprint !== fingerprint) return problem('retry_key_reused', { details: { task_id: held.recordId } });
  return getLeadTask(companyId, leadId, held.recordId);
}

async function buildTaskRecord(task: Task, lead: Lead | undefined): Promise<TaskRecord> {
  return toTaskRecord(task, lead?.title, await getUserNames(task.companyId, [task.assigneeId]), now());
}

const notAssignable = 'Must be an active member of the team who may write.';
