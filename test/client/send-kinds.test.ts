import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { bodiesByKind, examples } from '../../lib/generate/examples.ts';
import { demoTemplates } from '../../lib/local/demo-templates.ts';
import { seedDemo } from '../../lib/local/demo.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { interactiveTypes, messageTypes } from '../../lib/local/provider/schemas.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/**
 * Every kind of message that there is has an example in the reference that runs, and is refused before the provider is called where a field of it has
 * no value that it takes. The operations are those of the contexts, and the kinds those of the provider's simulator, which shows each of them on its phone
 * (test/browser/walks/phone-kinds.ts): a new one needs its example by being there.
 */
const routes = app.flatMap(({ functions }) => functions.flatMap((each) => (each.trigger === 'http' ? Object.entries(each.routes) : [])));
const operations = routes.filter(([name, { method, limit }]) => method === 'POST' && (limit === 'sends' || name === 'createCampaign'));

type Body = Readonly<Record<string, unknown>>;
const cases = operations.flatMap(([name, { path }]) => {
  const kinds = Object.entries(bodiesByKind[name] ?? { example: examples[name] ?? {} });
  return kinds.map(([kind, body]) => ({ name, kind, path, body }));
});

let testApp: TestApp;
let provider: Awaited<ReturnType<typeof startProvider>>;
let token: string;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-send-kinds-'));
beforeAll(async () => {
  provider = await startProvider({ dataDir: folder, log: () => undefined, enforcesWindow: false });
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
  const demo = await seedDemo({
    baseUrl: 'http://127.0.0.1:9',
    providerUrl: provider.url,
    controlUrl: 'http://127.0.0.1:9/_local',
    dataDir: folder,
    env: { PROVIDER_BASE_URL: provider.url },
    control: (...call) => provider.control(...call),
  });
  token = demo.companies[0]?.tokens.owner ?? '';
  expect((await post('/api/v1/groups', { name: 'Newsletter' })).status).toBe(200);
  expect((await post('/api/v1/contacts', { phone: '+4915123456789', name: 'Ada', groups: [1] })).status).toBe(200);
  await testApp.drain();
}, 120_000);
afterAll(async () => {
  await provider.stop();
  await testApp.stop();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: Body): Promise<Answer> => testApp.call({ method: 'POST', path, token, body });

const ledgerAnswer = z.object({ data: z.array(z.object({ type: z.string(), payload: z.record(z.string(), z.unknown()) })) });
const accepted = async () => ledgerAnswer.parse((await provider.control('GET', '/_local/provider/messages', undefined))?.body).data;

/** What a message is: its type, and that of an interactive one or the name of its template. */
const kindOf = ({ type, payload }: Awaited<ReturnType<typeof accepted>>[number]): string => {
  const { type: interactive, name } = (payload[type] ?? {}) as { type?: string; name?: string };
  return type === 'interactive' || type === 'template' ? `${type} ${type === 'template' ? name : interactive}` : type;
};

test('there is an operation for each, with an example', () => {
  expect(operations.map(([name]) => name)).toContain('sendTemplate');
  expect(cases.filter(({ body }) => Object.keys(body).length === 0)).toEqual([]);
});

test.each(cases)('$name, $kind: the example of the reference is sent', async ({ path, body }) => {
  const before = (await accepted()).length;
  const answer = await post(path, body);
  expect(answer.status, answer.raw).toBe(200);
  await testApp.passTime(30);
  expect((await accepted()).length).toBeGreaterThan(before);
});

test('together they are every type of message, every kind of interactive message and every template of the demo', async () => {
  const wanted = [
    ...messageTypes.filter((type) => type !== 'interactive' && type !== 'template'),
    ...interactiveTypes.map((type) => `interactive ${type}`),
    ...demoTemplates.filter(({ category }) => category !== 'AUTHENTICATION').map(({ name }) => `template ${name}`),
  ];
  const sent = new Set((await accepted()).map(kindOf));
  // of no parameters, as the query example sends it
  expect(wanted.filter((kind) => !sent.has(kind) && kind !== 'template hello_world')).toEqual([]);
});

/** The paths to all values of a body, the last first. */
const pathsOf = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .toReversed()
        .flatMap(([key, each]) => pathsOf(each, [...path, key]))
    : [path];

const broken = (value: unknown, [key, ...rest]: readonly string[]): unknown => {
  if (key === undefined) return { broken: true };
  const copy = structuredClone(value) as Record<string, unknown>;
  return Array.isArray(copy)
    ? copy.map((each: unknown, index) => (String(index) === key ? broken(each, rest) : each))
    : { ...copy, [key]: broken(copy[key], rest) };
};

describe('a field without a value that it takes is refused by its name, and nothing is sent', () => {
  test.each(cases)('$name, $kind', async ({ path, body }) => {
    const paths = pathsOf(body).filter(([first]) => first !== 'phone' && first !== 'contact_id');
    let refused = false;
    for (const each of paths) {
      const before = (await accepted()).length;
      const answer = await post(path, broken(body, each) as Body);
      await testApp.passTime(30);
      if (answer.status !== 422) continue;
      const { errors } = z.looseObject({ errors: z.record(z.string(), z.unknown()) }).parse(answer.body);
      expect(Object.keys(errors).map((field) => field.split('.')[0])).toContain(each[0]);
      expect((await accepted()).length).toBe(before);
      refused = true;
      break;
    }
    expect(refused).toBe(true);
  });
});
