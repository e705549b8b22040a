import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addressLimitEntity, companyLimitEntity, credentialEntity } from '../../shared/access/credential.ts';
import { newToken, tokenHash, tokenPrefixes } from '../../shared/access/token.ts';
import { windowEndSeconds, windowField } from '../../shared/access/window.ts';
import { limits, roles, scopes } from '../../shared/contract/route.ts';
import { sessionIdleMs } from '../../shared/access/session.ts';
import { credential } from '../support/credentials.ts';
import { withSession } from '../support/gateway-event.ts';
import {
  allRoutes,
  bodyWithoutRequest,
  codeOf,
  type ContractFixture,
  isErpByHeader,
  type NamedRoute,
  rowsOf,
  startFixture,
  whereShared,
} from './fixture.ts';

/** Who may call, for every route of the product. */
let fixture: ContractFixture;
beforeAll(async () => {
  const started = await startFixture();
  fixture = { ...started, call: (named, call) => started.call(named, { sourceIp: address, ...call }) };
});
/** Each test has an address of its own: refused credentials are counted by it. */
let addresses = 0;
let address = '';
beforeEach(() => {
  addresses++;
  address = `198.18.${Math.floor(addresses / 250)}.${addresses % 250}`;
});
afterAll(() => fixture[Symbol.asyncDispose]());

const byToken = allRoutes.filter(({ route }) => route.caller.kind === 'token' || isErpByHeader(route));
const shared = new Set(whereShared(byToken));
const byAddressToken = allRoutes.filter(
  ({ route }) => route.caller.kind === 'webhook_token' || (route.caller.kind === 'erp_token' && !isErpByHeader(route)),
);

const callsOf = (named: NamedRoute) => ({
  refusedFor: async (token: string | undefined) => fixture.call(named, await fixture.callToRefuse(named, { token })),
  answeredFor: async (token: string) => (await fixture.call(named, await fixture.goodCall(named, { token }))).status,
});

test('no two routes have the same name or the same address', () => {
  const names = allRoutes.map(({ name }) => name);
  const addresses = allRoutes.flatMap(({ route }) => [route.path, ...(route.aliases ?? [])].map((path) => `${route.method} ${path}`));
  expect(names).toEqual([...new Set(names)]);
  expect(addresses).toEqual([...new Set(addresses)]);
});

describe.each(rowsOf(byToken))('%s', (_title, named) => {
  const { caller } = named.route;
  const kind = caller.kind === 'erp_token' ? 'erp_token' : 'token';
  const { refusedFor, answeredFor } = callsOf(named);

  test('without a token is 401 token_missing', async () => {
    const answer = await refusedFor(undefined);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'token_missing']);
  });

  test('beyond the limit is 429 with Retry-After and the limit in its headers', async () => {
    const { testApp, company } = fixture;
    const token = await credential({ kind, companyId: company.id });
    testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000);
    const { limit } = named.route;
    const full = { [windowField(limit, testApp.clock.now())]: limits[limit].perMinute };
    await credentialEntity.change({ hash: tokenHash(token) }, { set: full });
    const answer = await refusedFor(token);
    expect([answer.status, codeOf(answer)]).toEqual([429, 'rate_limited']);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': String(limits[limit].perMinute), 'x-ratelimit-remaining': '0' });
    if (!shared.has(named)) return;
    testApp.clock.advance(60_000);
    expect(await answeredFor(token)).toBeLessThan(300);
  });

  if (caller.kind !== 'token' || !('scope' in caller)) return;

  test('without its scope is 403 and names the scope', async () => {
    const answer = await refusedFor(
      await credential({ companyId: fixture.company.id, scopes: scopes.filter((scope) => scope !== caller.scope) }),
    );
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'insufficient_scope', details: { required: caller.scope } }]);
  });

  if (caller.role !== 'viewer')
    test('with too small a role is 403 and names the role', async () => {
      const smaller = roles[roles.indexOf(caller.role) - 1] ?? 'viewer';
      const answer = await refusedFor(await credential({ companyId: fixture.company.id, role: smaller }));
      expect([answer.status, answer.body]).toMatchObject([403, { code: 'role_required', details: { role: caller.role } }]);
    });

  test('with the least role and the one scope is answered; what it makes needs what that may do', async () => {
    const token = await credential({
      companyId: fixture.company.id,
      userId: fixture.company.users[caller.role],
      role: caller.role,
      scopes: named.route.makes === undefined ? [caller.scope] : scopes,
    });
    expect(await answeredFor(token)).toBeLessThan(300);
  });
});

