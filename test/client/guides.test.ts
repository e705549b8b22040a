import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compilerErrors } from './compiles.ts';

const root = join(import.meta.dirname, '../..');
const guides = join(root, 'docs/guides');

/** What a guide's TypeScript may take for granted after the first guide. */
const prelude = "import { switchboard } from 'switchboard-client';\nconst api = switchboard({ baseUrl: '', token: '' });\n";

const typescriptOf = (guide: string): string => {
  const blocks = [...readFileSync(join(guides, guide), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block);
  const source = blocks.join('\n');
  if (source === '') return '';
  return source.includes('const api =') ? source : `${prelude}${source}`;
};

it('paginate takes no list that never says that it ends: the feed of events is followed', async () => {
  const walk = (by: string): string =>
    `import { ${by} } from 'switchboard-client';\n${prelude}for await (const { id } of ${by}((place) => api.events.list({ query: place }))) console.log(id);\n`;
  expect(await compilerErrors([['followed', walk('follow')]])).toBe('');
  // of the argument, which is no list that ends
  expect(await compilerErrors([['paginated', walk('paginate')]])).toMatch(/error TS(2322|2345)/);
});

it('every call of the guides compiles with the client, and the readme of the client too', async () => {
  const sources = new Map(readdirSync(guides).map((guide) => [guide, typescriptOf(guide)]));
  const readme = [...readFileSync(join(root, 'client/README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)]
    .map(([, block = '']) => block)
    .join('\n');
  sources.set('client-readme.md', readme);
  expect([...sources.values()].filter((source) => source.includes('api.')).length).toBeGreaterThan(6);
  const files = [...sources].filter(([, source]) => source !== '');
  const sourced = files.map(([guide, source]) => [guide.replace(/\.md$/, ''), `${source}\nexport {};\n`] as const);
  expect(await compilerErrors(sourced, { noUnusedLocals: false })).toBe('');
});
