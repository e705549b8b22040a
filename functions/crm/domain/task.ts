import { isoTime, minuteMs } from '../../../shared/runtime/clock.ts';
import { newActivity, type ActivityType, laterThan, appendActivities } from './activity.ts';
import type { Task } from '../contract/stored-task.ts';

export interface NewTask {
  title: string;
  dueAt: number;
  timezone: string;
  assigneeId: number;
}

/** When to remind: no reminder for a due time in the past, at once for one that is nearer than the lead time. */
export const remindAtOf = (dueAt: number, minutesBefore: number, now: number): number | undefined =>
  dueAt <= now ? undefined : Math.max(now, dueAt - minutesBefore * minuteMs);

export const newTask = (
  companyId: number,
  leadId: number,
  id: number,
  given: NewTask,
  minutesBefore: number,
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
  reminderError: undefined,
  remindAt: remindAtOf(given.dueAt, minutesBefore, at),
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

/** Changes the given fields; a changed due time gets its own reminder. Undefined when nothing changes. */
export const editTask = (task: Task, fields: Partial<NewTask>, minutesBefore: number, by: number, now: number): Task | undefined => {
  const at = laterThan(task.updatedAt, now);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<NewTask>;
  const next: Task = { ...task, ...given };
  const changes = differences(task, next);
  if (Object.keys(changes).length === 0) return undefined;
  if (next.dueAt !== task.dueAt) {
    next.remindedAt = undefined;
    next.reminderError = undefined;
    next.remindAt = remindAtOf(next.dueAt, minutesBefore, at);
  }
  return changed(task, next, 'task.updated', by, at, { task_id: task.id, changes });
};

export const toCompletedTask = (task: Task, outcomeNotes: string, by: number, now: number): Task =>
  closed(task, 'completed', { outcomeNotes }, by, now, { outcome_notes: outcomeNotes });

export const toCancelledTask = (task: Task, cancellationReason: string, by: number, now: number): Task =>
  closed(task, 'cancelled', { cancellationReason }, by, now, { cancellation_reason: cancellationReason });

/** What became of the reminder of the current due time; `waiting`: it was queued, or there is none. */
export type ReminderResult = { outcome: 'waiting' } | { outcome: 'accepted'; at: number } | ({ outcome: 'failed' } & ReminderFailure);
export interface ReminderFailure {
  code: string;
  title: string;
  /** It may have arrived, and is not sent again. */
  isFinal?: boolean | undefined;
}

/** Records the reminder. A failure before the due time is tried once more then. Version and `updated_at` stay. */
export const recordReminder = (task: Task, result: ReminderResult, now: number): Task => {
  const next = { ...task, rev: task.rev + 1, remindAt: undefined };
  if (result.outcome === 'waiting') return next;
  if (result.outcome === 'accepted') return { ...next, remindedAt: task.remindedAt ?? result.at, reminderError: undefined };
  const canRepeat = task.status === 'pending' && !result.isFinal && task.dueAt > now;
  const reminderError = { code: result.code, title: result.title };
  return { ...next, remindedAt: undefined, reminderError, remindAt: canRepeat ? task.dueAt : undefined };
};

/** Whether the reminder that is due now repeats one that failed. */
export const isRepeatedReminder = ({ reminderError, remindAt, dueAt }: Task): boolean => reminderError !== undefined && remindAt === dueAt;

export const isOverdue = ({ status, dueAt }: Pick<Task, 'status' | 'dueAt'>, now: number): boolean => status === 'pending' && dueAt < now;

/** The order of task lists: earliest due time first. */
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
  const shown = (task: Task): Record<string, unknown> => ({
    title: task.title,
    due_at: isoTime(task.dueAt),
    timezone: task.timezone,
    assignee_id: task.assigneeId,
  });
  const [was, is] = [shown(before), shown(after)];
  return Object.fromEntries(
    Object.keys(is)
      .filter((name) => was[name] !== is[name])
      .map((name) => [name, { from: was[name], to: is[name] }]),
  );
}

const sourceOf = (leadId: number, id: number, version: number) => ({ leadId, record: `task${id}`, version });
