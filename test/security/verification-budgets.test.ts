import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import type { Answer } from '../support/gateway-event.ts';
import { type Caller, field, type Fixture, startFixture, wrongFor } from '../verification/fixture.ts';

/** What a stranger uses up is the stranger's; what a stranger tries is counted. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const V = 'functions/verification/';
const [stranger, other, victim] = ['203.0.113.66', '203.0.113.67', '203.0.113.1'];

/** A source has 3 attempts a day, public keys 6, all 9. */
const small = { guess_budget_per_day: 3, otp: { max_attempts: 3, max_sends: 20 }, bombing: { max_requests: 100 } };
const request = (caller: Caller, identifier: string, ip: string, more: Record<string, unknown> = {}) =>
  caller.post('/request', { identifier, ...more }, { ip });
const server = (caller: Caller) => ({ headers: { 'x-secret-key': caller.secretKey } });
const idOf = (answer: Answer): string => {
  expect([answer.status, answer.raw]).toEqual([200, expect.stringContaining('request_id')]);
  return String(field(answer, 'request_id'));
};
const codeOf = (answer: Answer): unknown => field(answer, 'code');

/** All attempts that a source has at an identifier. */
const exhaust = async (caller: Caller, phone: string, ip: string): Promise<void> => {
  const request_id = idOf(await request(caller, phone, ip));
  const code = wrongFor(await fixture.codeFor(phone));
  let last: Answer | undefined;
  for (let i = 0; i < 4; i++) last = await caller.post('/verify', { request_id, code }, { ip });
  expect(last && codeOf(last)).toBe('too_many_attempts');
};
const verified = async (caller: Caller, phone: string, ip: string): Promise<string> => {
  const request_id = idOf(await request(caller, phone, ip));
  const answer = await caller.post('/verify', { request_id, code: await fixture.codeFor(phone) }, { ip });
  return String(field(answer, 'trust_key'));
};

describe('attempts', () => {
  attack(
    'a stranger who uses up the attempts of a day locks the user out',
    [
      {
        in: `${V}domain/attempt-limits.ts`,
        replace: 'Math.max(source, Math.min(3 * source, Math.floor(maxOddsADay * codeSpace(otp))))',
        by: 'source + 0 * codeSpace(otp) * maxOddsADay',
      },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(small), fixture.newPhone()];
      await exhaust(caller, phone, stranger);
      expect(codeOf(await request(caller, phone, stranger))).toBe('too_many_attempts');
      expect(await verified(caller, phone, victim)).toMatch(/^tk_/);
    },
  );

  attack(
    "a stranger who joins the user's request uses up its attempts",
    [
      {
        in: `${V}service/verify-code.ts`,
        replace: 'request.isShared ? sharedAttempts(maxAttempts) : maxAttempts',
        by: 'sharedAttempts(maxAttempts) / 3',
      },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
      const request_id = idOf(await request(caller, phone, victim));
      idOf(await request(caller, phone, stranger));
      const code = await fixture.codeFor(phone);
      const left = [];
      for (let i = 0; i < 5; i++)
        left.push(field(await caller.post('/verify', { request_id, code: wrongFor(code) }, { ip: stranger }), 'attempts_remaining'));
      expect(left).toEqual([4, 3, 2, 1, 0]);
      // used up for the stranger, the right code too
      expect(codeOf(await caller.post('/verify', { request_id, code }, { ip: stranger }))).toBe('too_many_attempts');
      expect((await caller.post('/verify', { request_id, code }, { ip: victim })).body).toMatchObject({
        verified: true,
        identifier: phone,
      });
    },
  );

  attack(
    'strangers of many addresses block an identifier, and its server and a user with a live trust key with it',
    [
      { in: `${V}domain/decision.ts`, replace: "!(isPassing && state.blockScope === 'public')", by: 'true' },
      { in: `${V}store/request-budget.ts`, replace: "...(isPassing ? [equals('blockScope', 'public')] : []),", by: '' },
      { in: `${V}service/request-verification.ts`, replace: 'trust.isBlocked ? undefined : trust.trustKey', by: 'trust.trustKey' },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(small), fixture.newPhone()];
      const trust_key = await verified(caller, phone, victim);
      await exhaust(caller, phone, stranger);
      const request_id = idOf(await request(caller, phone, other));
      const wrong = wrongFor(await fixture.codeFor(phone));
      for (let i = 0; i < 3; i++) await caller.post('/verify', { request_id, code: wrong }, { ip: other });
      // blocked for public keys, whatever their address
      expect(codeOf(await request(caller, phone, '203.0.113.99'))).toBe('too_many_attempts');
      // nothing is answered from trust, but a code is sent to who has it, and verifies
      const passing = await request(caller, phone, victim, { trust_key });
      expect(passing.body).toMatchObject({ cached: false, status: 'pending' });
      const right = await caller.post('/verify', { request_id: idOf(passing), code: await fixture.codeFor(phone) }, { ip: victim });
      expect(right.body).toMatchObject({ verified: true });
      const served = await caller.post('/request', { identifier: phone }, server(caller));
      const proven = await caller.post('/verify', { request_id: idOf(served), code: await fixture.codeFor(phone) }, server(caller));
      expect(proven.body).toMatchObject({ verified: true });
    },
  );

  test('attempts of all sources together stay within three budgets, whoever passes the block', async () => {
    const [caller, phone] = [await fixture.newCaller(small), fixture.newPhone()];
    let compared = 0;
    for (let nth = 0; nth < 8; nth++) {
      const ip = `203.0.113.${100 + nth}`;
      const more = nth % 2 === 0 ? { ip } : server(caller);
      const answer = await caller.post('/request', { identifier: phone, ...(nth % 2 === 0 ? {} : { ip_address: ip }) }, more);
      if (answer.status !== 200) continue;
      const body = { request_id: idOf(answer), code: wrongFor(await fixture.codeFor(phone)), ip_address: ip };
      for (let i = 0; i < 4; i++) if ((await caller.post('/verify', body, more)).status === 200) compared++;
    }
    expect(compared).toBe(9);
    expect((await caller.post('/request', { identifier: phone }, server(caller))).status).toBe(429);
  });

  attack(
    'messages that strangers request keep the server of the company from sending a code',
    [{ in: `${V}domain/send-pace.ts`, replace: '(isTrusted ? budget.serverSends : budget.sends)', by: 'budget.sends' }],
    async () => {
      const settings = { otp: { max_sends: 20, resend_cooldown_seconds: 1 } };
      const [caller, phone] = [await fixture.newCaller(settings), fixture.newPhone()];
      const messages = async (): Promise<number> => {
        await fixture.testApp.drain();
        return fixture.provider.requests.filter(({ body }) => body['to'] === phone).length;
      };
      for (let i = 0; i < 8; i++) {
        await request(caller, phone, `203.0.113.${150 + i}`);
        fixture.testApp.clock.advance(11_000);
      }
      expect(await messages()).toBe(5);
      for (let i = 0; i < 8; i++) {
        expect((await caller.post('/request', { identifier: phone }, server(caller))).status).toBe(200);
        fixture.testApp.clock.advance(11_000);
      }
      // its own are limited too
      expect(await messages()).toBe(10);
    },
  );
});

