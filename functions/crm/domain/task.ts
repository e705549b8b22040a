import { isoTime, minuteMs } from '../../../shared/runtime/clock.ts';
import type { Activity, taskStatuses } from '../contract/stored.ts';
import { newActivity, type ActivityType, laterThan, appendActivities } from './activity.ts';

export type TaskStatus = (typeof taskStatuses)[number];

/** Something to do for an enquiry. Times are epoch milliseconds. */
export interface Task {
  companyId: number;
  leadId: number;
  id: number;
  /** Moved by every write. */
  rev: number;
  title: string;
  dueAt: number;
  timezone: string;
  assigneeId: number;
  status: TaskStatus;
  /** Moved by the caller's changes alone (A54). */
  version: number;
  /** The reminder of this due time went out. */
  remindedAt: number | undefined;
  /** When the reminder of this due time is to go out; undefined: done with, or none. */
  remindAt: number | undefined;
  outcomeNotes: string | undefined;
  cancellationReason: string | undefined;
  closedAt: number | undefined;
  createdBy: number;
  createdAt: number;
  updatedAt: number;
  log: readonly Activity[];
}

export interface NewTask {
  title: string;
  dueAt: number;
  timezone: string;
  assigneeId: number;
}

/** A due time that has passed already when it is written is not reminded of; one so near that its reminder is late, at once. */
export const remindAtOf = (dueAt: number, leadMinutes: number, now: number): number | undefined =>
  dueAt <= now ? undefined : Math.max(now, dueAt - leadMinutes * minuteMs);

export const newTask = (
  companyId: number,
  leadId: number,
  id: number,
  given: NewTask,
  leadMinutes: number,
  by: number,
  at: number,
): Task => ({
  companyId,
  leadId,
  id,
  rev: 1,
  ...given,
  status: 'pending',
  version: 1,
  remindedAt: undefined,
  remindAt: remindAtOf(given.dueAt, leadMinutes, at),
  outcomeNotes: undefined,
  cancellationReason: undefined,
  closedAt: undefined,
  createdBy: by,
  createdAt: at,
  updatedAt: at,
  log: [
    newActivity('task.created', by, at, sourceOf(leadId, id, 1), {
      task_id: id,
      title: given.title,
      due_at: isoTime(given.dueAt),
      assignee_id: given.assigneeId,
    }),
  ],
});

/** Given fields change; a changed due time arms its own reminder (A67). Undefined when nothing changes. */
export const editTask = (task: Task, fields: Partial<NewTask>, leadMinutes: number, by: number, now: number): Task | undefined => {
  const at = laterThan(task.updatedAt, now);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<NewTask>;
  const next: Task = { ...task, ...given };
  const changes = differences(task, next);
  if (Object.keys(changes).length === 0) return undefined;
  if (next.dueAt !== task.dueAt) {
    next.remindedAt = undefined;
    next.remindAt = remindAtOf(next.dueAt, leadMinutes, at);
  }
  return changed(task, next, 'task.updated', by, at, { task_id: task.id, changes });
};

export const toCompletedTask = (task: Task, outcomeNotes: string, by: number, now: number): Task =>
  closed(task, 'completed', { outcomeNotes }, by, now, { outcome_notes: outcomeNotes });

export const toCancelledTask = (task: Task, cancellationReason: string, by: number, now: number): Task =>
  closed(task, 'cancelled', { cancellationReason }, by, now, { cancellation_reason: cancellationReason });

/** The reminder of the present due time is settled: sent at a time, or not to be sent. Neither version nor `updated_at` moves. */
export const recordReminder = (task: Task, sentAt: number | undefined): Task => ({
  ...task,
  rev: task.rev + 1,
  remindAt: undefined,
  remindedAt: sentAt ?? task.remindedAt,
});

export const isOverdue = ({ status, dueAt }: Pick<Task, 'status' | 'dueAt'>, now: number): boolean => status === 'pending' && dueAt < now;

/** The order of task lists (A66). */
export const earliestFirst = (a: { dueAt: number; id: number }, b: { dueAt: number; id: number }): number =>
  a.dueAt - b.dueAt || a.id - b.id;

function closed(
  task: Task,
  status: 'completed' | 'cancelled',
  why: Partial<Task>,
  by: number,
  now: number,
  data: Record<string, unknown>,
): Task {
  const at = laterThan(task.updatedAt, now);
  const next: Task = { ...task, ...why, status, closedAt: at, remindAt: undefined };
  return changed(task, next, `task.${status}`, by, at, { task_id: task.id, title: task.title, ...data });
}

function changed(task: Task, next: Task, type: ActivityType, by: number, at: number, data: Record<string, unknown>): Task {
  const version = task.version + 1;
  const entry = newActivity(type, by, at, sourceOf(task.leadId, task.id, version), data);
  return { ...next, rev: task.rev + 1, version, updatedAt: at, log: appendActivities(task.log, [entry], at) };
}

function differences(before: Task, after: Task): Record<string, { from: unknown; to: unknown }> {
  const seen = (task: Task): Record<string, unknown> => ({
    title: task.title,
    due_at: isoTime(task.dueAt),
    timezone: task.timezone,
    assignee_id: task.assigneeId,
  });
  const [was, is] = [seen(before), seen(after)];
  return Object.fromEntries(
    Object.keys(is)
      .filter((name) => was[name] !== is[name])
      .map((name) => [name, { from: was[name], to: is[name] }]),
  );
}

const sourceOf = (leadId: number, id: number, version: number) => ({ leadId, record: `task${id}`, version });
