import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { takeIds } from '../../../shared/table/head.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import { taskEntityName } from '../contract/stored.ts';
import type { TaskBody, TaskChanges, TaskRecord } from '../contract/task.ts';
import { type Lead, withPending, pendingAtMost } from '../domain/lead.ts';
import { taskRecord } from '../domain/record.ts';
import { cancelled, completed, editedTask, newTask, type Task } from '../domain/task.ts';
import { checkingLead, findLead, refusedParts, replacingLead } from '../store/lead.ts';
import {
  checkingTask,
  claimingRetryKey,
  findRetryKey,
  findTask,
  insertingTask,
  leadOfTask,
  replaceTask,
  replacingTask,
} from '../store/task.ts';
import { Contended, maxAttempts, pause } from './contention.ts';
import { stale } from './leads.ts';
import { mayOwn, namesOf } from './people.ts';

/** POST /leads/{id}/tasks (A64); the task and the enquiry's next action and counts in one transaction. */
export const createTask = async (
  companyId: number,
  userId: number,
  leadId: number,
  body: TaskBody,
): Promise<TaskRecord | Problem<'not_found' | 'validation_failed' | 'retry_key_reused'>> => {
  const { retry_key: retryKey, ...content } = body;
  const fingerprint = sha256(canonical(content));
  const earlier = retryKey === undefined ? undefined : await earlierTask(companyId, leadId, retryKey, fingerprint);
  if (earlier) return earlier;
  const assigneeId = body.assignee_id ?? userId;
  const [lead, company, assigneeIsFit] = await Promise.all([
    findLead(companyId, leadId, { consistent: true }),
    getCompany(companyId),
    // whoever may call may do the task
    body.assignee_id === undefined || mayOwn(companyId, assigneeId),
  ]);
  if (!lead) return problem('not_found');
  if (!assigneeIsFit) return invalid('assignee_id', notAssignable);
  const given = { title: body.title, dueAt: body.due_at, timezone: body.timezone ?? company?.timezone ?? 'UTC', assigneeId };
  const id = await takeIds(companyId, taskEntityName, 1);
  const task = newTask(companyId, leadId, id, given, reminderMinutes(company), userId, now());
  for (let attempt = 1, seen: Lead | undefined = lead; attempt <= maxAttempts; attempt++) {
    if (!seen) return problem('not_found');
    if (seen.pending.length >= pendingAtMost) return invalid('lead_id', `Has ${pendingAtMost} pending tasks; close some of them first.`);
    const next = withTask(seen, task);
    const parts = [
      replacingLead(next),
      ...insertingTask(task),
      ...(retryKey === undefined ? [] : [claimingRetryKey(companyId, leadId, 'task', retryKey, id, fingerprint)]),
    ];
    const refused = refusedParts(await commit(parts));
    if (refused.length === 0) return recordOf(task, next);
    const winner = retryKey !== undefined && refused.includes(3) ? await earlierTask(companyId, leadId, retryKey, fingerprint) : undefined;
    if (winner) return winner;
    await pause(attempt);
    seen = await findLead(companyId, leadId, { consistent: true });
  }
  throw new Contended();
};

export const getTask = async (companyId: number, id: number): Promise<TaskRecord | Problem<'not_found'>> => {
  const leadId = await leadOfTask(companyId, id);
  return leadId === undefined ? problem('not_found') : getLeadTask(companyId, leadId, id);
};

export const getLeadTask = async (companyId: number, leadId: number, id: number): Promise<TaskRecord | Problem<'not_found'>> => {
  const [task, lead] = await Promise.all([findTask(companyId, leadId, id), findLead(companyId, leadId)]);
  return task ? recordOf(task, lead) : problem('not_found');
};

type Refusals = Problem<'not_found' | 'validation_failed' | 'version_conflict' | 'task_not_pending'>;

/** PATCH of a pending task (A65). */
export const updateTask = async (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  body: TaskChanges,
): Promise<TaskRecord | Refusals> => {
  const [company, assigneeIsFit] = await Promise.all([
    getCompany(companyId),
    body.assignee_id === undefined ? true : mayOwn(companyId, body.assignee_id),
  ]);
  const fields = { title: body.title, dueAt: body.due_at, timezone: body.timezone, assigneeId: body.assignee_id };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return rewrite(companyId, leadId, id, body.version, (task) => {
    if (!assigneeIsFit && body.assignee_id !== task.assigneeId) return invalid('assignee_id', notAssignable);
    return editedTask(task, given, reminderMinutes(company), userId, now());
  });
};

