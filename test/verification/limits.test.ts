import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setProfileStatus } from '../../functions/account/service/verification-profiles.ts';
import { updateProfileById } from '../../functions/account/store/verification-profile.ts';
import { updateVerificationProfile } from '../../functions/verification/service/admin/profiles.ts';
import { revokeAllTrust } from '../../functions/verification/service/trust.ts';
import { countLeasedAddressRequest } from '../../shared/access/address-lease.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { unwrap } from '../support/company.ts';
import { type Admin, adminOf, type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const requestCode = (caller: Caller, identifier: string, more: Record<string, unknown> = {}, ip?: string) =>
  caller.post('/request', { identifier, ...more }, ip === undefined ? {} : { ip });
/** An address of a data centre (AS16509). */
const hosted = '3.5.140.1';
const idOf = (answer: Awaited<ReturnType<Caller['post']>>): string => String(field(answer, 'request_id'));

describe('rules', () => {
  const refusedAs = async (caller: Caller, identifier: string, code: string, status: number, ip?: string) => {
    const answer = await requestCode(caller, identifier, {}, ip);
    expect([answer.status, field(answer, 'code')]).toEqual([status, code]);
    const { request_id } = field(answer, 'details') as { request_id: string };
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'blocked', is_verified: false, reason: code });
    expect((await caller.post('/verify', { request_id, code: '000000' })).body).toMatchObject({ code: 'blocked' });
    return request_id;
  };

  test('a disposable address is refused, also at a subdomain, and stores a blocked request with one event', async () => {
    const caller = await fixture.newCaller();
    const id = await refusedAs(caller, 'a@mailinator.com', 'disposable_email', 422);
    await refusedAs(caller, 'a@deep.mailinator.com', 'disposable_email', 422);
    await fixture.testApp.drain();
    const named = fixture.testApp.events.filter(({ detail }) => JSON.stringify(detail).includes(id)).map(({ name }) => name);
    expect(named).toEqual(['verification.failed']);
    expect((await requestCode(caller, 'a@example.org')).status).toBe(200);
    expect((await requestCode(await fixture.newCaller({ block_disposable: false }), 'a@mailinator.com')).status).toBe(200);
  });

  test.each([
    [{ countries: { mode: 'allow', list: ['FR'] } }, '+4915112345678', 'country_not_allowed'],
    [{ countries: { mode: 'block', list: ['de'] } }, '+4915112345678', 'country_not_allowed'],
    [{ email_domains: { block: ['example.org'] } }, 'a@mail.example.org', 'domain_not_allowed'],
    [{ email_domains: { allow: ['example.com'] } }, 'a@example.org', 'domain_not_allowed'],
    [{ ip_whitelist: ['198.51.100.0/24', '2001:db8::/32'] }, '+4915112345678', 'ip_not_allowed'],
  ])('%j refuses %s', async (settings, identifier, code) => {
    const caller = await fixture.newCaller(settings);
    await refusedAs(caller, identifier, code, 403);
  });

  test('an address on ip_whitelist is allowed, and its identifiers are not counted', async () => {
    const caller = await fixture.newCaller({ ip_whitelist: ['198.51.100.0/24'], velocity: { max_identifiers: 2 } });
    for (let i = 0; i < 4; i++) expect((await requestCode(caller, fixture.newPhone(), {}, '198.51.100.77')).status).toBe(200);
    expect((await requestCode(caller, fixture.newPhone(), {}, '198.51.101.1')).body).toMatchObject({ code: 'ip_not_allowed' });
  });

  test('a whitelist entry exempts its identifier until it expires, in its own company only', async () => {
    const settings = { countries: { mode: 'allow', list: ['FR'] } };
    const [caller, other] = [await fixture.newCaller(settings), await fixture.newCaller(settings)];
    const admin = adminOf(fixture, caller);
    const until = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
    const entry = { profile_id: caller.profileId, kind: 'identifier', value: '+49 151 2000 0001', expires_at: until };
    expect((await admin('POST', '/whitelists', entry)).status).toBe(200);
    expect((await requestCode(caller, '+4915120000001')).status).toBe(200);
    expect((await requestCode(caller, '+4915120000002')).status).toBe(403);
    expect((await requestCode(other, '+4915120000001')).status).toBe(403);
    fixture.testApp.clock.advance(61_000);
    expect((await requestCode(caller, '+4915120000001')).status).toBe(403);
  });
});

