import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { switchboard } from '../../client/client.ts';
import { deactivateKey, listKeys } from '../../functions/account/service/verification-profiles.ts';
import { claimContactBlock } from '../../functions/contacts/service/blocks.ts';
import { ensureContact } from '../../functions/contacts/service/contacts.ts';
import { unwrap } from '../support/company.ts';
import { type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const requestId = async (caller: Caller, identifier: string, more: Record<string, unknown> = {}): Promise<string> => {
  const answer = await caller.post('/request', { identifier, ...more });
  expect([answer.status, answer.raw]).toEqual([200, expect.any(String)]);
  return String(field(answer, 'request_id'));
};

describe('a code', () => {
  test.each([['whatsapp'], ['email']])(
    'requestVerification by %s: the code is sent once and verifies once, and its trust key replaces the next code',
    async (channel) => {
      const caller = await fixture.newCaller();
      const identifier = channel === 'email' ? 'Ada.Lovelace@Example.org' : fixture.newPhone();
      const address = identifier.toLowerCase();
      const request_id = await requestId(caller, identifier, { purpose: 'login' });
      const code = await fixture.codeFor(address);
      expect(await caller.get(`/status/${request_id}`)).toMatchObject({ status: 200, body: { status: 'pending', is_verified: false } });
      const right = await caller.post('/verify', { request_id, code: ` ${code} ` });
      expect(right).toMatchObject({ status: 200, body: { verified: true, request_id, identifier: address, channel } });
      const trust_key = String(field(right, 'trust_key'));
      expect(trust_key).toMatch(/^tk_[A-Za-z0-9_-]{43}$/);
      expect((await caller.post('/verify', { request_id, code })).body).toEqual(right.body);
      expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'verified', is_verified: true, trust_key });
      const again = await caller.post('/request', { identifier, purpose: 'login', trust_key });
      expect(again.body).toEqual({ success: true, cached: true, verified: true, trust_key });
      expect(field(await caller.post('/request', { identifier, purpose: 'other', trust_key }), 'cached')).toBe(false);
      fixture.testApp.clock.advance(61_000);
      expect((await caller.post('/verify', { request_id, code })).body).toMatchObject({ code: 'already_verified' });
    },
  );

  test.each([
    ['was accepted without a response is sent once', ['lost'], 1],
    ['was throttled is retried until it is sent', ['throttled', 'throttled'], 1],
  ] as const)('an email that %s', async (_, fates, mails) => {
    const caller = await fixture.newCaller();
    const identifier = `in.doubt.${fates[0]}@example.org`;
    const left = [...fates];
    fixture.testApp.mailing((mail) => (JSON.stringify(mail).includes(identifier) ? (left.shift() ?? 'taken') : 'taken'));
    try {
      const request_id = await requestId(caller, identifier);
      const code = await fixture.codeFor(identifier);
      await fixture.testApp.passTime(300);
      expect(fixture.testApp.emails.filter((mail) => JSON.stringify(mail).includes(identifier))).toHaveLength(mails);
      expect(left).toEqual([]);
      expect(await caller.post('/verify', { request_id, code })).toMatchObject({ status: 200, body: { verified: true } });
    } finally {
      fixture.testApp.mailing(undefined);
    }
  });

  test('a trust key stays valid after the identifier requested a new code', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = await requestId(caller, identifier);
    const { trust_key } = (await caller.post('/verify', { request_id, code: await fixture.codeFor(identifier) })).body as {
      trust_key: string;
    };
    const second = await requestId(caller, identifier);
    expect(second).not.toBe(request_id);
    expect((await caller.post('/request', { identifier, trust_key })).body).toMatchObject({ cached: true, trust_key });
    fixture.testApp.clock.advance(31 * 86_400_000);
    expect(field(await caller.post('/request', { identifier, trust_key }), 'cached')).toBe(false);
  });

  test('a second request while the first is pending reuses its id and code, sends it again, and gives no attempts back', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    expect((await caller.post('/verify', { request_id, code: wrongFor(code) })).body).toEqual({
      verified: false,
      request_id,
      attempts_remaining: 4,
    });
    fixture.testApp.clock.advance(30_000);
    const again = await caller.post('/request', { identifier });
    expect(again.body).toMatchObject({ request_id, reused: true, status: 'pending' });
    expect(await fixture.codeFor(identifier)).toBe(code);
    expect(fixture.provider.requests.filter(({ body }) => body['to'] === identifier)).toHaveLength(2);
    expect(field(await caller.post('/verify', { request_id, code: wrongFor(code) }), 'attempts_remaining')).toBe(3);
    // the third attempt is correct: its event contains the number of attempts
    expect(field(await caller.post('/verify', { request_id, code }), 'verified')).toBe(true);
    await fixture.testApp.drain();
    expect(fixture.testApp.events.findLast(({ name }) => name === 'verification.successful')?.detail['data']).toMatchObject({
      request_id,
      attempts: 3,
    });
  });

  test('verifyCode refuses an expired code, and a new request has a new id', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    fixture.testApp.clock.advance(600_000);
    expect(await caller.post('/verify', { request_id, code })).toMatchObject({ status: 400, body: { code: 'expired' } });
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'expired', is_verified: false });
    expect(await requestId(caller, identifier)).not.toBe(request_id);
  });

  test('a message that the provider refuses fails the request', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    fixture.provider.answering(() => ({ status: 400, body: { error: { code: 131026, message: 'undeliverable' } } }));
    const request_id = await requestId(caller, identifier);
    await fixture.testApp.drain();
    fixture.provider.answering(undefined);
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'failed', reason: 'delivery_failed' });
    expect(fixture.testApp.events.filter(({ detail }) => JSON.stringify(detail).includes(request_id)).map((each) => each.name)).toEqual([
      'verification.requested',
      'verification.failed',
    ]);
  });

  test('a contact that the company blocked gets no code, and the request fails', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const contact = unwrap(await ensureContact(caller.company.id, { phone: identifier.replace('+', ''), source: 'api' })).contact;
    expect((await claimContactBlock(caller.company.id, contact.id, 'blocked')).outcome).toBe('claimed');
    const request_id = await requestId(caller, identifier);
    await fixture.testApp.drain();
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'failed', reason: 'delivery_failed' });
    expect(JSON.stringify(fixture.provider.requests)).not.toContain(identifier.replace('+', ''));
  });

  test('resendCode respects the cooldown and sends the same code', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const began = fixture.testApp.clock.now();
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    const early = await caller.post('/resend', { request_id });
    // what is left of it: 30, or less by what a busy machine took until here
    const passed = Math.ceil((fixture.testApp.clock.now() - began) / 1_000);
    const left = expect.toSatisfy((seconds: number) => seconds >= 30 - passed && seconds <= 30);
    expect(early).toMatchObject({ status: 429, body: { code: 'resend_cooldown', retry_after: left } });
    fixture.testApp.clock.advance(30_000);
    expect((await caller.post('/resend', { request_id })).body).toMatchObject({ success: true, resend_in_seconds: 60, sends_remaining: 3 });
    expect(await fixture.codeFor(identifier)).toBe(code);
  });
});

