import type { Task } from '../contract/stored-task.ts';

/** The text of a reminder: task, lead and time. Notes are internal and never part of it. */
export const reminderText = (task: Pick<Task, 'title' | 'dueAt' | 'timezone'>, leadTitle: string): string =>
  `Reminder: "${task.title}" is due ${clockTime(task.dueAt, task.timezone)}.\nLead: ${leadTitle}`;

/** `30 Nov 2026, 14:30 (Europe/Berlin)`. */
const clockTime = (at: number, timeZone: string): string => {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
  return `${text} (${timeZone})`;
};
