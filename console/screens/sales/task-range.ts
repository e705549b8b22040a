import type { Input } from '../../data/client.ts';
import { inDays } from '../../data/field-time.ts';

export const taskViews = ['', 'today', 'overdue', 'coming', 'completed', 'cancelled'] as const;
export type TaskView = (typeof taskViews)[number];

type Query = NonNullable<Input<'listTasks'>['query']>;

/** Which tasks a view of the list has. Days are those of the browser's calendar. `now` is epoch milliseconds. */
export const tasksOf = (view: TaskView, now: number): Query => {
  const dayBegins = (days: number): string => new Date(inDays(now, days, 0)).toISOString();
  switch (view) {
    case 'completed':
    case 'cancelled':
      return { status: view };
    case 'overdue':
      return { status: 'pending', overdue: true };
    case 'today':
      return { status: 'pending', due_from: dayBegins(0), due_to: new Date(inDays(now, 1, 0) - 1).toISOString() };
    case 'coming':
      return { status: 'pending', due_from: dayBegins(1) };
    default:
      return { status: 'pending' };
  }
};