describe('the prefix breaker', () => {
  const number = (nth: number): string => `+49160555${String(nth).padStart(4, '0')}`;
  const fromMany = (caller: Caller, nth: number) => requestCode(caller, number(nth), {}, `203.0.113.${nth % 5}`);

  test('30 numbers of which fewer than three were verified slow sources that request several of them, for an hour; the company ends it', async () => {
    const caller = await fixture.newCaller();
    const admin = adminOf(fixture, caller);
    for (let i = 0; i < 29; i++) expect((await fromMany(caller, i)).status).toBe(200);
    await fixture.testApp.drain(); // counted from the change stream
    for (let i = 30; i < 32; i++) expect(await fromMany(caller, i)).toMatchObject({ status: 429, body: { code: 'fraud_blocked' } });
    expect((await requestCode(caller, '+4916066600001')).status).toBe(200);
    // a source of one number is no ring, and the server of the company is none
    expect((await requestCode(caller, number(60), {}, '203.0.113.200')).status).toBe(200);
    const served = { headers: { 'x-secret-key': caller.secretKey } };
    expect((await caller.post('/request', { identifier: number(61), ip_address: '203.0.113.1' }, served)).status).toBe(200);
    // a whitelisted identifier is exempt from the breaker
    expect((await admin('POST', '/whitelists', { profile_id: caller.profileId, kind: 'identifier', value: number(40) })).status).toBe(200);
    expect((await fromMany(caller, 40)).status).toBe(200);
    const [block] = field(await admin('GET', '/blocks'), 'data') as { id: string }[];
    expect(block).toMatchObject({ kind: 'prefix', reason: 'prefix_conversion', subject: '+49160555…', profile_id: caller.profileId });
    expect((await admin('DELETE', `/blocks/${block?.id}`)).status).toBe(200);
    expect((await fromMany(caller, 33)).status).toBe(200);
    expect(field(await admin('GET', '/blocks'), 'data')).toEqual([]);
  });

  test('verified requests prevent the block', async () => {
    const caller = await fixture.newCaller();
    for (let i = 0; i < 31; i++) {
      const answer = await fromMany(caller, i);
      expect(answer.status).toBe(200);
      if (i < 5) await caller.post('/verify', { request_id: idOf(answer), code: await fixture.codeFor(number(i)) });
    }
  });
});

test('the hourly limit of a country applies where a profile has one', async () => {
  const caller = await fixture.newCaller({ countries: { max_per_hour: 2 } });
  const french = (nth: number) => requestCode(caller, `+3361200000${nth}`);
  expect([(await french(1)).status, (await french(2)).status, (await french(3)).status]).toEqual([200, 200, 429]);
  expect((await requestCode(caller, '+4915112345678')).status).toBe(200);
});

test('an address makes at most 300 calls a minute, with any key, known or not', async () => {
  // each key makes at most 30 from one address
  const callers = await Promise.all(Array.from({ length: 9 }, () => fixture.newCaller()));
  fixture.testApp.clock.moveTo(Math.ceil(fixture.testApp.clock.now() / 60_000) * 60_000);
  let limited = 0;
  // most of them before the stack: what a call there counts is counted by the same function
  for (let i = 0; i < 240; i++) expect(await countLeasedAddressRequest('203.0.113.250', 'verification_ip')).toBeUndefined();
  for (let i = 0; i < 60; i++) {
    const headers = i < 10 ? { headers: { 'x-public-key': 'pk_live_000000000000000000000000' } } : {};
    const answer = await (callers[i % 9] as Caller).get('/config', { ip: '203.0.113.250', ...headers });
    if (answer.status === 429) limited++;
  }
  // unknown keys are counted too, and refused as unknown
  expect(limited).toBe(0);
  const good = await (callers[0] as Caller).get('/config', { ip: '203.0.113.250' });
  expect(good).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect((await (callers[0] as Caller).get('/config', { ip: '203.0.113.251' })).status).toBe(200);
});

