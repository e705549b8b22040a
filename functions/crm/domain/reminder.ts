import type { Task } from '../contract/stored-task.ts';

/** The text of a reminder: task, lead and time. Notes are internal and never part of it. */
export const reminderText = (task: Pick<Task, 'title' | 'dueAt' | 'timezone'>, leadTitle: string): string =>
  `Reminder: "${task.title}" is due ${clockTime(task.dueAt, task.timezone)}.\nLead: ${leadTitle}`;

/** What the variables of a reminder template show: by place, or by name. */
export const reminderValues = (task: Pick<Task, 'title' | 'dueAt' | 'timezone'>, leadTitle: string): Readonly<Record<string, string>> => {
  const [title, due] = [task.title, clockTime(task.dueAt, task.timezone)];
  return { '1': title, '2': due, '3': leadTitle, task: title, due, lead: leadTitle };
};

/** The operation that sends a reminder, from which its message's id follows. `attempt` 2: at the due time, after a failure. */
export interface ReminderOperation {
  companyId: number;
  taskId: number;
  dueAt: number;
  attempt: 1 | 2;
}
const operationPrefix = 'task-reminder:';
export const isReminderOperation = (operationId: string | undefined): boolean => operationId?.startsWith(operationPrefix) === true;
export const formatOperation = ({ companyId, taskId, dueAt, attempt }: ReminderOperation): string =>
  `${operationPrefix}${companyId}:${taskId}:${dueAt}${attempt === 1 ? '' : ':2'}`;
export const parseOperation = (operationId: string): ReminderOperation => {
  const [companyId = 0, taskId = 0, dueAt = 0, attempt] = operationId.slice(operationPrefix.length).split(':').map(Number);
  return { companyId, taskId, dueAt, attempt: attempt === 2 ? 2 : 1 };
};

/** `30 Nov 2026, 14:30 (Europe/Berlin)`. */
const clockTime = (at: number, timeZone: string): string => {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
  return `${text} (${timeZone})`;
};
