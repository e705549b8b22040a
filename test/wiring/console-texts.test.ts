import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../console');
const filesIn = (pattern: string): string[] => globSync(pattern, { cwd: root }).filter((each) => !each.startsWith('dist'));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Named by what the API answers: `text[`step_${step}`]`, `why_${reason}`, and the categories of prices. */
const byAnswer = /^step_|^why_|^(marketing|marketing_lite|utility|authentication|authentication_international|referral_conversion)$/;

test('the console shows every text that it has: none is left of what was taken out', () => {
  const sources = filesIn('**/*.{ts,tsx}')
    .filter((each) => !each.startsWith('text'))
    .map(read)
    .join('\n');
  const used = new Set(sources.match(/\w+/g));
  const catalogues = filesIn('text/en/*.ts');
  const names = catalogues.flatMap((file) => [...read(file).matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => `${file} ${name}`));
  expect(catalogues.length).toBeGreaterThan(5);
  expect(names.length).toBeGreaterThan(500);
  expect(names.filter((each) => !byAnswer.test(each.split(' ')[1] ?? '') && !used.has(each.split(' ')[1] ?? ''))).toEqual([]);
});
