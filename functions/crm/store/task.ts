import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import type { Lead } from '../contract/stored-lead.ts';
import { type Task, taskEntityName, type TaskItem, taskItem, type TaskStatus, toTask, toTaskItem } from '../contract/stored-task.ts';
import { checkLeadPart, leadPartition, updateLeadPart } from './lead.ts';
import { type ListRange, type ListReader, readList } from './ordered-list.ts';
import { createRetryKeyPart, type RetryKey } from './retry-key.ts';

/** The position of a task in lists: earliest due time first, then the lesser id. */
export interface TaskPosition {
  dueAt: number;
  id: number;
}
export const taskListKey = ({ dueAt, id }: TaskPosition): string => `${sortable(dueAt)}#${sortable(id)}`;

/** A range of due times, epoch milliseconds, both ends included, after a position. */
export interface DueRange {
  from: number;
  to: number;
  after: TaskPosition | undefined;
}

export const withinRange = (pk: string, { from, to, after }: DueRange): ListRange => {
  const first = taskListKey({ dueAt: from, id: 0 });
  const next = after ? taskListKey({ dueAt: after.dueAt, id: after.id + 1 }) : first;
  return { pk, low: next > first ? next : first, high: `${sortable(to)}#~`, descending: false };
};

export const taskEntity = entity({
  name: taskEntityName,
  purpose: 'A task of a lead; due when its assignee is to be reminded',
  attributes: taskItem,
  key: ({ companyId, leadId, id }: { companyId: number; leadId: number; id: number }) => ({
    pk: leadPartition(companyId, leadId),
    sk: `T#${sortable(id)}`,
  }),
  idOf: ({ c, l, i }) => ({ companyId: c, leadId: l, id: i }),
  indexedBy: ['c', 'l', 'i', 's', 'du', 'ra'],
  indexes: ({ c, l, i, s, du, ra }) => ({
    list: { pk: `${tenant(c)}#TKL#${s}`, sk: taskListKey({ dueAt: du, id: i }) },
    due: ra === undefined ? undefined : dueKeys(ra, taskEntityName, `${c}:${l}:${i}`),
  }),
  personalData: 'texts about a contact',
  example: { pk: 'C#<company>#LD#<lead>', sk: 'T#<task, 16 digits>' },
});

const taskPointerEntity = entity({
  name: 'task-pointer',
  purpose: 'The lead that a task belongs to',
  attributes: z.object({ companyId: z.int(), id: z.int(), leadId: z.int() }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#TK#${id}`, sk: 'TASK' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#TK#<task>', sk: 'TASK' },
});

export const getStoredTask = pattern(
  { question: 'a task of a lead by id', entity: 'task', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, leadId: number, id: number): Promise<Task | undefined> => {
    const item = await taskEntity.get({ companyId, leadId, id }, { consistent: true });
    return item && toTask(item);
  },
);

export const getLeadIdOfTask = pattern(
  { question: 'the lead of a task', entity: 'task-pointer', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, id: number): Promise<number | undefined> =>
    (await taskPointerEntity.get({ companyId, id }, { consistent: true }))?.leadId,
);

export const listTasksOfLead = pattern(
  { question: 'the tasks of a lead', entity: 'task', by: 'Query', units: '1 RRU per 4 KB' },
  async (companyId: number, leadId: number): Promise<Task[]> =>
    (await taskEntity.collect({ pk: leadPartition(companyId, leadId), begins: 'T#', consistent: true })).map(toTask),
);

/** `taken`: the retry key was used. `changed`: the lead was changed since it was read. */
export const createStoredTask = pattern(
  { question: 'add a task to a lead', entity: 'task', by: 'TransactWriteItems', units: '14-16 WRU' },
  async (task: Task, lead: Lead, retryKey: RetryKey | undefined): Promise<'done' | 'taken' | 'changed'> => {
    const { companyId, id, leadId } = task;
    const committed = await commit({
      lead: updateLeadPart(lead),
      task: taskEntity.putting(toTaskItem(task), missing()),
      pointer: taskPointerEntity.putting({ companyId, id, leadId }, missing()),
      retryKey: retryKey && createRetryKeyPart(retryKey),
    });
    if (committed.done) return 'done';
    return committed.refused.retryKey ? 'taken' : 'changed';
  },
);

/** Writes a task alone, where its lead does not change: another assignee, a recorded reminder. */
export const updateStoredTask = pattern(
  { question: 'change a task without its lead', entity: 'task', by: 'PutItem', units: '2-3 WRU' },
  async (task: Task): Promise<{ done: true } | { done: false; current: Task | undefined }> => {
    const written = await taskEntity.put(toTaskItem(task), equals('rev', task.rev - 1));
    return written.done ? { done: true } : { done: false, current: written.current && toTask(written.current) };
  },
);

/** Writes a task and its lead, or a check that the lead did not change; `nextTask` must not change either. False when one of them did. */
export const updateTaskWithLead = pattern(
  { question: 'change a task with its lead', entity: 'task', by: 'TransactWriteItems', units: '8-12 WRU' },
  async (task: Task, lead: { update: Lead } | { check: Lead }, nextTask?: Task): Promise<boolean> =>
    (
      await commit({
        task: taskEntity.putting(toTaskItem(task), equals('rev', task.rev - 1)),
        lead: 'update' in lead ? updateLeadPart(lead.update) : checkLeadPart(lead.check),
        nextTask: nextTask && checkTaskPart(nextTask),
      })
    ).done,
);

const checkTaskPart = ({ companyId, leadId, id, rev }: Task): TransactionPart<TaskItem> =>
  taskEntity.checking({ companyId, leadId, id }, equals('rev', rev));

/** Tasks of a status by due time. */
export const listTasksByDueTime = pattern(
  { question: 'tasks of a status by due time', entity: 'task', by: 'Query', index: 'list', units: '0.5 RRU per 4 KB' },
  (companyId: number, status: TaskStatus, range: DueRange): Promise<ListReader<Task>> =>
    Promise.resolve(readList(taskEntity, withinRange(`${tenant(companyId)}#TKL#${status}`, range), toTask)),
);
