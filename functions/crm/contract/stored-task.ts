import * as z from 'zod';
import { othersOf } from '../../../shared/table/other-versions.ts';
import { type Activity, storedActivity } from './stored-activity.ts';

export const taskEntityName = 'task';
export const taskStatuses = ['pending', 'completed', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** A task of a lead. Times are epoch milliseconds. */
export interface Task {
  companyId: number;
  leadId: number;
  id: number;
  /** Incremented by every write; the condition of the next write. */
  rev: number;
  title: string;
  dueAt: number;
  timezone: string;
  assigneeId: number;
  status: TaskStatus;
  /** Incremented by changes of callers; the version that callers send. */
  version: number;
  /** When the provider accepted the reminder of this due time. */
  remindedAt: number | undefined;
  /** Why the last attempt to remind did not arrive. */
  reminderError: { code: string; title: string } | undefined;
  /** When the reminder of this due time is due; undefined when it is done, or when there is none. */
  remindAt: number | undefined;
  outcomeNotes: string | undefined;
  cancellationReason: string | undefined;
  closedAt: number | undefined;
  createdBy: number;
  createdAt: number;
  updatedAt: number;
  log: readonly Activity[];
}

/** A task as DynamoDB stores it, with short names like a lead; only `toTask` and `toTaskItem` use these names. */
export const taskItem = z.object({
  /** Company, lead, id. */
  c: z.int(),
  l: z.int(),
  i: z.int(),
  rev: z.int(),
  ti: z.string(),
  /** Due, epoch milliseconds; zone; assignee; status. */
  du: z.int(),
  tz: z.string(),
  as: z.int(),
  s: z.enum(taskStatuses),
  v: z.int(),
  /** When the provider accepted the reminder of this due time, and when it is due (epoch milliseconds). */
  rm: z.int().optional(),
  ra: z.int().optional(),
  /** Why the reminder did not arrive. */
  re: z.object({ code: z.string(), title: z.string() }).optional(),
  on: z.string().optional(),
  cr: z.string().optional(),
  /** When the task was completed or cancelled. */
  cl: z.int().optional(),
  by: z.int(),
  at: z.int(),
  up: z.int(),
  lg: z.array(storedActivity).optional(),
});
export type TaskItem = z.output<typeof taskItem>;

export const toTask = (item: TaskItem): Task => ({
  companyId: item.c,
  leadId: item.l,
  id: item.i,
  rev: item.rev,
  title: item.ti,
  dueAt: item.du,
  timezone: item.tz,
  assigneeId: item.as,
  status: item.s,
  version: item.v,
  remindedAt: item.rm,
  reminderError: item.re,
  remindAt: item.ra,
  outcomeNotes: item.on,
  cancellationReason: item.cr,
  closedAt: item.cl,
  createdBy: item.by,
  createdAt: item.at,
  updatedAt: item.up,
  log: item.lg ?? [],
  ...othersOf(item),
});

export const toTaskItem = (task: Task): TaskItem => ({
  c: task.companyId,
  l: task.leadId,
  i: task.id,
  rev: task.rev,
  ti: task.title,
  du: task.dueAt,
  tz: task.timezone,
  as: task.assigneeId,
  s: task.status,
  v: task.version,
  rm: task.remindedAt,
  re: task.reminderError,
  ra: task.remindAt,
  on: task.outcomeNotes,
  cr: task.cancellationReason,
  cl: task.closedAt,
  by: task.createdBy,
  at: task.createdAt,
  up: task.updatedAt,
  lg: task.log.length > 0 ? [...task.log] : undefined,
  ...othersOf(task),
});

/** A stored task, parsed, for reactions. */
export const storedTask = taskItem.transform(toTask);
