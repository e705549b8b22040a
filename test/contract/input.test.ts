import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { maxBodyBytes } from '../../shared/http/decode.ts';
import { bodiesNear, queriesNear } from './arbitrary.ts';
import type { Call } from '../support/gateway-event.ts';
import { isFullSize } from '../support/run-size.ts';
import {
  allRoutes,
  codeOf,
  type ContractFixture,
  type NamedRoute,
  rowsOf,
  sampleOf,
  startFixture,
  usableAfter,
  whereShared,
} from './fixture.ts';

/** What cannot be read, and what makes no sense: refused by the declared code, never a failure of ours. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
// a minute apart, because the routes of one limit together would pass it
beforeEach(() => fixture.testApp.clock.advance(60_000));
afterAll(() => fixture[Symbol.asyncDispose]());

const withBody = allRoutes.filter(({ route }) => route.body !== undefined && !route.accepts?.includes('raw'));
const runs = isFullSize() ? 100 : 2;

const withRaw = async (named: NamedRoute, body: string | Buffer, contentType = 'application/json') => {
  const call = await fixture.callToRefuse(named);
  return fixture.call(named, { ...call, body, headers: { ...call.headers, 'content-type': contentType } });
};

// one function reads the bodies of all routes (shared/http/decode.ts): all that it refuses is shown at three routes, and at every other
// route that it is attached
describe.each(rowsOf(sampleOf(withBody)))('%s', (_title, named) => {
  test.each([
    '{',
    '{"a":}',
    'hello',
    '[]',
    '[{}]',
    '"text"',
    '1',
    'null',
    'true',
    '{"a":1}{',
    '\u0000',
    `${'['.repeat(60)}${']'.repeat(60)}`,
  ])('with the body %j is 400 invalid_json', async (body) => {
    const answer = await withRaw(named, body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_json']);
  });

  test('with another content type is 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/html; charset=utf-8']) {
      const answer = await withRaw(named, '{}', type);
      expect([answer.status, codeOf(answer)], type).toEqual([415, 'unsupported_content_type']);
    }
  });

  test('with a body beyond the limit is 413', async () => {
    const answer = await withRaw(named, `{"x":"${'x'.repeat(maxBodyBytes)}"}`);
    expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large']);
  });
});

describe.each(rowsOf(withBody))('%s', (_title, named) => {
  test('reads its body by the shared decoder: broken JSON is 400, another content type 415', async () => {
    const broken = await withRaw(named, '{');
    const other = await withRaw(named, '{}', 'text/plain');
    expect([broken.status, codeOf(broken)]).toEqual([400, 'invalid_json']);
    expect([other.status, codeOf(other)]).toEqual([415, 'unsupported_content_type']);
  });

  test('never fails at a body, however odd', async () => {
    let good = (): Promise<Call> => fixture.goodCall(named);
    await fc.assert(
      fc.asyncProperty(bodiesNear(named.route.body ?? z.unknown()), async (body) => {
        const call = await good();
        const answer = await fixture.call(named, {
          ...call,
          body: JSON.stringify(body) ?? '',
          headers: { 'content-type': 'application/json' },
        });
        expect(answer.status).toBeLessThan(500);
        good = usableAfter(fixture, named, { call, answer });
      }),
      { seed: 20_261_121, numRuns: runs },
    );
  });
});

// what a route does not read is left out by the stack, before the route
const readsQuery = allRoutes.filter(({ route }) => queryNames(route.query).length > 0);
describe.each(rowsOf([...new Set([...readsQuery, ...whereShared(allRoutes)])]))('%s', (_title, named) => {
  // each odd query that a route leaves out is a good request: a hundred of them would pass the limits of a plan
  const numRuns = readsQuery.includes(named) ? runs : 2;
  test('never fails at a query, however odd, and does not mind unknown names', async () => {
    let good = (): Promise<Call> => fixture.goodCall(named);
    await fc.assert(
      fc.asyncProperty(queriesNear(queryNames(named.route.query)), async (query) => {
        const call = await good();
        const { token: _token, ...rest } = query;
        const answer = await fixture.call(named, { ...call, query: { ...call.query, ...rest } });
        good = usableAfter(fixture, named, { call, answer });
      }),
      { seed: 20_261_121, numRuns },
    );
    const call = await fixture.goodCall(named);
    const answer = await fixture.call(named, { ...call, query: { ...call.query, unknown_name: 'x', 'unknown[name][]': 'y' } });
    // a signed query says of itself that nothing was added
    const isSigned = named.route.errors.includes('installation_refused');
    expect(answer.status).toBeLessThan(isSigned ? 404 : 300);
  });
});

describe.each(rowsOf(whereShared(allRoutes)))('%s', (_title, named) => {
  test('never fails at odd headers', async () => {
    const call = await fixture.goodCall(named);
    for (const headers of [
      { 'x-forwarded-for': ',,' },
      { accept: 'image/png' },
      { 'accept-encoding': '\u00ff' },
      { authorization: 'Basic x' },
    ]) {
      const { token: _token, ...untokened } = call;
      await fixture.call(named, { ...untokened, headers: { ...call.headers, ...headers } });
    }
  });
});

describe('an address that is none', () => {
  test.each(['/', '/api/v1', '/api/v1/nothing', '/api/v1/contacts/1/nothing', '/webhook/messaging/receive', '/%00', '/api/v1/me/'])(
    '%s is 404',
    async (path) => {
      const answer = await fixture.testApp.call({ method: 'GET', path, token: fixture.company.tokens.owner });
      expect(answer.status).toBe(404);
    },
  );

  test.each(rowsOf(allRoutes))('%s with a method it does not take is 405 with Allow', async (_title, named) => {
    const { path } = await fixture.callToRefuse(named);
    const taken = new Set(allRoutes.filter(({ route }) => route.path === named.route.path).map(({ route }) => route.method));
    const other = (['PATCH', 'DELETE', 'PUT', 'POST'] as const).find((method) => !taken.has(method)) ?? 'PATCH';
    const answer = await fixture.testApp.call({ method: other, path, token: fixture.company.tokens.owner });
    expect([answer.status, codeOf(answer)]).toEqual([405, 'method_not_allowed']);
    for (const method of taken) expect(answer.headers['allow']).toContain(method);
  });
});

function queryNames(schema: z.ZodType | undefined): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return queryNames(schema.in as z.ZodType);
  return [];
}
