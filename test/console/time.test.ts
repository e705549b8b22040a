import { describe, expect, test } from 'vitest';
import { dayIn } from '../../console/components/charts/day-in.ts';
import { timeUntil } from '../../console/components/time.tsx';

test.each([
  [-5, 'now'],
  [0, 'now'],
  [6, 'in 6 seconds'],
  [89, 'in 89 seconds'],
  [90, 'in 2 minutes'],
  [5_399, 'in 90 minutes'],
  [5_400, 'in 2 hours'],
  [86_400, 'in 24 hours'],
])('a time in %i seconds is "%s"', (seconds, words) => {
  const now = Date.UTC(2026, 10, 30);
  expect(timeUntil('en', new Date(now + seconds * 1_000).toISOString(), now)).toBe(words);
});

describe('the day of a report', () => {
  test.each([
    ['Europe/Berlin', '2026-12-01'],
    ['UTC', '2026-11-30'],
    ['America/Sao_Paulo', '2026-11-30'],
    ['Pacific/Auckland', '2026-12-01'],
  ])('is that of its time zone: half past eleven in the evening of UTC is, in %s, %s', (zone, day) => {
    expect(dayIn(zone, Date.parse('2026-11-30T23:30:00Z'))).toBe(day);
  });
});