test('the 300 calls of an address are counted by leases, never beyond the limit, however many processes call at once', async () => {
  fixture.testApp.clock.moveTo(Math.ceil(fixture.testApp.clock.now() / 60_000) * 60_000);
  const address = fixture.newAddress();
  let taken = 0;
  const used = await fixture.testApp.meter(async () => {
    for (let process = 0; process < 4; process++) {
      clearProcessMemory();
      const calls = await Promise.all(Array.from({ length: 100 }, () => countLeasedAddressRequest(address, 'verification_ip')));
      taken += calls.filter((refused) => refused === undefined).length;
    }
  });
  // what a process leased and did not use by its end is lost to the address
  expect(taken).toBeGreaterThan(200);
  expect(taken).toBeLessThanOrEqual(300);
  expect(used.calls).toBeLessThan(300);
  expect((await countLeasedAddressRequest(address, 'verification_ip'))?.problem.retryAfterSeconds).toBeGreaterThan(0);
  fixture.testApp.clock.advance(60_000);
  expect(await countLeasedAddressRequest(address, 'verification_ip')).toBeUndefined();
});

test('an address whose calls meet many processes gets 150 of its calls through at least', async () => {
  fixture.testApp.clock.moveTo(Math.ceil(fixture.testApp.clock.now() / 60_000) * 60_000);
  const address = fixture.newAddress();
  for (let process = 0; process < 150; process++) {
    clearProcessMemory();
    expect(await countLeasedAddressRequest(address, 'verification_ip')).toBeUndefined();
  }
});

describe('a profile that a process holds', () => {
  const codeLengthOf = async (caller: Caller) => field(await requestCode(caller, fixture.newPhone()), 'otp_rules') as { length: number };

  test('is the latest one with the call after an answered change, whichever field changed', async () => {
    const caller = await fixture.newCaller();
    expect(await codeLengthOf(caller)).toMatchObject({ length: 6 });
    unwrap(await updateVerificationProfile(caller.company.id, caller.profileId, { settings_json: { otp: { length: 8 } } }));
    expect(await codeLengthOf(caller)).toMatchObject({ length: 8 });
    unwrap(await setProfileStatus(caller.company.id, caller.profileId, 'inactive'));
    expect((await requestCode(caller, fixture.newPhone())).status).toBe(403);
    unwrap(await setProfileStatus(caller.company.id, caller.profileId, 'active'));
    expect(await codeLengthOf(caller)).toMatchObject({ length: 8 });
  });

  test('holds a change whose call died before it reached the keys within ten seconds', async () => {
    const caller = await fixture.newCaller();
    expect(await codeLengthOf(caller)).toMatchObject({ length: 6 });
    const settings = { otp: { length: 8 } };
    await updateProfileById(caller.company.id, caller.profileId, { set: { settings }, add: { revision: 1 } });
    fixture.testApp.clock.advance(10_000);
    expect(await codeLengthOf(caller)).toMatchObject({ length: 8 });
  });

  test('is read at each call with a key that was issued before profiles had revisions', async () => {
    const caller = await fixture.newCaller();
    await credentialEntity.change({ hash: tokenHash(caller.publicKey) }, { remove: ['subjectRevision'] });
    expect(await codeLengthOf(caller)).toMatchObject({ length: 6 });
    await updateProfileById(caller.company.id, caller.profileId, { set: { settings: { otp: { length: 8 } } } });
    expect(await codeLengthOf(caller)).toMatchObject({ length: 8 });
  });
});