/** What the stack does with every credential, however the route is declared. */
describe.each(rowsOf([...shared]))('%s', (_title, named) => {
  const { caller } = named.route;
  const kind = caller.kind === 'erp_token' ? 'erp_token' : 'token';
  const { refusedFor, answeredFor } = callsOf(named);

  test('with a token that was never issued, or cannot be one, is 401 token_invalid, and the two look alike', async () => {
    const unknown = await refusedFor(newToken(kind));
    const broken = await refusedFor(`${tokenPrefixes[kind]}_not-a-token`);
    expect([unknown.status, codeOf(unknown)]).toEqual([401, 'token_invalid']);
    expect(bodyWithoutRequest(broken)).toBe(bodyWithoutRequest(unknown));
  });

  test('with a revoked token is 401, with an expired one too, and a suspended company is 403', async () => {
    expect(codeOf(await refusedFor(await credential({ kind, status: 'revoked' })))).toBe('token_revoked');
    expect(codeOf(await refusedFor(await credential({ kind, expiresAt: 1 })))).toBe('token_expired');
    expect(codeOf(await refusedFor(await credential({ kind, companyStatus: 'suspended' })))).toBe('company_suspended');
  });

  if (caller.kind === 'token')
    test('takes a session as it takes a token: answered, and refused without its scope, when ended, idle or of a suspended company', async () => {
      const companyId = fixture.company.id;
      const seed = { kind: 'session', companyId, userId: fixture.company.users.owner } as const;
      const secret = await credential(seed);
      const good = withSession(await fixture.goodCall(named), secret);
      const answer = await fixture.call(named, good);
      expect(answer.status, answer.raw).toBeLessThan(300);
      const refused = async (more: Parameters<typeof credential>[0]) => {
        const call = withSession(await fixture.callToRefuse(named, {}), await credential({ ...seed, ...more }));
        return codeOf(await fixture.call(named, call));
      };
      if ('scope' in caller) expect(await refused({ scopes: scopes.filter((scope) => scope !== caller.scope) })).toBe('insufficient_scope');
      if (caller.role !== 'viewer')
        expect(await refused({ role: roles[roles.indexOf(caller.role) - 1] ?? 'viewer' })).toBe('role_required');
      expect(await refused({ status: 'revoked' })).toBe('token_revoked');
      expect(await refused({ expiresAt: 1 })).toBe('token_expired');
      expect(await refused({ lastUsedAt: fixture.testApp.clock.now() - sessionIdleMs })).toBe('token_expired');
      expect(await refused({ companyStatus: 'suspended' })).toBe('company_suspended');
      const call = await fixture.callToRefuse(named, {});
      const foreign = { ...withSession(call, secret), headers: { ...call.headers, cookie: `__Host-swb_session=${secret}` } };
      expect(codeOf(await fixture.call(named, foreign))).toBe('cross_origin_request');
    });

  if (limits[named.route.limit].by === 'company')
    test("beyond the company's limit is 429, whichever token asks", async () => {
      const { testApp, company } = fixture;
      testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000);
      const { limit } = named.route;
      const full = { [windowField(limit, testApp.clock.now())]: limits[limit].perMinute };
      await companyLimitEntity.change({ companyId: company.id, limit }, { set: full });
      expect(codeOf(await refusedFor(company.tokens.owner))).toBe('rate_limited');
      expect(codeOf(await refusedFor(company.tokens.admin))).toBe('rate_limited');
      testApp.clock.advance(60_000);
      expect(await answeredFor(company.tokens.owner)).toBeLessThan(300);
    });

  if (caller.kind !== 'token') return;

  test('takes the token in the query as well, and the header wins', async () => {
    const call = await fixture.goodCall(named, {});
    const inQuery = { ...call, query: { ...call.query, token: fixture.company.tokens.owner } };
    expect((await fixture.call(named, inQuery)).status).toBeLessThan(300);
    const both = { ...inQuery, token: newToken('token') };
    expect(codeOf(await fixture.call(named, both))).toBe('token_invalid');
  });

  test('with a refused token costs two writes, the second of them the count of its address, and does nothing', async () => {
    const call = await fixture.callToRefuse(named, { token: newToken('token') });
    const used = await fixture.testApp.meter(() => fixture.call(named, call));
    expect(used).toMatchObject({ calls: 2, wru: 2, rru: 0 });
  });
});

