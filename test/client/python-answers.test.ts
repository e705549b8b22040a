import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allowedBody, bodySchemaOf } from '../contract/allowed-bodies.ts';
import { allRoutes, type ContractFixture, type NamedRoute, rowsOf, startFixture } from '../contract/fixture.ts';
import type { Call } from '../support/gateway-event.ts';
import { type Random, seeded } from '../support/random.ts';

/**
 * The answers of all operations as a strict reader of another language sees them: Python's jsonschema by openapi.json. Each was read by Ajv when it
 * came (expectContract), and a reader that agrees with only one library is none.
 */
let fixture: ContractFixture;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-answers-'));
const file = join(folder, 'answers.jsonl');
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fixture[Symbol.asyncDispose]();
});

const calls = 20;
const random = seeded(20_261_130);

/** Good calls, and some that are refused: without a token, or with a body that is only allowed. */
async function callOf(named: NamedRoute, nth: number, draw: Random): Promise<Call> {
  const good = nth % 5 === 4 ? await fixture.callToRefuse(named) : await fixture.goodCall(named);
  if (nth === 4) {
    const { token: _token, ...others } = good;
    return others;
  }
  if (nth % 5 !== 4 || bodySchemaOf(named.name) === undefined || named.name === 'receiveWebhook') return good;
  const body = allowedBody(named.name, typeof good.body === 'string' ? JSON.parse(good.body) : good.body, draw);
  return { ...good, headers: { 'content-type': 'application/json', ...good.headers }, body: JSON.stringify(body) };
}

// what changes others' good calls comes last
const last = /^(create|update)Field$|^(add|update|connect)Number$|^update(Company|Shop)Settings$|^mergeContacts$|Secrets?$/;
const routes = allRoutes.toSorted((one, other) => Number(last.test(one.name)) - Number(last.test(other.name)));

let recorded = 0;
test.each(rowsOf(routes))('%s answers', async (_title, named) => {
  for (let nth = 0; nth < calls; nth++) {
    // refused without a token: a minute apart, as the limit of an address wants
    fixture.testApp.clock.advance(nth === 4 ? 60_000 : 10_000);
    const answer = await fixture.call(named, await callOf(named, nth, random));
    if (answer.headers['content-type'] !== 'application/json' || answer.raw === '') continue;
    appendFileSync(file, `${JSON.stringify({ name: named.name, status: answer.status, body: answer.body })}\n`);
    recorded++;
  }
});

test("Python's jsonschema accepts every one of them, 5,000 at least", async () => {
  expect(recorded).toBeGreaterThanOrEqual(5_000);
  // Debian's python3-jsonschema is for Debian's interpreter
  const script = join(import.meta.dirname, 'validate_answers.py');
  const document = join(import.meta.dirname, '../../openapi.json');
  const { stdout, stderr } = await promisify(execFile)('/usr/bin/python3', [script, document, file], { maxBuffer: 2 ** 26 });
  expect(stdout).toBe('');
  expect(stderr).toContain(`${recorded} answers of `);
}, 600_000);