describe('a server that passes no address', () => {
  test('is counted by identifier, not by the number of identifiers', async () => {
    const caller = await fixture.newCaller({ velocity: { max_identifiers: 3 } });
    const secret = { headers: { 'x-secret-key': caller.secretKey } };
    for (let i = 0; i < 6; i++) expect((await caller.post('/request', { identifier: fixture.newPhone() }, secret)).status).toBe(200);
  });

  test('sees the metadata of a request; a public key does not', async () => {
    const caller = await fixture.newCaller();
    const secret = { headers: { 'x-secret-key': caller.secretKey } };
    const body = { identifier: fixture.newPhone(), ip_address: '203.0.113.44', user_agent: 'App/1.0' };
    const id = idOf(await caller.post('/request', body, secret));
    expect((await caller.get(`/status/${id}`, secret)).body).toMatchObject({
      metadata_json: { ip: '203.0.113.44', user_agent: 'App/1.0', country: 'DE', risk: { score: 0, reasons: [] } },
    });
    expect(field(await caller.get(`/status/${id}`), 'metadata_json')).toBeUndefined();
    const fromHost = idOf(await caller.post('/request', { ...body, identifier: fixture.newPhone(), ip_address: hosted }, secret));
    expect((await caller.get(`/status/${fromHost}`, secret)).body).toMatchObject({ metadata_json: { asn: 16_509, risk: { score: 0 } } });
  });

  test('an address passed with a public key is ignored', async () => {
    const caller = await fixture.newCaller({ velocity: { max_identifiers: 3 } });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await requestCode(caller, fixture.newPhone(), { ip_address: `203.0.113.${i + 1}` }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });
});

describe('blocks', () => {
  test('too many identifiers of an address, sends or failed attempts of an identifier: each block is listed with its reason, and can be ended', async () => {
    const caller = await fixture.newCaller({ velocity: { max_identifiers: 2 }, bombing: { max_requests: 2 }, guess_budget_per_day: 3 });
    const admin = adminOf(fixture, caller);
    const [one, two] = [fixture.newPhone(), fixture.newPhone()];
    for (const phone of [one, one, one, two, fixture.newPhone()]) await requestCode(caller, phone);
    const id = idOf(await requestCode(caller, two, {}, '203.0.113.66'));
    for (let i = 0; i < 4; i++)
      await caller.post('/verify', { request_id: id, code: wrongFor(await fixture.codeFor(two)) }, { ip: '203.0.113.66' });
    const blocks = field(await admin('GET', '/blocks'), 'data') as { id: string; kind: string; reason: string; subject: string }[];
    expect(blocks.map(({ kind, reason }) => `${kind} ${reason}`).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'identifier guess_budget',
      'identifier otp_bombing',
      'ip velocity_limit',
    ]);
    expect(field(await admin('GET', '/blocks?limit=1'), 'data')).toEqual(blocks.slice(0, 1));
    for (const { subject } of blocks) expect([one, two].some((phone) => subject.includes(phone.slice(1)))).toBe(false);
    // sends block their source alone, wrong codes the identifier
    expect((await requestCode(caller, one)).body).toMatchObject({ code: 'velocity_limit' });
    expect((await requestCode(caller, one, {}, '203.0.113.66')).status).toBe(200);
    expect((await requestCode(caller, two, {}, '203.0.113.66')).body).toMatchObject({ code: 'too_many_attempts' });
    for (const block of blocks) expect((await admin('DELETE', `/blocks/${block.id}`)).status).toBe(200);
    expect((await requestCode(caller, one)).status).toBe(200);
    fixture.testApp.clock.advance(601_000);
    expect((await requestCode(caller, two)).status).toBe(200);
    expect((await adminOf(fixture, await fixture.newCaller())('DELETE', `/blocks/${blocks[0]?.id}`)).status).toBe(404);
  });
});

