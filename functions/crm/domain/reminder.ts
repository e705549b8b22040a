import type { Task } from './task.ts';

/** What a reminder says (A67): task, enquiry and time. Nothing of a note is known here. */
export const reminderText = (task: Pick<Task, 'title' | 'dueAt' | 'timezone'>, leadTitle: string): string =>
  `Reminder: "${task.title}" is due ${clockTime(task.dueAt, task.timezone)}.\nEnquiry: ${leadTitle}`;

/** `30 Nov 2026, 14:30 (Europe/Berlin)`. */
const clockTime = (at: number, timeZone: string): string => {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
  return `${text} (${timeZone})`;
};