export const completeTask = (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  { version, why }: { version: number; why: string },
): Promise<TaskRecord | Refusals> => rewrite(companyId, leadId, id, version, (task) => completed(task, why, userId, now()));

export const cancelTask = (
  companyId: number,
  userId: number,
  leadId: number,
  id: number,
  { version, why }: { version: number; why: string },
): Promise<TaskRecord | Refusals> => rewrite(companyId, leadId, id, version, (task) => cancelled(task, why, userId, now()));

/** Minutes before the due time at which a reminder goes out (A67). */
export const reminderMinutes = (company: Company | undefined): number => company?.settings.taskReminderMinutes ?? 10;

async function rewrite(
  companyId: number,
  leadId: number,
  id: number,
  version: number,
  change: (task: Task) => Task | undefined | Problem<'validation_failed'>,
): Promise<TaskRecord | Refusals> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const [task, lead] = await Promise.all([findTask(companyId, leadId, id), findLead(companyId, leadId, { consistent: true })]);
    if (!task || !lead) return problem('not_found');
    if (task.status !== 'pending') return problem('task_not_pending', { details: { status: task.status } });
    if (task.version !== version) return stale(await recordOf(task, lead));
    const next = change(task);
    if (next === undefined) return recordOf(task, lead);
    if (isProblem(next)) return next;
    if (await write(lead, task, next)) return recordOf(next, lead);
    await pause(attempt);
  }
  throw new Contended();
}

/**
 * The task and what its enquiry keeps of it, both or none. The enquiry's next action has a title: who changes a title makes sure that
 * the enquiry is as it was seen, who changes what is next makes sure that the next one's title is.
 */
async function write(lead: Lead, before: Task, after: Task): Promise<boolean> {
  const isPlaced = before.dueAt !== after.dueAt || before.status !== after.status;
  const isNext = lead.pending[0]?.[1] === after.id;
  if (!isPlaced && before.title === after.title) return (await replaceTask(after)).done;
  if (!isPlaced && !isNext) return (await commit([replacingTask(after), checkingLead(lead)])).done;
  const pending = lead.pending.filter(([, id]) => id !== after.id);
  const nextId = withTask(lead, after).pending[0]?.[1];
  const isOther = nextId !== undefined && nextId !== after.id && nextId !== lead.pending[0]?.[1];
  const other = isOther ? await findTask(lead.companyId, lead.id, nextId) : undefined;
  const titles = new Map([
    ...(lead.pending[0] && lead.nextTitle !== undefined ? [[lead.pending[0][1], lead.nextTitle] as const] : []),
    [after.id, after.title] as const,
    ...(other ? [[other.id, other.title] as const] : []),
  ]);
  const next = withPending(lead, after.status === 'pending' ? [...pending, [after.dueAt, after.id]] : pending, (id) => titles.get(id));
  return (await commit([replacingTask(after), replacingLead(next), ...(other ? [checkingTask(other)] : [])])).done;
}

/** The enquiry with a task among its pending ones, or without it once it is closed. */
function withTask(lead: Lead, task: Task): Lead {
  const others = lead.pending.filter(([, id]) => id !== task.id);
  const pending = task.status === 'pending' ? [...others, [task.dueAt, task.id] as const] : others;
  return withPending(lead, pending, (id) => (id === task.id ? task.title : lead.nextTitle));
}

async function earlierTask(
  companyId: number,
  leadId: number,
  key: string,
  fingerprint: string,
): Promise<TaskRecord | Problem<'not_found' | 'retry_key_reused'> | undefined> {
  const held = await findRetryKey(companyId, leadId, 'task', key);
  if (!held) return undefined;
  if (held.fingerprint !== fingerprint) return problem('retry_key_reused', { details: { task_id: held.recordId } });
  return getLeadTask(companyId, leadId, held.recordId);
}

async function recordOf(task: Task, lead: Lead | undefined): Promise<TaskRecord> {
  return taskRecord(task, lead?.title, await namesOf(task.companyId, [task.assigneeId]), now());
}

const notAssignable = 'Must be an active member of the team who may write.';