describe('limits', () => {
  test('verifyCode: of 28 parallel wrong codes five are compared, and the correct code is refused after them', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    const answers = await Promise.all(Array.from({ length: 28 }, () => caller.post('/verify', { request_id, code: wrongFor(code) })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await caller.post('/verify', { request_id, code })).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'failed', reason: 'attempts_exhausted' });
    expect((await caller.post('/request', { identifier })).body).toMatchObject({ code: 'too_many_attempts' });
  });

  test('parallel requests for one identifier share one request, and each is counted', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.post('/request', { identifier })));
    const good = answers.filter(({ status }) => status === 200);
    expect(new Set(good.map((answer) => field(answer, 'request_id'))).size).toBe(1);
    expect(good.filter((answer) => field(answer, 'reused') === false)).toHaveLength(1);
    await fixture.testApp.drain();
    const sent = fixture.provider.requests.filter(({ body }) => body['to'] === identifier);
    // of sends requested at the same time, a later one replaces the earlier ones
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThanOrEqual(good.length);
    expect(new Set(sent.map(({ body }) => /"text":"(\d{6})"/.exec(JSON.stringify(body))?.[1])).size).toBe(1);
  });

  test('parallel correct codes return one trust key', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    const answers = await Promise.all(Array.from({ length: 28 }, () => caller.post('/verify', { request_id, code })));
    const keys = answers.filter(({ status }) => status === 200).map((answer) => field(answer, 'trust_key'));
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(1);
  });

  test('failed attempts of an identifier end at 15 in 24 hours, over any number of requests', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    let compared = 0;
    for (let round = 0; round < 5; round++) {
      const answer = await caller.post('/request', { identifier });
      if (answer.status !== 200) {
        expect(answer.body).toMatchObject({ code: 'too_many_attempts' });
        break;
      }
      const request_id = field(answer, 'request_id');
      const wrong = wrongFor(await fixture.codeFor(identifier));
      for (let i = 0; i < 5; i++) if ((await caller.post('/verify', { request_id, code: wrong })).status === 200) compared++;
      fixture.testApp.clock.advance(11 * 60_000);
    }
    expect(compared).toBe(15);
  });

  test('the sixth send in ten minutes is refused and blocks for an hour, the next time for four hours', async () => {
    const caller = await fixture.newCaller({ otp: { max_sends: 20 } });
    const identifier = fixture.newPhone();
    for (let i = 0; i < 5; i++) await requestId(caller, identifier);
    const refused = await caller.post('/request', { identifier });
    expect(refused).toMatchObject({ status: 429, body: { code: 'otp_bombing', retry_after: 3_600 } });
    expect(refused.headers['retry-after']).toBe('3600');
    fixture.testApp.clock.advance(3_601_000);
    for (let i = 0; i < 5; i++) await requestId(caller, identifier);
    expect((await caller.post('/request', { identifier })).body).toMatchObject({ code: 'otp_bombing', retry_after: 14_400 });
  });

  test('the 21st identifier from one address is refused; another address is not', async () => {
    const caller = await fixture.newCaller();
    for (let i = 0; i < 20; i++) await requestId(caller, fixture.newPhone());
    const identifier = fixture.newPhone();
    expect((await caller.post('/request', { identifier })).body).toMatchObject({ code: 'velocity_limit' });
    expect((await caller.post('/request', { identifier }, { ip: '198.51.100.9' })).status).toBe(200);
  });

  test('the 31st call of a minute is 429 with the rate limit headers', async () => {
    const caller = await fixture.newCaller();
    const request_id = await requestId(caller, fixture.newPhone());
    // all calls in one minute of the clock
    fixture.testApp.clock.moveTo(Math.ceil(fixture.testApp.clock.now() / 60_000) * 60_000);
    const first = await caller.get(`/status/${request_id}`);
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '29' });
    for (let i = 0; i < 29; i++) await caller.get(`/status/${request_id}`);
    expect(await caller.get(`/status/${request_id}`)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });
});

