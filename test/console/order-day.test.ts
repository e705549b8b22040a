import { expect, test } from 'vitest';
import { dayOf } from '../../console/screens/shop/order-day.ts';

test('a day is from its midnight to the last moment before the next one, by the calendar of the browser', () => {
  expect(dayOf('2026-11-30')).toEqual({
    from: new Date(2026, 10, 30).toISOString(),
    to: new Date(2026, 10, 30, 23, 59, 59, 999).toISOString(),
  });
});

test('what is no day narrows nothing', () => {
  for (const given of [undefined, '', 'yesterday', '2026-11']) expect(dayOf(given)).toEqual({});
});
