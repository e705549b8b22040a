import { afterAll, beforeAll, expect, test } from 'vitest';
import openapi from '../../openapi.json' with { type: 'json' };
import { problems } from '../../shared/contract/problems.ts';
import { codeOf, type ContractFixture, startFixture } from './fixture.ts';
import { accessMistakes } from './mistakes-access.ts';
import { operationMistakes } from './mistakes-operations.ts';
import { requestMistakes } from './mistakes-requests.ts';

/**
 * Ninety mistakes that integrators make: each is answered with what was wrong, in terms of the request, and with what to do. Where what is meant
 * is clear, it is taken.
 */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const all = { ...accessMistakes, ...requestMistakes, ...operationMistakes };
const rows = Object.entries(all).map(([nth, mistake]) => [nth, mistake.what, mistake] as const);

test('no place of the table is empty', () => {
  expect(Object.keys(all).map(Number)).toEqual(expect.arrayContaining(Array.from({ length: 90 }, (_, at) => at + 1)));
});

test.each(rows)('%s: %s', async (_nth, _what, { attempt, status, code, names, headers = {} }) => {
  const answer = await attempt(fixture);
  expect([answer.status, codeOf(answer), answer.raw]).toEqual([status, code, answer.raw]);
  for (const name of names)
    if (typeof name === 'string') expect(answer.raw).toContain(name);
    else expect(answer.raw).toMatch(name);
  for (const [name, value] of Object.entries(headers)) expect(answer.headers[name]).toMatch(value);
  if (code !== undefined) expectHelp(answer.body);
});

const operations = new Set(Object.values(openapi.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)));

/** Every refusal has what a caller needs: a code, a sentence on what to do, a page, and the id of the request. */
function expectHelp(body: unknown): void {
  const { code, remedy, doc_url, request_id, trace_id } = body as Record<string, string>;
  expect(remedy?.length).toBeGreaterThan(15);
  expect(doc_url ?? `/docs/errors/${code}`).toMatch(new RegExp(`/docs/errors/${code}$`));
  expect(request_id ?? trace_id).toMatch(/^req_/);
  const operation = /\/docs\/operations\/(\w+)/.exec(remedy ?? '')?.[1];
  if (operation !== undefined) expect(operations).toContain(operation);
}

test('no remedy only repeats that there is an error', () => {
  const useless = Object.entries(problems).filter(([, { remedy }]) => remedy.length < 15 || /^The reasons? (is|are)/.test(remedy));
  expect(useless).toEqual([]);
});