describe('credentials', () => {
  test('a missing, unknown or inactive key is 401', async () => {
    const caller = await fixture.newCaller();
    expect((await caller.get('/config', { headers: {} })).body).toMatchObject({ code: 'public_key_missing' });
    expect((await caller.get('/config', { headers: { 'x-public-key': 'pk_live_no' } })).body).toMatchObject({ code: 'public_key_invalid' });
    const [key] = unwrap(await listKeys(caller.company.id));
    await deactivateKey(caller.company.id, key?.id ?? '');
    expect(await caller.get('/config')).toMatchObject({ status: 401, body: { code: 'public_key_invalid' } });
  });

  test('the key in the query, the secret key and a bearer token are accepted', async () => {
    const caller = await fixture.newCaller();
    const bearer = { authorization: `Bearer ${caller.company.tokens.owner}` };
    for (const headers of [{ 'x-secret-key': caller.secretKey }, bearer])
      expect(await caller.get('/config', { headers })).toMatchObject({ status: 200, body: { profile_id: caller.profileId } });
    expect((await caller.get(`/config?public_key=${caller.publicKey}`, { headers: {} })).status).toBe(200);
  });

  test('a signature over every accepted form of the path is valid; a wrong or late one is refused', async () => {
    const caller = await fixture.newCaller();
    const body = JSON.stringify({ request_id: '2f5f9d1e-5a3c-4d58-9c7a-0d8f1f8f2c11' });
    const timestamp = String(Math.floor(fixture.testApp.clock.now() / 1_000));
    const post = (path: string, more: Record<string, string> = {}) => {
      const signature = createHmac('sha256', caller.secretKey).update(`${timestamp}.POST.${path}.${body}`).digest('base64');
      return caller.post('/resend', body, {
        headers: {
          'x-public-key': caller.publicKey,
          'content-type': 'application/json',
          'x-timestamp': timestamp,
          'x-signature': signature,
          ...more,
        },
      });
    };
    const forms = ['/api/v1/verification/resend', '/v1/verification/resend', '/resend'];
    for (const form of forms.flatMap((each) => [each, each.slice(1)])) expect((await post(form)).body).toMatchObject({ code: 'not_found' });
    expect(await post('/api/v1/verification/verify')).toMatchObject({
      status: 401,
      body: { code: 'invalid_signature', remedy: expect.stringContaining('.<raw body>') },
    });
    expect((await post('/resend', { 'x-timestamp': '' })).body).toMatchObject({ code: 'signature_timestamp_required' });
    expect((await post('/resend', { 'x-timestamp': '1' })).body).toMatchObject({ code: 'timestamp_out_of_range' });
  });

  test('the reference describes the signature that is valid', async () => {
    const document = z
      .object({ components: z.object({ securitySchemes: z.object({ signature: z.object({ description: z.string() }) }) }) })
      .parse(JSON.parse(readFileSync('openapi.json', 'utf8')));
    const described = /^Base64 of the HMAC-SHA256 of `(.+)` under the secret key/.exec(
      document.components.securitySchemes.signature.description,
    );
    const caller = await fixture.newCaller();
    const timestamp = String(Math.floor(fixture.testApp.clock.now() / 1_000));
    const parts = { 'X-Timestamp': timestamp, METHOD: 'GET', path: '/api/v1/verification/config', 'raw body': '' };
    const signed = Object.entries(parts).reduce((text, [name, value]) => text.replace(`<${name}>`, value), described?.[1] ?? '');
    const signature = createHmac('sha256', caller.secretKey).update(signed).digest('base64');
    const headers = { 'x-public-key': caller.publicKey, 'x-timestamp': timestamp, 'x-signature': signature };
    expect((await caller.get('/config', { headers })).status).toBe(200);
  });

  test('a refusal names its reasons by field, to the typed client too', async () => {
    const caller = await fixture.newCaller();
    const api = switchboard({
      baseUrl: 'https://api.example.test',
      publicKey: caller.publicKey,
      fetch: async (url, init) => {
        const headers = Object.fromEntries(new Headers(init.headers));
        const answer = await fixture.testApp.call({ method: 'POST', path: new URL(url).pathname, headers, body: init.body });
        return new Response(answer.raw, { status: answer.status, headers: answer.headers });
      },
    });
    const refused = await api.verification.request({ body: { identifier: '12' } }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'validation_failed', errors: { identifier: [expect.stringContaining('country code')] } });
  });

  test("another company's request is not found", async () => {
    const [mine, other] = [await fixture.newCaller(), await fixture.newCaller()];
    const request_id = await requestId(mine, fixture.newPhone());
    expect(await other.get(`/status/${request_id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await other.post('/verify', { request_id, code: '123456' })).body).toMatchObject({ code: 'not_found' });
  });
});

describe('a magic link', () => {
  const linkIn = (mail: unknown): string =>
    /https:\/\/[^"\\\s]*(\/api\/v1\/verification\/magic\/[^"\\\s<]+)/.exec(JSON.stringify(mail))?.[1] ?? '';

  test('openMagicLink verifies once; a HEAD request and a link preview change nothing; a wrong token is 410', async () => {
    const caller = await fixture.newCaller();
    const request_id = await requestId(caller, 'grace@example.org');
    await fixture.testApp.drain();
    const path = linkIn(fixture.testApp.emails.at(-1));
    const open = (method: string, agent: string, at = path) =>
      fixture.testApp.call({
        method,
        path: at,
        headers: { 'user-agent': agent, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
        sourceIp: '203.0.113.77',
      });
    expect(await open('HEAD', 'Mozilla/5.0')).toMatchObject({ status: 200, raw: '' });
    expect((await open('GET', 'WhatsApp/2.23')).status).toBe(200);
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'pending' });
    const page = await open('GET', 'Mozilla/5.0');
    expect([page.status, page.raw]).toEqual([200, expect.stringContaining('<h1>Verified</h1>')]);
    expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    expect((await open('GET', 'Mozilla/5.0')).raw).toContain('Already verified');
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'verified' });
    expect((await open('GET', 'Mozilla/5.0', `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status).toBe(410);
  });
});