describe('CAPTCHA', () => {
  const captchaCalls: { url: string; form: URLSearchParams }[] = [];
  let answer: unknown = { success: true };
  const service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      captchaCalls.push({ url: request.url ?? '', form: new URLSearchParams(body) });
      response.end(JSON.stringify(answer));
    });
  });
  beforeAll(() => new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void service.close());
  beforeEach(() => {
    process.env['SITEVERIFY_URL'] = `http://127.0.0.1:${(service.address() as AddressInfo).port}/siteverify`;
    answer = { success: true };
    captchaCalls.length = 0;
  });
  afterEach(() => {
    delete process.env['SITEVERIFY_URL'];
  });
  const captcha = async (settings: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const caller = await fixture.newCaller(more);
    const changes = { settings_json: { captcha: { secret_key: 'captcha-secret', ...settings } } };
    unwrap(await updateVerificationProfile(caller.company.id, caller.profileId, changes));
    return caller;
  };

  test('mode always: required, and verified by the provider with the sealed secret, the token and the address', async () => {
    const caller = await captcha({ mode: 'always' });
    const phone = fixture.newPhone();
    const missing = await requestCode(caller, phone);
    expect(missing).toMatchObject({ status: 422, body: { code: 'captcha_required', details: { captcha_token: [expect.any(String)] } } });
    answer = { success: false };
    expect((await requestCode(caller, phone, { captcha_token: 'no' })).body).toMatchObject({ code: 'captcha_failed' });
    answer = { success: true };
    expect((await requestCode(caller, phone, { captcha_token: 'yes' }, '203.0.113.5')).status).toBe(200);
    expect(Object.fromEntries(captchaCalls.at(-1)?.form ?? [])).toEqual({
      secret: 'captcha-secret',
      response: 'yes',
      remoteip: '203.0.113.5',
    });
    const shown = JSON.stringify([await fixture.testApp.dump(), (await adminOf(fixture, caller)('GET', '/profiles')).body]);
    expect(shown.includes('captcha-secret')).toBe(false);
  });

  test('a provider that is unavailable, responds with nonsense, or gives a low score refuses the request', async () => {
    const caller = await captcha({ mode: 'always', provider: 'recaptcha' });
    answer = { success: true, score: 0.1 };
    expect((await requestCode(caller, fixture.newPhone(), { captcha_token: 'x' })).body).toMatchObject({ code: 'captcha_failed' });
    answer = { success: true, score: 0.9 };
    expect((await requestCode(caller, fixture.newPhone(), { captcha_token: 'x' })).status).toBe(200);
    answer = 'yes';
    expect((await requestCode(caller, fixture.newPhone(), { captcha_token: 'x' })).body).toMatchObject({ code: 'captcha_failed' });
    process.env['SITEVERIFY_URL'] = 'http://127.0.0.1:9/';
    expect((await requestCode(caller, fixture.newPhone(), { captcha_token: 'x' })).body).toMatchObject({ code: 'captcha_failed' });
  });

  test('modes after_x_attempts and risk_based', async () => {
    const after = await captcha({ mode: 'after_x_attempts', after_attempts: 2 });
    const phone = fixture.newPhone();
    expect([
      (await requestCode(after, phone)).status,
      (fixture.testApp.clock.advance(30_000), (await requestCode(after, phone)).status),
      (await requestCode(after, phone)).status,
    ]).toEqual([200, 200, 422]);
    const byRisk = await captcha({ mode: 'risk_based' });
    const other = fixture.newPhone();
    expect([(await requestCode(byRisk, other)).status, (await requestCode(byRisk, other)).status]).toEqual([200, 422]);
    for (let i = 0; i < 4; i++) expect((await requestCode(byRisk, fixture.newPhone())).status).toBe(200);
    // the sixth identifier of the address, then a plus address
    expect((await requestCode(byRisk, fixture.newPhone())).body).toMatchObject({ code: 'captcha_required' });
    expect((await requestCode(byRisk, 'a+1@example.org', {}, '203.0.113.99')).body).toMatchObject({ code: 'captcha_required' });
    expect((await requestCode(byRisk, 'a@example.org', {}, '203.0.113.99')).status).toBe(200);
  });

  test('mode risk_based: required for an address of a data centre, unless it is whitelisted', async () => {
    const [caller, listed] = [await captcha({ mode: 'risk_based' }), await captcha({ mode: 'risk_based' }, { ip_whitelist: [hosted] })];
    expect((await requestCode(caller, fixture.newPhone(), {}, hosted)).body).toMatchObject({ code: 'captcha_required' });
    expect((await requestCode(caller, fixture.newPhone(), {}, '84.56.1.1')).status).toBe(200);
    expect((await requestCode(listed, fixture.newPhone(), {}, hosted)).status).toBe(200);
    await adminOf(fixture, caller)('POST', '/whitelists', { profile_id: caller.profileId, kind: 'ip', value: hosted });
    expect((await requestCode(caller, fixture.newPhone(), {}, hosted)).status).toBe(200);
  });
});

