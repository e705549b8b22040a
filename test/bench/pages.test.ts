import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaint } from '../../bench/baseline.ts';
import { costOf, operations } from '../../bench/cost.ts';
import { costContent, performanceContent } from '../../bench/pages.ts';
import { performancePage } from '../../bench/performance.ts';

test('docs/cost.md says what the gated figures, the stack and the prices give today: npm run bench -- token-check --pages', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/cost.md'), 'utf8')).toBe(costContent());
});

test('docs/performance.md says what the baseline and the kept results give: npm run bench -- token-check --pages', async () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/performance.md'), 'utf8')).toBe(await performanceContent());
});

test('the page opens with the missed targets, and says what was never measured', () => {
  const scenario = { name: 'walk', description: 'A walk', deterministic: false, measure: () => Promise.resolve([]) };
  const figures = [
    { name: 'up', unit: 'ms' as const, value: 12, atMost: 10 },
    { name: 'down', unit: 'per second' as const, value: 12, atLeast: 10 },
  ];
  const page = performancePage([scenario, { ...scenario, name: 'swim' }], { walk: { day: '2026-11-22', machine: 'M', figures } }, {});
  const [title, , counts, , , , ...rows] = page.split('\n');
  expect([title, counts]).toEqual(['# What was measured', '**2 targets, 1 kept, 1 missed.** Not measured yet: swim.']);
  expect(rows.slice(0, 2)).toEqual(['| walk | up | 12 ms | <= 10 | **missed** | 2026-11-22 |', '']);
});

test('a goal that is known to be missed is no complaint, but a figure worse than its baseline is', () => {
  const scenario = { name: 'walk', description: 'A walk', deterministic: true, measure: () => Promise.resolve([]) };
  const steps = { name: 'steps', unit: 'calls' as const, value: 12, atMost: 10 };
  expect(complaint(scenario, steps, { walk: { steps: 12 } })).toBe('over its budget of 10');
  expect(complaint(scenario, { ...steps, isGoal: true }, { walk: { steps: 12 } })).toBeUndefined();
  expect(complaint(scenario, { ...steps, isGoal: true }, { walk: { steps: 11 } })).toBe("worse than the baseline's 11");
});

test('an operation that is priced by a figure which nothing measures is refused', () => {
  const [first] = operations;
  if (!first) throw new Error('Nothing is priced.');
  expect(() => costOf(first, {})).toThrow(/which nothing measures/);
});
