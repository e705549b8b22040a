import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { updateVerificationProfile } from '../../functions/verification/service/admin/profiles.ts';
import { revokeAllTrust } from '../../functions/verification/service/trust.ts';
import { unwrap } from '../support/company.ts';
import { type Admin, adminOf, type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';

let stage: Fixture;
beforeAll(async () => {
  stage = await startFixture();
});
afterAll(() => stage[Symbol.asyncDispose]());

const ask = (caller: Caller, identifier: string, more: Record<string, unknown> = {}, ip?: string) =>
  caller.post('/request', { identifier, ...more }, ip === undefined ? {} : { ip });
/** Amazon's. */
const hosted = '3.5.140.1';
const idOf = (answer: Awaited<ReturnType<Caller['post']>>): string => String(field(answer, 'request_id'));

describe('rules', () => {
  const refusedAs = async (caller: Caller, identifier: string, code: string, status: number, ip?: string) => {
    const answer = await ask(caller, identifier, {}, ip);
    expect([answer.status, field(answer, 'code')]).toEqual([status, code]);
    const { request_id } = field(answer, 'details') as { request_id: string };
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'blocked', is_verified: false, reason: code });
    expect((await caller.post('/verify', { request_id, code: '000000' })).body).toMatchObject({ code: 'blocked' });
    return request_id;
  };

  test('a throw-away address is refused, also below a listed domain, and leaves a blocked record with its one event', async () => {
    const caller = await stage.newCaller();
    const id = await refusedAs(caller, 'a@mailinator.com', 'disposable_email', 422);
    await refusedAs(caller, 'a@deep.mailinator.com', 'disposable_email', 422);
    await stage.world.drain();
    const named = stage.world.events.filter(({ detail }) => JSON.stringify(detail).includes(id)).map(({ name }) => name);
    expect(named).toEqual(['verification.failed']);
    expect((await ask(caller, 'a@example.org')).status).toBe(200);
    expect((await ask(await stage.newCaller({ block_disposable: false }), 'a@mailinator.com')).status).toBe(200);
  });

  test.each([
    [{ countries: { mode: 'allow', list: ['FR'] } }, '+4915112345678', 'country_not_allowed'],
    [{ countries: { mode: 'block', list: ['de'] } }, '+4915112345678', 'country_not_allowed'],
    [{ email_domains: { block: ['example.org'] } }, 'a@mail.example.org', 'domain_not_allowed'],
    [{ email_domains: { allow: ['example.com'] } }, 'a@example.org', 'domain_not_allowed'],
    [{ ip_whitelist: ['198.51.100.0/24', '2001:db8::/32'] }, '+4915112345678', 'ip_not_allowed'],
  ])('%j refuses %s', async (settings, identifier, code) => {
    const caller = await stage.newCaller(settings);
    await refusedAs(caller, identifier, code, 403);
  });

  test('networks: an address of the list may ask, and for more people than others', async () => {
    const caller = await stage.newCaller({ ip_whitelist: ['198.51.100.0/24'], velocity: { max_identifiers: 2 } });
    for (let i = 0; i < 4; i++) expect((await ask(caller, stage.newPhone(), {}, '198.51.100.77')).status).toBe(200);
    expect((await ask(caller, stage.newPhone(), {}, '198.51.101.1')).body).toMatchObject({ code: 'ip_not_allowed' });
  });

  test('an entry of the whitelist lets its own through, until its time, and in its own company alone', async () => {
    const settings = { countries: { mode: 'allow', list: ['FR'] } };
    const [caller, other] = [await stage.newCaller(settings), await stage.newCaller(settings)];
    const admin = adminOf(stage, caller);
    const until = new Date(stage.world.clock.now() + 60_000).toISOString();
    const entry = { profile_id: caller.profileId, kind: 'identifier', value: '+49 151 2000 0001', expires_at: until };
    expect((await admin('POST', '/whitelists', entry)).status).toBe(200);
    expect((await ask(caller, '+4915120000001')).status).toBe(200);
    expect((await ask(caller, '+4915120000002')).status).toBe(403);
    expect((await ask(other, '+4915120000001')).status).toBe(403);
    stage.world.clock.advance(61_000);
    expect((await ask(caller, '+4915120000001')).status).toBe(403);
  });
});

