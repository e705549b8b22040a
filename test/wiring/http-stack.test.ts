import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';

const root = join(import.meta.dirname, '../..');
const functions = app
  .flatMap((context) => context.functions)
  .filter((spec) => spec.trigger === 'http' && Object.keys(spec.routes).length > 0);

/** Why the contract tests show what the HTTP stack does at one route of each function in the quick suite: no route of it can pass it by. */
describe.each(functions.map(({ name, entry }) => [name, entry] as const))('%s', (_name, entry) => {
  test('answers all its routes by the one HTTP stack', () => {
    const source = readFileSync(join(root, entry), 'utf8');
    expect(source.match(/\bhandler\b/g)).toEqual(['handler']);
    expect(source).toMatch(/^export const handler = (inSteps\(\s*readingEarly\(\s*)?serve\(/m);
    expect(source).toMatch(/^import \{ serve \} from '(\.\.\/)+shared\/http\/serve\.ts';$/m);
  });
});

test('the stack has one order for all: log, problems, entrance, route, caller and limit, body, idempotency', () => {
  const source = readFileSync(join(root, 'shared/http/serve.ts'), 'utf8');
  expect([...source.matchAll(/\.use\((\w+)\(/g)].map(([, stage]) => stage)).toEqual([
    'requestLog',
    'problemsToBodies',
    'entrance',
    'matchRoute',
    'callerAndLimit',
    'decode',
    'idempotency',
  ]);
});
