import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { taskEntityName, taskItem, type TaskItem, toTask, toTaskItem } from '../contract/stored.ts';
import type { Task, TaskStatus } from '../domain/task.ts';
import { leadPartition } from './lead.ts';
import { type ListRange, readList, type ListReader } from './ordered-list.ts';

/** Where a task stands in a list: earliest due first, then the lesser id. */
export interface TaskPosition {
  dueAt: number;
  id: number;
}
export const taskListKey = ({ dueAt, id }: TaskPosition): string => `${sortable(dueAt)}#${sortable(id)}`;

/** A stretch of due time, epoch ms, both ends included, beyond a position. */
export interface DueRange {
  from: number;
  to: number;
  after: TaskPosition | undefined;
}

export const withinRange = (pk: string, { from, to, after }: DueRange): ListRange => {
  const low = taskListKey({ dueAt: from, id: 0 });
  const beyond = after ? taskListKey({ dueAt: after.dueAt, id: after.id + 1 }) : low;
  return { pk, low: beyond > low ? beyond : low, high: `${sortable(to)}#~`, descending: false };
};

const reminderKeys = ({ c, l, i, ra }: Pick<TaskItem, 'c' | 'l' | 'i' | 'ra'>) =>
  ra === undefined ? undefined : dueKeys(ra, taskEntityName, `${c}:${l}:${i}`);

export const taskEntity = entity({
  name: taskEntityName,
  purpose: 'A task of an enquiry; due when its assignee is to be reminded',
  attributes: taskItem,
  key: ({ companyId, leadId, id }: { companyId: number; leadId: number; id: number }) => ({
    pk: leadPartition(companyId, leadId),
    sk: `T#${sortable(id)}`,
  }),
  idOf: ({ c, l, i }) => ({ companyId: c, leadId: l, id: i }),
  indexedBy: ['c', 'l', 'i', 's', 'du', 'ra'],
  indexes: (item) => ({
    list: { pk: `${tenant(item.c)}#TKL#${item.s}`, sk: taskListKey({ dueAt: item.du, id: item.i }) },
    due: reminderKeys(item),
  }),
  example: { pk: 'C#<company>#LD#<lead>', sk: 'T#<task, 16 digits>' },
});

const taskPointerEntity = entity({
  name: 'task-pointer',
  purpose: 'Which enquiry a task belongs to',
  attributes: z.object({ companyId: z.int(), id: z.int(), leadId: z.int() }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#TK#${id}`, sk: 'TASK' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#TK#<task>', sk: 'TASK' },
});

/** What a retry key made: a task or a note of the enquiry. */
const retryKeyEntity = entity({
  name: 'crm-retry-key',
  purpose: 'Which task or note of an enquiry a retry_key made, and from what',
  attributes: z.object({
    companyId: z.int(),
    leadId: z.int(),
    of: z.enum(['task', 'note']),
    key: z.string(),
    recordId: z.int(),
    fingerprint: z.string(),
  }),
  key: ({ companyId, leadId, of, key }: { companyId: number; leadId: number; of: 'task' | 'note'; key: string }) => ({
    pk: leadPartition(companyId, leadId),
    sk: `K#${of}#${key}`,
  }),
  idOf: ({ companyId, leadId, of, key }) => ({ companyId, leadId, of, key }),
  example: { pk: 'C#<company>#LD#<lead>', sk: 'K#<task or note>#<retry key>' },
});

export const getStoredTask = pattern(
  { question: 'a task of an enquiry by id', entity: 'task', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, leadId: number, id: number): Promise<Task | undefined> => {
    const item = await taskEntity.get({ companyId, leadId, id }, { consistent: true });
    return item && toTask(item);
  },
);

export const getLeadIdOfTask = pattern(
  { question: 'which enquiry a task belongs to', entity: 'task-pointer', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, id: number): Promise<number | undefined> =>
    (await taskPointerEntity.get({ companyId, id }, { consistent: true }))?.leadId,
);

export const listTasksOfLead = pattern(
  { question: 'the tasks of an enquiry', entity: 'task', by: 'Query', units: '1 RRU per 4 KB' },
  async (companyId: number, leadId: number): Promise<Task[]> => {
    const tasks: Task[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await taskEntity.query({ pk: leadPartition(companyId, leadId), begins: 'T#', after, consistent: true });
      tasks.push(...page.items.map(toTask));
      after = page.last;
    } while (after);
    return tasks;
  },
);

export const getRetryKey = pattern(
  { question: 'what a retry key made', entity: 'crm-retry-key', by: 'GetItem', units: '1 RRU' },
  (companyId: number, leadId: number, of: 'task' | 'note', key: string) =>
    retryKeyEntity.get({ companyId, leadId, of, key }, { consistent: true }),
);

/** Writes a task alone: who does it, and whether it was reminded of, is no matter of its enquiry. */
export const updateStoredTask = pattern(
  { question: 'change a task, when its enquiry keeps its sums', entity: 'task', by: 'PutItem', units: '2-3 WRU' },
  async (task: Task): Promise<{ done: true } | { done: false; current: Task | undefined }> => {
    const written = await taskEntity.put(toTaskItem(task), equals('rev', task.rev - 1));
    return written.done ? { done: true } : { done: false, current: written.current && toTask(written.current) };
  },
);

export const createTaskParts = (task: Task): TransactionPart[] => [
  taskEntity.putting(toTaskItem(task), missing()),
  taskPointerEntity.putting({ companyId: task.companyId, id: task.id, leadId: task.leadId }, missing()),
];
export const updateTaskPart = (task: Task): TransactionPart => taskEntity.putting(toTaskItem(task), equals('rev', task.rev - 1));
export const checkTaskPart = (task: Task): TransactionPart =>
  taskEntity.checking({ companyId: task.companyId, leadId: task.leadId, id: task.id }, equals('rev', task.rev));
export const claimRetryKeyPart = (
  companyId: number,
  leadId: number,
  of: 'task' | 'note',
  key: string,
  recordId: number,
  fingerprint: string,
): TransactionPart => retryKeyEntity.putting({ companyId, leadId, of, key, recordId, fingerprint }, missing());

export const listTasksByDueTime = pattern(
  { question: 'tasks of a status by due time', entity: 'task', by: 'Query', index: 'list', units: '0.5 RRU per 4 KB' },
  (companyId: number, status: TaskStatus, range: DueRange): Promise<ListReader<Task>> =>
    Promise.resolve(readList(taskEntity, withinRange(`${tenant(companyId)}#TKL#${status}`, range), toTask)),
);