describe('the breaker of a prefix', () => {
  const number = (nth: number): string => `+49160555${String(nth).padStart(4, '0')}`;
  const fromMany = (caller: Caller, nth: number) => ask(caller, number(nth), {}, `203.0.113.${nth % 200}`);

  test('thirty asked for and fewer than three proven shut it for an hour, with its reason; another prefix goes on; the company opens it', async () => {
    const caller = await stage.newCaller();
    const admin = adminOf(stage, caller);
    for (let i = 0; i < 29; i++) expect((await fromMany(caller, i)).status).toBe(200);
    for (let i = 30; i < 32; i++) expect(await fromMany(caller, i)).toMatchObject({ status: 429, body: { code: 'fraud_blocked' } });
    expect((await ask(caller, '+4916066600001')).status).toBe(200);
    // what the profile lets through, no breaker stops
    expect((await admin('POST', '/whitelists', { profile_id: caller.profileId, kind: 'identifier', value: number(40) })).status).toBe(200);
    expect((await fromMany(caller, 40)).status).toBe(200);
    const [block] = field(await admin('GET', '/blocks'), 'data') as { id: string }[];
    expect(block).toMatchObject({ kind: 'prefix', reason: 'prefix_conversion', subject: '+49160555…', profile_id: caller.profileId });
    expect((await admin('DELETE', `/blocks/${block?.id}`)).status).toBe(200);
    expect((await fromMany(caller, 33)).status).toBe(200);
    expect(field(await admin('GET', '/blocks'), 'data')).toEqual([]);
  });

  test('proofs keep it open', async () => {
    const caller = await stage.newCaller();
    for (let i = 0; i < 31; i++) {
      const answer = await fromMany(caller, i);
      expect(answer.status).toBe(200);
      if (i < 5) await caller.post('/verify', { request_id: idOf(answer), code: await stage.codeFor(number(i)) });
    }
  });
});

test("a country's cap an hour, where a profile has one", async () => {
  const caller = await stage.newCaller({ countries: { max_per_hour: 2 } });
  const french = (nth: number) => ask(caller, `+3361200000${nth}`);
  expect([(await french(1)).status, (await french(2)).status, (await french(3)).status]).toEqual([200, 200, 429]);
  expect((await ask(caller, '+4915112345678')).status).toBe(200);
});

test('an address makes 300 calls a minute at most, whatever key it uses', async () => {
  const callers = [await stage.newCaller(), await stage.newCaller()];
  stage.world.clock.moveTo(Math.ceil(stage.world.clock.now() / 60_000) * 60_000);
  const ids = Array.from({ length: 11 }, () => crypto.randomUUID());
  let limited = 0;
  for (let i = 0; i < 301; i++) {
    const answer = await (callers[i % 2] as Caller).get(`/status/${ids[i % 11]}`, {
      ip: '203.0.113.250',
      headers: { 'x-public-key': 'pk_live_000000000000000000000000' },
    });
    if (answer.status === 429) limited++;
  }
  // keys that nobody knows are counted too, and refused as such
  expect(limited).toBe(0);
  const good = await (callers[0] as Caller).get('/config', { ip: '203.0.113.250' });
  expect(good).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect((await (callers[0] as Caller).get('/config', { ip: '203.0.113.251' })).status).toBe(200);
});

describe('a server of the company that names no address', () => {
  test('is counted by person, and not for the number of people it asks for', async () => {
    const caller = await stage.newCaller({ velocity: { max_identifiers: 3 } });
    const secret = { headers: { 'x-secret-key': caller.secretKey } };
    for (let i = 0; i < 6; i++) expect((await caller.post('/request', { identifier: stage.newPhone() }, secret)).status).toBe(200);
  });

  test('sees what is known of who asked; a public key does not', async () => {
    const caller = await stage.newCaller();
    const secret = { headers: { 'x-secret-key': caller.secretKey } };
    const body = { identifier: stage.newPhone(), ip_address: '203.0.113.44', user_agent: 'App/1.0' };
    const id = idOf(await caller.post('/request', body, secret));
    expect((await caller.get(`/status/${id}`, secret)).body).toMatchObject({
      metadata_json: { ip: '203.0.113.44', user_agent: 'App/1.0', country: 'DE', risk: { score: 0, reasons: [] } },
    });
    expect(field(await caller.get(`/status/${id}`), 'metadata_json')).toBeUndefined();
    const fromHost = idOf(await caller.post('/request', { ...body, identifier: stage.newPhone(), ip_address: hosted }, secret));
    expect((await caller.get(`/status/${fromHost}`, secret)).body).toMatchObject({ metadata_json: { asn: 16_509, risk: { score: 0 } } });
  });

  test('a public key is not believed about the address', async () => {
    const caller = await stage.newCaller({ velocity: { max_identifiers: 3 } });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await ask(caller, stage.newPhone(), { ip_address: `203.0.113.${i + 1}` }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });
});

describe('blocks', () => {
  test('an address that asked for too many, a person with too many messages or guesses: listed with reason, and ended', async () => {
    const caller = await stage.newCaller({ velocity: { max_identifiers: 2 }, bombing: { max_requests: 2 }, guess_budget_per_day: 3 });
    const admin = adminOf(stage, caller);
    const [one, two] = [stage.newPhone(), stage.newPhone()];
    for (const phone of [one, one, one, two, stage.newPhone()]) await ask(caller, phone);
    const id = idOf(await ask(caller, two, {}, '203.0.113.66'));
    for (let i = 0; i < 4; i++) await caller.post('/verify', { request_id: id, code: wrongFor(await stage.codeFor(two)) });
    const blocks = field(await admin('GET', '/blocks'), 'data') as { id: string; kind: string; reason: string; subject: string }[];
    expect(blocks.map(({ kind, reason }) => `${kind} ${reason}`).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'identifier guess_budget',
      'identifier otp_bombing',
      'ip velocity_limit',
    ]);
    for (const { subject } of blocks) expect([one, two].some((phone) => subject.includes(phone.slice(1)))).toBe(false);
    expect((await ask(caller, one, {}, '203.0.113.66')).body).toMatchObject({ code: 'otp_bombing' });
    expect((await ask(caller, two, {}, '203.0.113.66')).body).toMatchObject({ code: 'too_many_attempts' });
    for (const block of blocks) expect((await admin('DELETE', `/blocks/${block.id}`)).status).toBe(200);
    expect((await ask(caller, one)).status).toBe(200);
    stage.world.clock.advance(601_000);
    expect((await ask(caller, two)).status).toBe(200);
    expect((await adminOf(stage, await stage.newCaller())('DELETE', `/blocks/${blocks[0]?.id}`)).status).toBe(404);
  });
});