describe('trust', () => {
  const trusted = async (caller: Caller, identifier: string) => {
    const id = idOf(await requestCode(caller, identifier));
    return String(field(await caller.post('/verify', { request_id: id, code: await fixture.codeFor(identifier) }), 'trust_key'));
  };
  const isCached = async (caller: Caller, identifier: string, trust_key: string) =>
    field(await requestCode(caller, identifier, { trust_key }), 'cached') === true;

  test('revokeTrust invalidates the trust keys of one identifier or of the whole profile; a new verification is trusted again', async () => {
    const caller = await fixture.newCaller();
    const admin: Admin = adminOf(fixture, caller);
    const revoke = (body: Record<string, unknown>) => admin('POST', `/profiles/${caller.profileId}/revoke-trust`, body);
    const [one, two] = [fixture.newPhone(), fixture.newPhone()];
    const keys = [await trusted(caller, one), await trusted(caller, two)];
    expect((await revoke({ identifier: one })).status).toBe(200);
    expect([await isCached(caller, one, keys[0] ?? ''), await isCached(caller, two, keys[1] ?? '')]).toEqual([false, true]);
    expect((await revoke({})).status).toBe(200);
    expect(await isCached(caller, two, keys[1] ?? '')).toBe(false);
    fixture.testApp.clock.advance(1_000);
    expect(await isCached(caller, two, await trusted(caller, two))).toBe(true);
    expect((await adminOf(fixture, await fixture.newCaller())('POST', `/profiles/${caller.profileId}/revoke-trust`, {})).status).toBe(404);
  });

  test('erasing a contact revokes trust at every profile', async () => {
    const caller = await fixture.newCaller();
    const [phone, email] = [fixture.newPhone(), 'erased@example.org'];
    const keys = [await trusted(caller, phone), await trusted(caller, email)] as const;
    await revokeAllTrust(caller.company.id, [phone.slice(1), email, undefined, 'nobody']);
    expect([await isCached(caller, phone, keys[0]), await isCached(caller, email, keys[1])]).toEqual([false, false]);
  });

  test('a label is trusted for the device that was verified, and for no other', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = idOf(await requestCode(caller, phone, { trust_key: 'device-1-of-this-user' }));
    await caller.post('/verify', { request_id: id, code: await fixture.codeFor(phone) });
    expect([await isCached(caller, phone, 'device-1-of-this-user'), await isCached(caller, phone, 'device-2-of-this-user')]).toEqual([
      true,
      false,
    ]);
  });
});

test('test identifiers use a fixed code, without sends and limits; the public one needs a test key', async () => {
  const caller = await fixture.newCaller({ test_identifiers: { '+15550002222': '424242' } });
  for (let i = 0; i < 7; i++) {
    const id = idOf(await requestCode(caller, '+15550002222'));
    expect((await caller.post('/verify', { request_id: id, code: '424242' })).body).toMatchObject({ verified: true });
  }
  await fixture.testApp.drain();
  expect(fixture.provider.requests.filter(({ body }) => body['to'] === '+15550002222')).toHaveLength(0);
  const key = field(await adminOf(fixture, caller)('POST', `/profiles/${caller.profileId}/keys`, { mode: 'test' }), 'data') as {
    public_key: string;
  };
  const withTest = { headers: { 'x-public-key': key.public_key } };
  const id = idOf(await caller.post('/request', { identifier: '+15550001111' }, withTest));
  expect((await caller.post('/verify', { request_id: id, code: '123456' }, withTest)).body).toMatchObject({ verified: true });
});
