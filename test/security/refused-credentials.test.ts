import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSession } from '../../functions/account/service/sessions.ts';
import { issueToken, revokeCompanyToken } from '../../functions/account/service/tokens.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { newToken } from '../../shared/access/token.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { credential } from '../support/credentials.ts';
import { type Answer, type Call, withSession } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { codeOf } from '../contract/fixture.ts';

/** Secrets of the right shape, in any number, from one address: each is a function, a log line and a write of the table. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany();
});
// calls are counted by the minute, which must not end on the way
beforeEach(() => {
  testApp.clock.advance(3 * 60_000);
  testApp.clock.freeze();
});
afterEach(() => testApp.clock.resume());
afterAll(() => testApp.stop());

/** Sixty addresses, so that no test meets what another has counted. */
let addresses = 0;
const newAddress = (): string => `198.51.100.${++addresses}`;

const get = (secret: string, address: string, more: Partial<Call> = {}): Promise<Answer> =>
  testApp.call({ method: 'GET', path: '/api/v1/me', token: secret, sourceIp: address, ...more });

/** What each of them is read for, in read units, where its address is refused. */
const attacks: [string, () => string, number, Partial<Call>][] = [
  ['well-formed tokens', () => newToken('token'), 0.5, {}],
  ['one token again and again', () => 'swb_again', 0, {}],
  ['texts that are no token', () => 'x', 0, {}],
  ['verification keys', () => newToken('public_key'), 0.5, { path: '/api/v1/verification/config' }],
  ['ERP tokens', () => newToken('erp_token'), 0.5, { method: 'POST', path: '/api/shop/erp/sync', body: { products: [] } }],
];

describe.each(attacks)('600 %s from one address', (_name, secretOf, units, more) => {
  test('are 401 sixty times, then 429: nothing is written, and at most half a unit is read for each', async () => {
    const address = newAddress();
    const first: number[] = [];
    for (let i = 0; i < 60; i++) first.push((await get(secretOf(), address, more)).status);
    expect(new Set(first)).toEqual(new Set([401]));
    let rest: Answer[] = [];
    const used = await testApp.meter(async () => {
      rest = await Promise.all(Array.from({ length: 540 }, () => get(secretOf(), address, more)));
    });
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([429]));
    expect(used).toMatchObject({ wru: 0, rru: 540 * units });
  });
});

describe('the address that is refused', () => {
  attack(
    'gets 429 for no valid credential, in a process that meets it first as well: a stranger in an office keeps no server, page or user of it waiting',
    [{ in: 'shared/http/caller.ts', replace: 'if (beyond && !(await isValidCredential(kinds, secret))) refuseBeyond', by: 'refuseBeyond' }],
    async () => {
      const { tokens, users, id } = await newCompany();
      const pair = unwrap(await issueKey(id, unwrap(await createProfile(id, { name: 'Sign-in', settings_json: {} })).id, {}));
      const { secret: session } = unwrap(
        await startSession({ companyId: id, userId: users.owner, name: 'Firefox on Linux', signedInBy: 'email_code' }),
      );
      const { token, secret: revoked } = unwrap(await issueToken(id, { user_id: users.owner }));
      await revokeCompanyToken(id, token.id);
      const config: Partial<Call> = { path: '/api/v1/verification/config' };
      const callsAt = (address: string): Promise<Answer>[] => [
        get(tokens.owner, address),
        get(pair.secret_key, address, config),
        get(pair.public_key, address, config),
        testApp.call({ ...withSession({ method: 'GET', path: '/api/v1/me' }, session), sourceIp: address }),
      ];
      for (const isCold of [true, false]) {
        const address = newAddress();
        if (isCold) clearProcessMemory();
        for (let i = 0; i < 61; i++) await get(newToken('token'), address);
        expect((await get(newToken('token'), address)).status).toBe(429);
        expect((await Promise.all(callsAt(address))).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect([(await get(revoked, address)).status, (await get(revoked, newAddress())).status]).toEqual([429, 401]);
      }
    },
  );

  test('gets 429 for a secret that is not valid, with Retry-After, until the minute ends; other addresses do not', async () => {
    const [address, other] = [newAddress(), newAddress()];
    for (let i = 0; i < 60; i++) await get(newToken('token'), address);
    const refused = await get(newToken('token'), address);
    expect([refused.status, codeOf(refused)]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await get(newToken('token'), other)).status).toBe(401);
    testApp.clock.advance(60_000);
    expect((await get(newToken('token'), address)).status).toBe(401);
  });

  test('is a whole /64 of IPv6', async () => {
    const of = (i: number): string => `2001:4860:1:${addresses}::${i.toString(16)}`;
    for (let i = 0; i < 60; i++) await get(newToken('token'), of(i));
    expect((await get(newToken('token'), of(999))).status).toBe(429);
  });

  test('is known to all processes: at most 60 of 200 side by side are answered 401', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 200 }, () => get(newToken('token'), address)));
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(60);
    expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });
});

test('expired and revoked tokens are refused credentials; missing scope, role and suspension are not', async () => {
  const address = newAddress();
  const revoked = await credential({ companyId: company.id, status: 'revoked' });
  for (let i = 0; i < 60; i++) expect(codeOf(await get(revoked, address))).toBe('token_revoked');
  expect((await get(newToken('token'), address)).status).toBe(429);
  const other = newAddress();
  const suspended = await credential({ companyId: company.id, companyStatus: 'suspended' });
  for (let i = 0; i < 70; i++) expect((await get(suspended, other)).status).toBe(403);
  expect((await get(company.tokens.owner, other)).status).toBe(200);
});

test('texts that cannot be a token cost no call to the table, ten times a minute', async () => {
  const address = newAddress();
  const used = await testApp.meter(async () => {
    for (let i = 0; i < 10; i++) expect((await get('swb_no', address)).status).toBe(401);
  });
  expect(used.calls).toBe(0);
});

test('a good token costs 1 WRU, and nothing is counted by address', async () => {
  const address = newAddress();
  await get(company.tokens.owner, address);
  expect(await testApp.meter(() => get(company.tokens.owner, address))).toMatchObject({ wru: 1 });
});

describe('posts to unknown receivers', () => {
  const post = (path: string, address: string): Promise<Answer> =>
    testApp.call({ method: 'POST', path, sourceIp: address, body: { object: 'whatsapp_business_account', entry: [] } });

  attack(
    'end in 429, read for half a unit and not counted; every receiver that there is goes on at the same address, and so does the API',
    [{ in: 'shared/http/caller.ts', replace: 'refuseBeyond(exchange, beyond);\n    await', by: 'await' }],
    async () => {
      const address = newAddress();
      const known = company.webhookPath;
      const before = (await post(known, address)).status;
      for (let i = 0; i < 60; i++) await post(`/webhook/messaging/receive/${newToken('webhook_token')}`, address);
      const used = await testApp.meter(async () =>
        expect((await post(`/webhook/messaging/receive/${newToken('webhook_token')}`, address)).status).toBe(429),
      );
      expect(used).toMatchObject({ wru: 0, rru: 0.5 });
      expect((await post(known, address)).status).toBe(before);
      expect((await post((await newCompany()).webhookPath, address)).status).toBe(before);
      expect((await get(company.tokens.owner, address)).status).toBe(200);
    },
  );
});