describe('CAPTCHA', () => {
  const asked: { url: string; form: URLSearchParams }[] = [];
  let answer: unknown = { success: true };
  const service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push({ url: request.url ?? '', form: new URLSearchParams(body) });
      response.end(JSON.stringify(answer));
    });
  });
  beforeAll(() => new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void service.close());
  beforeEach(() => {
    process.env['SITEVERIFY_URL'] = `http://127.0.0.1:${(service.address() as AddressInfo).port}/siteverify`;
    answer = { success: true };
    asked.length = 0;
  });
  afterEach(() => {
    delete process.env['SITEVERIFY_URL'];
  });
  const captcha = async (settings: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const caller = await stage.newCaller(more);
    const changes = { settings_json: { captcha: { secret_key: 'captcha-secret', ...settings } } };
    unwrap(await updateVerificationProfile(caller.company.id, caller.profileId, changes));
    return caller;
  };

  test('always: required, judged by the service with the sealed secret, the answer and the address', async () => {
    const caller = await captcha({ mode: 'always' });
    const phone = stage.newPhone();
    const missing = await ask(caller, phone);
    expect(missing).toMatchObject({ status: 422, body: { code: 'captcha_required', details: { captcha_token: [expect.any(String)] } } });
    answer = { success: false };
    expect((await ask(caller, phone, { captcha_token: 'no' })).body).toMatchObject({ code: 'captcha_failed' });
    answer = { success: true };
    expect((await ask(caller, phone, { captcha_token: 'yes' }, '203.0.113.5')).status).toBe(200);
    expect(Object.fromEntries(asked.at(-1)?.form ?? [])).toEqual({ secret: 'captcha-secret', response: 'yes', remoteip: '203.0.113.5' });
    const shown = JSON.stringify([await stage.world.dump(), (await adminOf(stage, caller)('GET', '/profiles')).body]);
    expect(shown.includes('captcha-secret')).toBe(false);
  });

  test('a service that is down, answers nonsense, or scores a machine is a no', async () => {
    const caller = await captcha({ mode: 'always', provider: 'recaptcha' });
    answer = { success: true, score: 0.1 };
    expect((await ask(caller, stage.newPhone(), { captcha_token: 'x' })).body).toMatchObject({ code: 'captcha_failed' });
    answer = { success: true, score: 0.9 };
    expect((await ask(caller, stage.newPhone(), { captcha_token: 'x' })).status).toBe(200);
    answer = 'yes';
    expect((await ask(caller, stage.newPhone(), { captcha_token: 'x' })).body).toMatchObject({ code: 'captcha_failed' });
    process.env['SITEVERIFY_URL'] = 'http://127.0.0.1:9/';
    expect((await ask(caller, stage.newPhone(), { captcha_token: 'x' })).body).toMatchObject({ code: 'captcha_failed' });
  });

  test('after x attempts, and by risk', async () => {
    const after = await captcha({ mode: 'after_x_attempts', after_attempts: 2 });
    const phone = stage.newPhone();
    expect([(await ask(after, phone)).status, (await ask(after, phone)).status, (await ask(after, phone)).status]).toEqual([200, 200, 422]);
    const byRisk = await captcha({ mode: 'risk_based' });
    const other = stage.newPhone();
    expect([(await ask(byRisk, other)).status, (await ask(byRisk, other)).status]).toEqual([200, 422]);
    for (let i = 0; i < 4; i++) expect((await ask(byRisk, stage.newPhone())).status).toBe(200);
    // the sixth identifier of the address, a mailbox without end
    expect((await ask(byRisk, stage.newPhone())).body).toMatchObject({ code: 'captcha_required' });
    expect((await ask(byRisk, 'a+1@example.org', {}, '203.0.113.99')).body).toMatchObject({ code: 'captcha_required' });
    expect((await ask(byRisk, 'a@example.org', {}, '203.0.113.99')).status).toBe(200);
  });

  test('by risk, of an address in a data centre, unless the profile lets it through', async () => {
    const [caller, listed] = [await captcha({ mode: 'risk_based' }), await captcha({ mode: 'risk_based' }, { ip_whitelist: [hosted] })];
    expect((await ask(caller, stage.newPhone(), {}, hosted)).body).toMatchObject({ code: 'captcha_required' });
    expect((await ask(caller, stage.newPhone(), {}, '84.56.1.1')).status).toBe(200);
    expect((await ask(listed, stage.newPhone(), {}, hosted)).status).toBe(200);
    await adminOf(stage, caller)('POST', '/whitelists', { profile_id: caller.profileId, kind: 'ip', value: hosted });
    expect((await ask(caller, stage.newPhone(), {}, hosted)).status).toBe(200);
  });
});