describe.each(rowsOf(byAddressToken))('%s', (_title, named) => {
  const kind = named.route.caller.kind === 'erp_token' ? 'erp_token' : 'webhook_token';
  const withToken = async (token: string) => {
    const call = await fixture.callToRefuse(named);
    return fixture.call(named, { ...call, path: call.path.replace(/[^/]+$/, token) });
  };

  test('with an address that was never issued, cannot be one, or was revoked is refused, and the three look alike', async () => {
    const unknown = await withToken(newToken(kind));
    expect(unknown.status).toBeOneOf([401, 404]);
    const others = [await withToken('short'), await withToken(await credential({ kind, status: 'revoked' }))];
    for (const other of others) expect(bodyWithoutRequest(other)).toBe(bodyWithoutRequest(unknown));
  });

  test("with another receiver's address is refused as an unknown one", async () => {
    const unknown = await withToken(newToken(kind));
    const foreign = await withToken(await credential({ kind: 'webhook_token', companyId: fixture.company.id, subject: 'another' }));
    expect(bodyWithoutRequest(foreign)).toBe(bodyWithoutRequest(unknown));
  });

  test('beyond the limit is 429 with Retry-After, also unsigned', async () => {
    const { testApp } = fixture;
    const receiver = named.route.path.startsWith('/webhook/messaging') ? 'messaging' : named.route.path.split('/').at(-2);
    const token = await credential({ kind, companyId: fixture.company.id, ...(receiver ? { subject: receiver } : {}) });
    testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000);
    const { limit } = named.route;
    await credentialEntity.change(
      { hash: tokenHash(token) },
      { set: { [windowField(limit, testApp.clock.now())]: limits[limit].perMinute } },
    );
    const call = await fixture.goodCall(named);
    const headers = Object.fromEntries(Object.entries(call.headers ?? {}).filter(([name]) => !/signature|hmac/.test(name)));
    const refused = await fixture.call(named, { ...call, headers, path: call.path.replace(/[^/]+$/, token) });
    expect([refused.status, codeOf(refused), refused.headers['retry-after']]).toEqual([429, 'rate_limited', expect.any(String)]);
  });
});

const openRoutes = allRoutes.filter(({ route }) => route.caller.kind === 'public');

test.each(rowsOf(openRoutes))('%s is counted by address: beyond the limit it is 429', async (_title, named) => {
  const { testApp } = fixture;
  testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000);
  const call = { ...(await fixture.callToRefuse(named)), sourceIp: '198.51.100.23' };
  const { limit } = named.route;
  const full = { [windowField(limit, testApp.clock.now())]: limits[limit].perMinute };
  await addressLimitEntity.change(
    { address: call.sourceIp, limit },
    { set: { ...full, address: call.sourceIp, limit, until: 2_000_000_000 } },
  );
  expect(codeOf(await fixture.call(named, call))).toBe('rate_limited');
});