describe('cost and timing', () => {
  const unknownId = '2f5f9d1e-5a3c-4d58-9c7a-0d8f1f8f2c11';
  /** The credential check writes the key and, for an address without a lease, the address: one conditional write each. */
  const access = 2;
  const afresh = () => ({ ip: fixture.newAddress() });

  test('request, verify and status stay within their request units beyond the credential check', async () => {
    const caller = await fixture.newCaller();
    await requestId(caller, fixture.newPhone()); // a process reads the one-click number once a minute
    const identifier = fixture.newPhone();
    const cost = async (work: () => Promise<unknown>) => {
      await requestId(caller, fixture.newPhone()); // and the profile and its rate of wrong codes each ten seconds
      const { wru, rru } = await fixture.testApp.meter(work);
      return [wru - access, rru];
    };
    expect(await cost(() => caller.post('/request', { identifier }, afresh()))).toEqual([3, 1]);
    expect(await cost(() => caller.post('/request', { identifier }, afresh()))).toEqual([3, 1]);
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    expect(await cost(() => caller.get(`/status/${request_id}`, afresh()))).toEqual([1, 1]);
    expect(await cost(() => caller.post('/verify', { request_id, code: wrongFor(code) }, afresh()))).toEqual([1, 0.5]);
    expect(await cost(() => caller.post('/verify', { request_id, code }, afresh()))).toEqual([1, 0.5]);
  });

  test('an unknown, failed, expired or foreign id costs the same calls as a wrong code', async () => {
    const caller = await fixture.newCaller({ otp: { max_attempts: 3 } });
    const ids = await Promise.all(['a', 'b', 'c'].map(() => requestId(caller, fixture.newPhone())));
    const [failed = '', expired = '', blank = ''] = ids;
    for (let i = 0; i < 3; i++) await caller.post('/verify', { request_id: failed, code: '00000O' });
    const foreign = await requestId(await fixture.newCaller(), fixture.newPhone());
    const uses = async (request_id: string) => {
      const used = await fixture.testApp.meter(() => caller.post('/verify', { request_id, code: '00000O' }, afresh()));
      return { calls: used.calls, wru: used.wru, rru: used.rru, commands: used.uses.map(({ command }) => command).toSorted() };
    };
    const wrong = await uses(blank);
    const late = [await uses(unknownId), await uses(failed), await uses(foreign)];
    fixture.testApp.clock.advance(600_000);
    for (const other of [...late, await uses(expired)]) expect(other).toEqual(wrong);
  });

  test('a request is read beside the check of a key that the process knows: two rounds for a verify, and for an unknown id', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = await requestId(caller, identifier);
    const code = await fixture.codeFor(identifier);
    const rounds = async (id: string, given: string) =>
      (await fixture.testApp.meterRounds(() => caller.post('/verify', { request_id: id, code: given }))).rounds;
    await rounds(request_id, wrongFor(code));
    expect(await rounds(unknownId, code)).toBe(2);
    expect(await rounds(request_id, code)).toBe(2);
  });

  test('what is read beside the check shows a caller no request of another company, and a key that is refused reads once at most', async () => {
    const [caller, other] = [await fixture.newCaller(), await fixture.newCaller()];
    const [own, foreign] = [await requestId(caller, fixture.newPhone()), await requestId(other, fixture.newPhone())];
    const verify = (request_id: string) => caller.post('/verify', { request_id, code: '00000O' });
    const reads = async (request_id: string) =>
      (await fixture.testApp.meter(() => verify(request_id))).uses.filter(({ command }) => command === 'GetItem').length;
    await verify(own);
    expect(await verify(foreign)).toMatchObject({ status: 404 });
    const [key] = unwrap(await listKeys(caller.company.id));
    unwrap(await deactivateKey(caller.company.id, key?.id ?? ''));
    expect(await verify(own)).toMatchObject({ status: 401, body: { code: 'public_key_invalid' } });
    expect([await reads(own), await reads(own)]).toEqual([0, 0]);
  });

  test('an unknown, a known and a verified identifier get the same response for the same calls', async () => {
    const caller = await fixture.newCaller();
    await requestId(caller, fixture.newPhone());
    const verified = fixture.newPhone();
    await caller.post('/verify', { request_id: await requestId(caller, verified), code: await fixture.codeFor(verified) });
    const seen = async (identifier: string) => {
      let answer: Awaited<ReturnType<typeof caller.post>> | undefined;
      await requestId(caller, fixture.newPhone()); // what a process holds for ten seconds is fresh
      const { calls, wru, rru } = await fixture.testApp.meter(async () => {
        answer = await caller.post('/request', { identifier, purpose: 'login' }, afresh());
      });
      const body = answer?.raw.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|Verify%20[A-Z0-9]{10}|"expires_at":"[^"]*"/g, '');
      return { calls, wru, rru, status: answer?.status, body };
    };
    const known = fixture.newPhone();
    await requestId(caller, known);
    const first = await seen(fixture.newPhone());
    expect(await seen(known)).toEqual(first);
    expect(await seen(verified)).toEqual(first);
  });
});
