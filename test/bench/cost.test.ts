import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { costOf, operations } from '../../bench/cost.ts';
import { costContent } from '../../bench/pages.ts';

test('docs/cost.md says what the gated figures, the stack and the prices give today: npm run bench -- token-check --pages', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/cost.md'), 'utf8')).toBe(costContent());
});

test('an operation that is priced by a figure which nothing measures is refused', () => {
  const [first] = operations;
  if (!first) throw new Error('Nothing is priced.');
  expect(() => costOf(first, {})).toThrow(/which nothing measures/);
});