describe('labels', () => {
  const label = 'a-random-device-id-0123456789';
  const bind = async (caller: Caller, phone: string, trust_key: string): Promise<void> => {
    const request_id = idOf(await request(caller, phone, victim, { trust_key }));
    expect((await caller.post('/verify', { request_id, code: await fixture.codeFor(phone) }, { ip: victim })).status).toBe(200);
  };
  const isCached = async (caller: Caller, phone: string, ip: string, trust_key: string): Promise<boolean> =>
    field(await request(caller, phone, ip, { trust_key }), 'cached') === true;

  attack(
    'a short label of a public key is found by trying',
    [
      {
        in: `${V}service/trust.ts`,
        replace: 'isTrusted || label.length >= minLabelLength',
        by: 'isTrusted || label.length >= minLabelLength - 16',
      },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
      await bind(caller, phone, 'device-1');
      expect(await isCached(caller, phone, victim, 'device-1')).toBe(false);
      expect(field(await caller.post('/request', { identifier: phone, trust_key: 'device-1' }, server(caller)), 'cached')).toBe(false);
    },
  );

  attack(
    'wrong labels for a known identifier are tried without being counted',
    [
      {
        in: `${V}service/trust.ts`,
        replace: '{ sourceBudget: limits.source, budget:',
        by: '{ sourceBudget: 1_000 * limits.source, budget: 1_000 +',
      },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(small), fixture.newPhone()];
      await bind(caller, phone, label);
      for (let i = 0; i < 3; i++) expect(await isCached(caller, phone, stranger, `a-label-that-is-wrong-${i}`)).toBe(false);
      expect(await isCached(caller, phone, stranger, label)).toBe(false);
      // the right one costs nothing, however often it is given
      for (let i = 0; i < 5; i++) expect(await isCached(caller, phone, victim, label)).toBe(true);
    },
  );

  attack(
    'a label is answered while its identifier is blocked',
    [
      {
        in: `${V}store/request-budget.ts`,
        replace: "below('blockedUntil', at),\n        ...(isPassing",
        by: 'exists(),\n        ...(isPassing',
      },
    ],
    async () => {
      const [caller, phone] = [await fixture.newCaller(small), fixture.newPhone()];
      await bind(caller, phone, label);
      await exhaust(caller, phone, stranger);
      fixture.testApp.clock.advance(20 * 3_600_000);
      await exhaust(caller, phone, other);
      // the server passes the block, and its request gives the attempts of the first stranger back: the block is all that is left
      fixture.testApp.clock.advance(6 * 3_600_000);
      idOf(await caller.post('/request', { identifier: phone }, server(caller)));
      expect(codeOf(await request(caller, phone, victim, { trust_key: label }))).toBe('too_many_attempts');
      fixture.testApp.clock.advance(26 * 3_600_000);
      // the next request gives the attempts of the day back
      idOf(await request(caller, phone, victim));
      expect(await isCached(caller, phone, victim, label)).toBe(true);
    },
  );

  test('a label costs the same calls for a known and an unknown identifier', async () => {
    const [caller, phone] = [await fixture.newCaller(), fixture.newPhone()];
    await verified(caller, phone, victim);
    const cost = async (identifier: string) => {
      const ip = fixture.newAddress();
      const { calls, wru, rru } = await fixture.testApp.meter(() => request(caller, identifier, ip, { trust_key: label }));
      return { calls, wru, rru };
    };
    await request(caller, fixture.newPhone(), stranger);
    expect(await cost(phone)).toEqual(await cost(fixture.newPhone()));
  });
});
