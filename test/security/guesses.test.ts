import { afterAll, beforeAll, expect } from 'vitest';
import { createUser } from '../../functions/account/service/users.ts';
import { attack } from '../support/attack.ts';
import { unwrap } from '../support/company.ts';
import { type Answer, ofOwnPage } from '../support/gateway-event.ts';
import { type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** What strangers find who guess codes for a day, all together and by every way: by the tries that the product grants when it is driven to its limits. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.testApp.clock.freeze();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const V = 'functions/verification/';
const hourMs = 3_600_000;
/** One in ten thousand a day, in tries at a code of ten digits: whole numbers add up exactly. */
const mostOdds = 10 ** 6;
const oddsOf = (length: number): number => 10 ** (10 - length);

/** Every hour of a day. */
const throughADay = async (enter: (round: number) => Promise<unknown>): Promise<void> => {
  for (let round = 0; round < 24; round++) {
    await enter(round);
    fixture.testApp.clock.advance(hourMs);
  }
};

/** The budget of all sources is looked at by each request and by each try. */
const budgetOfAll = [
  { in: `${V}domain/decision.ts`, replace: '>= (isPassing ? limits.total : limits.public)) return', by: '>= 10_000) return' },
  { in: `${V}service/verify-code.ts`, replace: 'budget: isPassing ? totalBudget : publicBudget,', by: 'budget: 10_000,' },
];

/** A browser that calls from ever other addresses. */
const browser = () => {
  let cookie: string | undefined;
  return async (path: string, body: object): Promise<Answer> => {
    const headers = { ...ofOwnPage, ...(cookie === undefined ? {} : { cookie }) };
    calls++;
    const sourceIp = `198.18.${Math.floor(calls / 250) % 250}.${calls % 250}`;
    const answer = await fixture.testApp.call({ method: 'POST', path: `/api/v1${path}`, headers, body, sourceIp });
    cookie = /__Host-swb_browser=[^;]*/.exec(answer.headers['set-cookie'] ?? '')?.[0] ?? cookie;
    return answer;
  };
};
let calls = 0;

/** Requests a code there and enters wrong ones until none is compared any more: how many were, and how long the code is. */
const enterAt = async (call: ReturnType<typeof browser>, email: string): Promise<{ tries: number; length: number } | undefined> => {
  const requested = await call('/sessions/codes', { email });
  if (requested.status !== 200) return undefined;
  const { request_id, code_length: length } = (requested.body as { data: { request_id: string; code_length: number } }).data;
  let tries = 0;
  const isCompared = ({ body }: Answer): boolean =>
    (body as { details?: { attempts_remaining?: unknown } }).details?.attempts_remaining !== undefined;
  while (isCompared(await call('/sessions', { request_id, code: '0'.repeat(length) }))) tries++;
  return { tries, length };
};

attack(
  'strangers who guess codes of sign-in for a day find one with odds of 1 in 10,000 at most, in new browsers and in one that the user has used',
  [
    { in: `${V}service/request-verification.ts`, replace: '(isSprayed && !isCaptchaForced) || isOfNewBrowser(request)', by: 'isSprayed' },
    budgetOfAll,
  ],
  async () => {
    const email = 'guessed.for.a.day@example.com';
    const { company } = await fixture.newCaller();
    unwrap(await createUser(company.id, { name: 'Kim', email, role: 'admin' }));
    const known = browser();
    const requested = await known('/sessions/codes', { email });
    const { request_id } = (requested.body as { data: { request_id: string } }).data;
    expect((await known('/sessions', { request_id, code: await fixture.codeFor(email) })).status).toBe(200);
    fixture.testApp.clock.advance(24 * hourMs);
    const tried = { inNew: 0, inKnown: 0, odds: 0 };
    const count = async (kind: 'inNew' | 'inKnown', at: ReturnType<typeof browser>, times: number): Promise<number | undefined> => {
      const found = await enterAt(at, email);
      if (!found) return undefined;
      tried[kind] += times * found.tries;
      tried.odds += times * found.tries * oddsOf(found.length);
      return found.tries;
    };
    // new browsers have mails by the hour: each of the day is as the two that are tried
    for (const hour of [0, 1]) {
      while ((await count('inNew', browser(), 12)) !== undefined) expect(tried.inNew).toBeLessThan(2_000);
      expect(tried.inNew).toBe((hour + 1) * 300);
      fixture.testApp.clock.advance(hourMs);
    }
    await throughADay(() => count('inKnown', known, 1));
    console.log(`of sign-in: ${tried.inNew} tries in new browsers, ${tried.inKnown} in a known one: odds of ${tried.odds / 1e10} a day`);
    expect(tried.inKnown).toBeGreaterThan(10);
    expect(tried.odds).toBeLessThanOrEqual(mostOdds);
  },
);

attack(
  'strangers who guess codes of a profile for a day find one with odds of 1 in 10,000 at most, with its public key and through the server of its company',
  [
    { in: `${V}domain/attempt-limits.ts`, replace: 'Math.min(3 * source, Math.floor(maxOddsADay * codeSpace(otp)))', by: '3 * source' },
    budgetOfAll,
  ],
  async () => {
    for (const settings of [{}, { otp: { length: 5 }, guess_budget_per_day: 10 }]) {
      const caller = await fixture.newCaller(settings);
      const phone = fixture.newPhone();
      const tried = { tries: 0, odds: 0 };
      await throughADay(async (round) => {
        for (const purpose of ['default', 'order']) {
          for (const headers of [undefined, { 'x-secret-key': caller.secretKey }]) {
            const { tries, length } = await enterOf(caller, phone, { purpose, headers, ip: `198.18.${round}.${headers ? 2 : 1}` });
            tried.tries += tries;
            tried.odds += tries * oddsOf(length);
            // here already: without a limit the day is long
            expect(tried.odds).toBeLessThanOrEqual(mostOdds);
          }
        }
      });
      console.log(`of a profile with ${JSON.stringify(settings)}: ${tried.tries} tries, odds of ${tried.odds / 1e10} a day`);
      expect(tried.tries).toBeGreaterThanOrEqual(10);
    }
  },
);

/** The same of a profile's code, from an address, with the public key or as the server of the company. */
const enterOf = async (
  caller: Caller,
  phone: string,
  { purpose, headers, ip }: { purpose: string; headers: Record<string, string> | undefined; ip: string },
): Promise<{ tries: number; length: number }> => {
  const more = { ip, ...(headers ? { headers } : {}) };
  const named = headers ? { ip_address: ip } : {};
  const requested = await caller.post('/request', { identifier: phone, purpose, ...named }, more);
  if (requested.status !== 200) return { tries: 0, length: 10 };
  const { length } = field(requested, 'otp_rules') as { length: number };
  const proof = { request_id: field(requested, 'request_id'), code: '0'.repeat(length), ...named };
  let tries = 0;
  while (field(await caller.post('/verify', proof, more), 'verified') === false) tries++;
  return { tries, length };
};
