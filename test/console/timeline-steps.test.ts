import { expect, test } from 'vitest';
import { together } from '../../console/screens/contacts/timeline-steps.ts';

const step = (id: string, at: string, words: string) => ({ id, at, words });

test('the same again on a day is one line with its count, at its newest', () => {
  const steps = [
    step('4', '2026-11-30T12:00:00Z', 'Wrote'),
    step('3', '2026-11-30T11:00:00Z', 'Wrote'),
    step('2', '2026-11-30T10:00:00Z', 'Blocked'),
  ];
  expect(together(steps)).toEqual([
    { ...steps[0], count: 2 },
    { ...steps[2], count: 1 },
  ]);
});

test('what came between, and another day, keep steps apart', () => {
  const steps = [
    step('4', '2026-11-30T12:00:00Z', 'Wrote'),
    step('3', '2026-11-30T11:00:00Z', 'Blocked'),
    step('2', '2026-11-30T10:00:00Z', 'Wrote'),
    step('1', '2026-11-29T10:00:00Z', 'Wrote'),
  ];
  expect(together(steps).map(({ id, count }) => [id, count])).toEqual([
    ['4', 1],
    ['3', 1],
    ['2', 1],
    ['1', 1],
  ]);
});

test('nothing is no line', () => {
  expect(together([])).toEqual([]);
});
