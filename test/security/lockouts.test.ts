import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import type { Answer } from '../support/gateway-event.ts';
import { adminOf, type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** What strangers do keeps neither a customer nor the server of the company from a code. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const V = 'functions/verification/';
const [stranger, victim] = ['203.0.113.66', '203.0.113.1'];
const minuteMs = 60_000;
const request = (caller: Caller, identifier: string, ip: string) => caller.post('/request', { identifier }, { ip });
const byServer = (caller: Caller, identifier: string) =>
  caller.post('/request', { identifier, ip_address: '198.18.0.9' }, { headers: { 'x-secret-key': caller.secretKey } });
const messagesTo = (phone: string): number => fixture.provider.requests.filter(({ body }) => body['to'] === phone).length;
const codeOf = (answer: Answer): unknown => field(answer, 'code');

describe('requests', () => {
  attack(
    'a stranger who requests five times, every ten minutes, keeps neither the user nor the server of the company from a code',
    [
      { in: `${V}domain/decision.ts`, replace: 'if (pending) return reuseOf(input, pace, pending);', by: '' },
      { in: `${V}domain/code.ts`, replace: 'lastSendAt + cooldownSeconds(otp, sends) * 1_000', by: 'lastSendAt' },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
      for (let round = 0; round < 12; round++) {
        for (let nth = 0; nth < 5; nth++) await request(caller, phone, stranger);
        await fixture.testApp.drain();
        expect(messagesTo(phone)).toBeLessThanOrEqual(6 * (1 + round / 6));
        const own = await request(caller, phone, victim);
        expect(own.body, `round ${round}`).toMatchObject({ status: 'pending', request_id: expect.any(String) });
        const served = await byServer(caller, phone);
        expect(served.body, `round ${round}`).toMatchObject({ request_id: field(own, 'request_id'), reused: true });
        if (round === 11) {
          const proof = { request_id: field(own, 'request_id'), code: await fixture.codeFor(phone) };
          expect((await caller.post('/verify', proof, { ip: victim })).body).toMatchObject({ verified: true });
        }
        fixture.testApp.clock.advance(10 * minuteMs);
      }
    },
  );

  attack(
    'strangers who request and enter wrong codes, from many addresses, keep no customer with a live trust key from a code',
    [
      {
        in: `${V}domain/decision.ts`,
        replace: 'sendPace(state, { isTrusted: passesPublicBlock(input), isProven: before?.status',
        by: 'sendPace(state, { isTrusted: input.isTrusted, isProven: before?.status',
      },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
      const proven = { request_id: field(await request(caller, phone, victim), 'request_id'), code: await fixture.codeFor(phone) };
      const trust_key = field(await caller.post('/verify', proven, { ip: victim }), 'trust_key');
      fixture.testApp.clock.advance(2 * 60 * minuteMs);
      for (let nth = 0; nth < 12; nth++) {
        const ip = `198.18.60.${nth}`;
        for (let tries = 0; tries < 8; tries++) {
          const made = await request(caller, phone, ip);
          if (made.status !== 200) break;
          await caller.post('/verify', { request_id: field(made, 'request_id'), code: '000000' }, { ip });
        }
      }
      expect(codeOf(await request(caller, phone, '198.18.61.1'))).toBe('too_many_attempts');
      const own = await caller.post('/request', { identifier: phone, trust_key }, { ip: victim });
      expect(own.body).toMatchObject({ status: 'pending', request_id: expect.any(String) });
      const proof = { request_id: field(own, 'request_id'), code: await fixture.codeFor(phone) };
      expect((await caller.post('/verify', proof, { ip: victim })).body).toMatchObject({ verified: true });
    },
  );

  test('within the cooldown nothing is sent, and the answer says when it will be', async () => {
    const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
    const first = await request(caller, phone, stranger);
    expect(first.body).toMatchObject({ reused: false, otp_rules: { resend_in_seconds: 30 } });
    fixture.testApp.clock.advance(10_000);
    const second = await request(caller, phone, victim);
    expect(second.body).toMatchObject({ reused: true, request_id: field(first, 'request_id'), otp_rules: { resend_in_seconds: 20 } });
    await fixture.testApp.drain();
    expect(messagesTo(phone)).toBe(1);
    fixture.testApp.clock.advance(20_000);
    expect((await request(caller, phone, victim)).body).toMatchObject({ reused: true, otp_rules: { resend_in_seconds: 60 } });
    await fixture.testApp.drain();
    expect(messagesTo(phone)).toBe(2);
  });

  test('a source that requests too often for one identifier is refused; another source and the server are not', async () => {
    const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
    for (let nth = 0; nth < 5; nth++) expect((await request(caller, phone, stranger)).status).toBe(200);
    expect(codeOf(await request(caller, phone, stranger))).toBe('otp_bombing');
    expect((await request(caller, phone, victim)).status).toBe(200);
    expect((await byServer(caller, phone)).status).toBe(200);
    expect((await request(caller, fixture.newPhone(), stranger)).status).toBe(200);
  });

  test('whoever requests, and however long, at most six messages an hour go to one phone, and one code of them is always open', async () => {
    const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
    const began = fixture.testApp.clock.now();
    const times: number[] = [];
    for (let step = 0; step < 180; step++) {
      const answer = await request(caller, phone, `198.18.${step % 5}.${step % 50}`);
      expect([step, answer.status, codeOf(answer)]).toEqual([step, 200, undefined]);
      await fixture.testApp.drain();
      while (times.length < messagesTo(phone)) times.push(fixture.testApp.clock.now() - began);
      fixture.testApp.clock.advance((step % 3 === 0 ? 125 : 20) * 1_000);
    }
    for (const from of times) expect(times.filter((at) => at >= from && at < from + 60 * minuteMs).length).toBeLessThanOrEqual(6);
  });
});

describe('the breakers of fraud', () => {
  const byPublicKey = (caller: Caller, phone: string, nth: number) =>
    request(caller, phone, `198.19.${Math.floor(nth / 200)}.${nth % 200}`);
  const number = (prefix: string, nth: number): string => `+49${prefix}${String(nth).padStart(4, '0')}`;

  attack(
    'one number, asked for often, counts once, and thirty calls for six numbers block no other number of their prefix',
    [{ in: `${V}domain/prefix.ts`, replace: 'if (current[name] !== undefined) return current;', by: '' }],
    async () => {
      const caller = await fixture.newCaller();
      for (let nth = 0; nth < 36; nth++) {
        await byPublicKey(caller, number('1709991', nth % 6), nth % 12);
        if (nth % 6 === 5) fixture.testApp.clock.advance(11 * minuteMs);
      }
      await fixture.testApp.drain();
      for (const nth of [0, 1, 2]) expect((await request(caller, number('1709991', 900 + nth), victim)).status).toBe(200);
    },
  );

  attack(
    'requests with a public key block no number for the server of the company, nor for a customer who requests one',
    [
      { in: `${V}service/fraud-breaker.ts`, replace: "identifier.kind !== 'phone' || isTrusted", by: "identifier.kind !== 'phone'" },
      { in: `${V}service/request-verification.ts`, replace: '&& limits.identifierCount > 1', by: '' },
    ],
    async () => {
      const caller = await fixture.newCaller();
      for (let nth = 0; nth < 40; nth++) await byPublicKey(caller, number('1709992', nth), nth % 8);
      await fixture.testApp.drain();
      expect(codeOf(await byPublicKey(caller, number('1709992', 50), 1))).toBe('fraud_blocked');
      expect((await request(caller, number('1709992', 51), victim)).status).toBe(200);
      // the address of a server that names its customers has requested several numbers
      for (const nth of [61, 62]) expect((await byServer(caller, number('1709992', nth))).status).toBe(200);
    },
  );

  attack(
    'a ring over 200 prefixes trips the breaker of the profile and the country',
    [{ in: `${V}domain/prefix.ts`, replace: 'requested >= 100 && proven < requested * 0.1', by: 'requested >= 100_000' }],
    async () => {
      const caller = await fixture.newCaller({ countries: { mode: 'all' } });
      for (let nth = 0; nth < 100; nth++) await byPublicKey(caller, number(`16${String(10_000 + nth).slice(-5)}`, 1), 20 + (nth % 9));
      await fixture.testApp.drain();
      fixture.testApp.clock.advance(11_000);
      expect(codeOf(await byPublicKey(caller, number('1612345', 1), 20))).toBe('fraud_blocked');
      expect((await byPublicKey(caller, '+33612000001', 20)).status).toBe(200);
      expect((await request(caller, number('1612346', 1), victim)).status).toBe(200);
    },
  );

  test('a customer who was verified before passes, where the address and the prefix of all are being misused', async () => {
    const caller = await fixture.newCaller({ velocity: { max_identifiers: 3 } });
    const phone = number('1709993', 1);
    const first = await request(caller, phone, victim);
    await caller.post('/verify', { request_id: field(first, 'request_id'), code: await fixture.codeFor(phone) }, { ip: victim });
    for (let nth = 2; nth < 9; nth++) await request(caller, number('1709993', nth), victim);
    expect(codeOf(await request(caller, number('1709993', 20), victim))).toBe('velocity_limit');
    fixture.testApp.clock.advance(31_000);
    expect((await request(caller, phone, victim)).status).toBe(200);
  });

  test('public keys leave a tenth of a ceiling to the server of the company', async () => {
    const caller = await fixture.newCaller({ ceilings: { per_hour: 10 }, velocity: { max_identifiers: 100 } });
    let sent = 0;
    for (let nth = 0; nth < 12; nth++) if ((await request(caller, fixture.newPhone(), victim)).status === 200) sent++;
    expect(sent).toBe(9);
    expect((await byServer(caller, fixture.newPhone())).status).toBe(200);
    expect(codeOf(await byServer(caller, fixture.newPhone()))).toBe('ceiling_reached');
  });

  test('a new profile sends 200 codes an hour, until its company raises it', async () => {
    const caller = await fixture.newCaller();
    const made = await adminOf(fixture, caller)('POST', '/profiles', { name: 'New' });
    expect(made.body).toMatchObject({ data: { settings_json: { ceilings: { per_hour: 200, per_day: 2_000 } } } });
  });
});
