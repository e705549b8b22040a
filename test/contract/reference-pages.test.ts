import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import openapi from '../../openapi.json' with { type: 'json' };
import { importSources } from '../../bin/admin/import-sources.ts';
import { guideSources } from '../../functions/api-reference/contract.ts';
import { problems } from '../../shared/contract/problems.ts';
import { newCompany } from '../support/company.ts';
import { startTestApp } from '../support/test-app.ts';

/** Every guide, operation and error is a page of its own, for readers without a script and for programs. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());
const root = join(import.meta.dirname, '../..');

const operationIds = Object.values(openapi.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
const pages = [
  ...Object.keys(guideSources).map((name) => `guides/${name}`),
  ...operationIds.map((id) => `operations/${id}`),
  ...Object.keys(problems).map((code) => `errors/${code}`),
];
/** Each from an address of its own: strangers have a limit. */
let readers = 0;
const get = (path: string) => testApp.call({ method: 'GET', path: `/docs/${path}`, sourceIp: `2001:db8:${(++readers).toString(16)}::1` });

test('every guide file has a page', () => {
  const files = ['docs/guides', 'docs/moving'].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`));
  expect(Object.values(guideSources).toSorted()).toEqual(files.toSorted());
});

describe('each page', () => {
  test('is whole without a script, small, and says as Markdown what it says as HTML', async () => {
    const wrong: string[] = [];
    for (const path of pages) {
      const [html, markdown] = [await get(path), await get(`${path}.md`)];
      const title = /^# (.+)$/m.exec(markdown.raw)?.[1] ?? '';
      if (html.status !== 200 || !html.headers['content-type']?.startsWith('text/html')) wrong.push(`${path}: ${html.status}`);
      if (markdown.status !== 200 || !markdown.headers['content-type']?.startsWith('text/markdown'))
        wrong.push(`${path}.md: ${markdown.status}`);
      if (Buffer.byteLength(html.raw) > 60_000) wrong.push(`${path}: ${Buffer.byteLength(html.raw)} bytes`);
      if (html.raw.includes('<script')) wrong.push(`${path}: a script`);
      if (title === '' || !html.raw.includes(`<title>`)) wrong.push(`${path}: no title`);
      if (/\bundefined\b|\[object Object\]/.test(markdown.raw.replaceAll(/```[^]*?```/g, ''))) wrong.push(`${path}: something undefined`);
    }
    expect(wrong).toEqual([]);
  });

  test('leads only to what is there', async () => {
    const known = new Set([
      '/docs',
      '/docs/contents',
      '/docs/openapi.json',
      '/docs/llms.txt',
      ...pages.flatMap((path) => [`/docs/${path}`, `/docs/${path}.md`]),
    ]);
    known.add('/docs/contents.md');
    const wrong: string[] = [];
    for (const path of ['contents', ...pages])
      for (const [, href = ''] of (await get(path)).raw.matchAll(/href="([^"]*)"/g))
        if (href.startsWith('/docs') ? !known.has(href.replace(/#.*$/, '')) : href.startsWith('#')) wrong.push(`${path}: ${href}`);
    expect([...new Set(wrong)]).toEqual([]);
  });
});

test('the list of all pages has each of them, for people and, as Markdown that goes on in Markdown, for programs', async () => {
  const [html, text] = [await get('contents'), await get('llms.txt')];
  expect(pages.filter((path) => !html.raw.includes(`href="/docs/${path}"`))).toEqual([]);
  expect(pages.filter((path) => !text.raw.includes(`](/docs/${path}.md)`))).toEqual([]);
  expect(text.raw).toMatch(/^# Switchboard API\n/);
});

test('an operation says what it takes and answers, with a call and the errors that it has', async () => {
  const { raw } = await get('operations/createWebhook.md');
  for (const part of [
    '# Create a webhook endpoint',
    '`POST /api/v1/webhooks`',
    '### curl',
    '### TypeScript',
    '| `url` * | string',
    '`data.secret`',
    '/docs/errors/plan_limit_reached',
  ])
    expect(raw).toContain(part);
});

test('an error leads from its answer to its page, which says what to do', async () => {
  const company = await newCompany();
  const answer = await testApp.call({ method: 'GET', path: '/api/v1/contacts/77', token: company.tokens.owner });
  const { doc_url: address = '' } = answer.body as { doc_url?: string };
  expect(new URL(address).pathname).toBe('/docs/errors/not_found');
  expect((await get('errors/not_found')).raw).toContain('What to do');
});

test.each(['guides/none', 'operations/none.md', 'errors/toString', 'errors/__proto__', 'guides/constructor.md'])(
  '%s is no page',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test.each(['other/page', 'guides/..%2Fsecret', 'guides/a b'])('%s is not found or refused, and read from no file', async (path) => {
  expect([404, 422]).toContain((await get(path)).status);
});

test.each([
  ['migrate', 'move-from-twilio'],
  ['billing', 'account'],
  ['SDK', 'first-message'],
  ['sandbox', 'first-message'],
])('who looks for %s in the list of all pages is led to the guide %s, which has the word', async (word, name) => {
  const lines = (await get('llms.txt')).raw.split('\n').filter((line) => line.includes(word));
  expect(lines.some((line) => line.includes(`](/docs/guides/${name}.md)`))).toBe(true);
  expect((await get(`guides/${name}.md`)).raw).toContain(word);
});

test('what the pages for moving name exists: operations by method and path, and options of the import', async () => {
  const wrong: string[] = [];
  for (const path of pages.filter((each) => each.includes('guides/move-from-'))) {
    const text = (await get(`${path}.md`)).raw;
    for (const [, method = '', address = ''] of text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/api\/v1\/[^`?]*)/g)) {
      const methods = (openapi.paths as Record<string, object>)[address] ?? {};
      if (!(method.toLowerCase() in methods)) wrong.push(`${path}: ${method} ${address}`);
    }
    for (const [, source = ''] of text.matchAll(/--from (\S+)/g))
      if (!importSources.includes(source as never)) wrong.push(`${path}: ${source}`);
  }
  expect(wrong).toEqual([]);
});
