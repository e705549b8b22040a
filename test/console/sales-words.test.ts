import { expect, test } from 'vitest';
import { activityWords } from '../../console/screens/sales/activity-words.ts';
import { messageLine } from '../../console/screens/sales/message-line.ts';
import { tasksOf } from '../../console/screens/sales/task-range.ts';
import { en } from '../../console/text/en/sales.ts';

const noon = new Date(2026, 10, 30, 12, 30).getTime();
const at = (day: number, hour: number, minute = 0, second = 0, ms = 0): string =>
  new Date(2026, 10, day, hour, minute, second, ms).toISOString();

test('the tasks of the day are those due until midnight by the calendar of the browser, the late ones of the morning with them', () => {
  expect(tasksOf('today', noon)).toEqual({ status: 'pending', due_from: at(30, 0), due_to: at(30, 23, 59, 59, 999) });
  expect(tasksOf('coming', noon)).toEqual({ status: 'pending', due_from: at(31, 0) });
});

test('all that are open, those that are late, and those that ended are of no day', () => {
  expect(tasksOf('', noon)).toEqual({ status: 'pending' });
  expect(tasksOf('overdue', noon)).toEqual({ status: 'pending', overdue: true });
  expect(tasksOf('cancelled', noon)).toEqual({ status: 'cancelled' });
});

test('a query stays the same all day long', () => {
  expect(tasksOf('today', noon)).toEqual(tasksOf('today', noon + 3_600_000));
});

test('a message is its text, with what it is where it is more; data are no words', () => {
  const line = (subtype: string, value: string, revoked_at: string | null = null): string =>
    messageLine({ subtype, value, revoked_at }, en);
  expect(line('text', 'Hello')).toBe('Hello');
  expect(line('image', '')).toBe('Picture');
  expect(line('image', 'The oven')).toBe('Picture: The oven');
  expect(line('location', '52.5,13.4')).toBe('Place');
  expect(line('nfm_reply', '{"size":"2"}')).toBe('Message');
  expect(line('text', 'Hello', '2026-11-30T10:00:00Z')).toBe('This message was deleted');
});

test('a move names both stages where they are known; what is not known is no line', () => {
  expect(activityWords({ type: 'stage.changed', data: { from_name: 'New', to_name: 'Won' } }, en)).toBe('Moved from New to Won');
  expect(activityWords({ type: 'stage.changed', data: { from_name: null, to_name: 'Won' } }, en)).toBe('Moved to Won');
  expect(activityWords({ type: 'stage.changed', data: {} }, en)).toBe('Moved to another stage');
  expect(activityWords({ type: 'task.completed', data: {} }, en)).toBe('Task completed');
  expect(activityWords({ type: 'something.else', data: {} }, en)).toBeUndefined();
});
