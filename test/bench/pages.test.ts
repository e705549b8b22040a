import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { costOf, operations } from '../../bench/cost.ts';
import { costContent, performanceContent } from '../../bench/pages.ts';
import { performancePage } from '../../bench/performance.ts';

test('docs/cost.md says what the gated figures, the stack and the prices give today: npm run bench -- token-check --pages', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/cost.md'), 'utf8')).toBe(costContent());
});

test('docs/performance.md says what the baseline and the kept results give: npm run bench -- token-check --pages', async () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/performance.md'), 'utf8')).toBe(await performanceContent());
});

test('a missed target is told, and so is what was never measured', () => {
  const scenario = { name: 'walk', description: 'A walk', deterministic: false, measure: () => Promise.resolve([]) };
  const figures = [
    { name: 'up', unit: 'ms' as const, value: 12, atMost: 10 },
    { name: 'down', unit: 'per second' as const, value: 12, atLeast: 10 },
  ];
  const page = performancePage([scenario, { ...scenario, name: 'swim' }], { walk: { day: '2026-11-22', machine: 'M', figures } }, {});
  expect(page).toContain('**2 targets, 1 kept, 1 missed**: walk, up. Not measured yet: swim.');
  expect(page).toContain('| walk | up | 12 ms | <= 10 | **missed** | 2026-11-22 |');
});

test('an operation that is priced by a figure which nothing measures is refused', () => {
  const [first] = operations;
  if (!first) throw new Error('Nothing is priced.');
  expect(() => costOf(first, {})).toThrow(/which nothing measures/);
});
