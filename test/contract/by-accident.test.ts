import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '../../shared/access/token.ts';
import { allRoutes, codeOf, type ContractFixture, type NamedRoute, rowsOf, startFixture, whereShared } from './fixture.ts';

/** What a typing error, a wrong encoding or a key in the wrong place does: nothing, and the answer says what was meant. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const named = (name: string): NamedRoute => {
  const found = allRoutes.find((each) => each.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};
const sending = allRoutes.filter(({ route }) => route.sends);
const ownReads = whereShared(allRoutes.filter(({ route }) => route.effect === 'read' && route.caller.kind === 'token'));

/** Operations named after sending, of which nothing reaches a customer. */
const reachNoCustomer = new Set(['sendTypingIndicator', 'resendDelivery', 'requestEmailProof']);

test('every operation that is named after sending is one that sends', () => {
  const others = allRoutes.filter(
    ({ name, route }) => /^(send|resend|request)[A-Z]/.test(name) && !route.sends && !reachNoCustomer.has(name),
  );
  expect(others.map(({ name }) => name)).toEqual([]);
  expect(sending.length).toBeGreaterThanOrEqual(12);
});

describe.each(rowsOf(sending))('%s', (_title, route) => {
  test('refuses a misspelt field beside the right ones, and names the one that was meant', async () => {
    const call = await fixture.goodCall(route);
    const isQuery = route.route.method === 'GET';
    const given = (isQuery ? call.query : call.body) as Record<string, unknown>;
    const meant = Object.keys(given).find((name) => name.length >= 5) ?? '';
    const misspelt = meant.slice(0, -1);
    const more = { ...given, [misspelt]: given[meant] };
    const answer = await fixture.call(route, { ...call, ...(isQuery ? { query: more as never } : { body: more }) });
    expect([answer.status, codeOf(answer)]).toEqual([422, 'unknown_field']);
    expect(answer.raw).toContain(`Did you mean ${meant}?`);
  });
});

test('a text whose time is misspelt is not sent', async () => {
  const route = named('sendText');
  const call = await fixture.goodCall(route);
  const before = fixture.provider.requests.length;
  const body = { ...(call.body as object), schedule_at: '2027-01-01T00:00:00Z' };
  const answer = await fixture.call(route, { ...call, body });
  await fixture.testApp.drain();
  expect([answer.status, fixture.provider.requests.length]).toEqual([422, before]);
});

describe.each(rowsOf(ownReads))('%s', (_title, route) => {
  test('names a parameter that it does not know', async () => {
    const call = await fixture.goodCall(route);
    const answer = await fixture.call(route, { ...call, query: { ...call.query, no_such_parameter: '1' } });
    expect([answer.status < 300, answer.headers['x-unknown-fields']]).toEqual([true, 'no_such_parameter']);
  });

  test('takes a token in its address, and says that it should not be there', async () => {
    const { token, ...call } = await fixture.goodCall(route);
    const answer = await fixture.call(route, { ...call, query: { ...call.query, token: token ?? '' } });
    expect([answer.status < 300, answer.headers['deprecation']]).toEqual([true, '@1764547200']);
  });
});

test('JSON that is not UTF-8 is refused before anyone reads it', async () => {
  const route = named('sendText');
  const call = await fixture.goodCall(route);
  const latin1 = Buffer.from(JSON.stringify({ ...(call.body as object), message: 'Grüße' }), 'latin1');
  const answer = await fixture.call(route, { ...call, body: latin1, headers: { ...call.headers, 'content-type': 'application/json' } });
  expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_json']);
  expect(answer.raw).toContain('UTF-8');
});

test.each([
  ['x-public-key', newToken('secret_key'), 'rotate it'],
  ['x-public-key', newToken('test_secret_key'), 'rotate it'],
  ['x-secret-key', newToken('public_key'), 'X-Public-Key'],
])('a key of the other kind as %s is refused and counted, valid or not', async (header, key, advice) => {
  const route = named('getVerificationConfig');
  fixture.testApp.logs.length = 0;
  const { headers: _own, ...call } = await fixture.goodCall(route);
  const answer = await fixture.call(route, { ...call, headers: { [header]: key } });
  expect([answer.status, codeOf(answer)]).toEqual([401, 'public_key_invalid']);
  expect(answer.raw).toContain(advice);
  expect(JSON.stringify(fixture.testApp.logs)).toContain('MisplacedKeys');
});

test.each([
  ['/api/v1/contacts/', 'no slash at the end'],
  ['/api/v1//contacts', 'no two slashes'],
  ['/api/v2/contacts', 'begin with /api/v1'],
  ['/contacts', 'begin with /api/v1'],
  ['/api/v1/Contacts', 'lower case'],
])('%s is not there, and the answer says what is unusual about it', async (path, hint) => {
  const answer = await fixture.testApp.call({ method: 'GET', path, token: fixture.company.tokens.owner });
  expect([answer.status, codeOf(answer)]).toEqual([404, 'route_not_found']);
  expect(answer.raw).toContain(hint);
});