describe('trust', () => {
  const trusted = async (caller: Caller, identifier: string) => {
    const id = idOf(await ask(caller, identifier));
    return String(field(await caller.post('/verify', { request_id: id, code: await stage.codeFor(identifier) }), 'trust_key'));
  };
  const isCached = async (caller: Caller, identifier: string, trust_key: string) =>
    field(await ask(caller, identifier, { trust_key }), 'cached') === true;

  test('is taken back of one identifier, or of the whole profile, and a new proof is trusted again', async () => {
    const caller = await stage.newCaller();
    const admin: Admin = adminOf(stage, caller);
    const revoke = (body: Record<string, unknown>) => admin('POST', `/profiles/${caller.profileId}/revoke-trust`, body);
    const [one, two] = [stage.newPhone(), stage.newPhone()];
    const keys = [await trusted(caller, one), await trusted(caller, two)];
    expect((await revoke({ identifier: one })).status).toBe(200);
    expect([await isCached(caller, one, keys[0] ?? ''), await isCached(caller, two, keys[1] ?? '')]).toEqual([false, true]);
    expect((await revoke({})).status).toBe(200);
    expect(await isCached(caller, two, keys[1] ?? '')).toBe(false);
    stage.world.clock.advance(1_000);
    expect(await isCached(caller, two, await trusted(caller, two))).toBe(true);
    expect((await adminOf(stage, await stage.newCaller())('POST', `/profiles/${caller.profileId}/revoke-trust`, {})).status).toBe(404);
  });

  test('is taken back at every profile, of a person who is erased', async () => {
    const caller = await stage.newCaller();
    const [phone, email] = [stage.newPhone(), 'erased@example.org'];
    const keys = [await trusted(caller, phone), await trusted(caller, email)] as const;
    await revokeAllTrust(caller.company.id, [phone.slice(1), email, undefined, 'nobody']);
    expect([await isCached(caller, phone, keys[0]), await isCached(caller, email, keys[1])]).toEqual([false, false]);
  });

  test('of a label: the device that was verified, and no other', async () => {
    const caller = await stage.newCaller();
    const phone = stage.newPhone();
    const id = idOf(await ask(caller, phone, { trust_key: 'device-1' }));
    await caller.post('/verify', { request_id: id, code: await stage.codeFor(phone) });
    expect([await isCached(caller, phone, 'device-1'), await isCached(caller, phone, 'device-2')]).toEqual([true, false]);
  });
});

test('test identifiers: the fixed code, nothing sent, nothing counted; the known one with a test key alone', async () => {
  const caller = await stage.newCaller({ test_identifiers: { '+15550002222': '424242' } });
  for (let i = 0; i < 7; i++) {
    const id = idOf(await ask(caller, '+15550002222'));
    expect((await caller.post('/verify', { request_id: id, code: '424242' })).body).toMatchObject({ verified: true });
  }
  await stage.world.drain();
  expect(stage.provider.requests.filter(({ body }) => body['to'] === '+15550002222')).toHaveLength(0);
  const key = field(await adminOf(stage, caller)('POST', `/profiles/${caller.profileId}/keys`, { mode: 'test' }), 'data') as {
    public_key: string;
  };
  const withTest = { headers: { 'x-public-key': key.public_key } };
  const id = idOf(await caller.post('/request', { identifier: '+15550001111' }, withTest));
  expect((await caller.post('/verify', { request_id: id, code: '123456' }, withTest)).body).toMatchObject({ verified: true });
});
