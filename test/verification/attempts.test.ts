import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credential } from '../support/credentials.ts';
import { seeded } from '../support/random.ts';
import { type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';
import { runSize } from '../support/run-size.ts';

/** Never more codes are compared than the limits allow. The SDK of this process has 50 connections to the table. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** One caller for each connection, each with its own key, because 30 calls a minute are counted by key. */
const crowd = async (caller: Caller, size: number) => {
  const callers: ((request_id: string, code: string) => ReturnType<Caller['post']>)[] = [];
  for (let nth = 0; nth < size; nth++) {
    const key = await credential({ kind: 'public_key', companyId: caller.company.id, subject: caller.profileId, scopes: [] });
    const headers = { 'x-public-key': key };
    callers.push((request_id, code) => caller.post('/verify', { request_id, code }, { headers, ip: `198.18.7.${nth}` }));
  }
  return callers;
};

describe('parallel attempts', () => {
  const each = runSize(6, 20);
  test(`of ${50 * each} wrong codes over 50 connections five are compared, and the correct code is refused after them`, async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const request_id = String(field(await caller.post('/request', { identifier }), 'request_id'));
    const code = await fixture.codeFor(identifier);
    const callers = await crowd(caller, 50);
    const rows = await Promise.all(
      callers.map(async (tryCode) => {
        const answers: Awaited<ReturnType<typeof tryCode>>[] = [];
        for (let i = 0; i < each; i++) answers.push(await tryCode(request_id, wrongFor(code)));
        return answers;
      }),
    );
    const answers = rows.flat();
    expect(answers).toHaveLength(50 * each);
    const compared = answers.filter(({ status }) => status === 200);
    expect(compared).toHaveLength(5);
    expect(compared.map((answer) => field(answer, 'attempts_remaining')).toSorted((a, b) => Number(a) - Number(b))).toEqual([
      0, 1, 2, 3, 4,
    ]);
    expect(new Set(answers.filter(({ status }) => status !== 200).map((answer) => field(answer, 'code')))).toEqual(
      new Set(['too_many_attempts']),
    );
    expect(answers.some((answer) => field(answer, 'verified') === true)).toBe(false);
    expect(await callers[0]?.(request_id, code)).toMatchObject({ status: 429 });
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'failed', reason: 'attempts_exhausted' });
  });

  test('100 parallel correct codes return one trust key and publish one event', async () => {
    const caller = await fixture.newCaller({ otp: { max_attempts: 10 } });
    const identifier = fixture.newPhone();
    const request_id = String(field(await caller.post('/request', { identifier }), 'request_id'));
    const code = await fixture.codeFor(identifier);
    const callers = await crowd(caller, 50);
    const answers = await Promise.all(callers.flatMap((tryCode) => [tryCode(request_id, code), tryCode(request_id, code)]));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeGreaterThan(0);
    expect(good.length).toBeLessThanOrEqual(10);
    expect(new Set(good.map((answer) => field(answer, 'trust_key'))).size).toBe(1);
    expect(new Set(good.map((answer) => field(answer, 'verified_at'))).size).toBe(1);
    await fixture.testApp.drain();
    const named = fixture.testApp.events.filter(({ detail }) => JSON.stringify(detail).includes(request_id)).map(({ name }) => name);
    expect(named).toEqual(['verification.requested', 'verification.successful']);
  });
});

describe('the last attempt of a request', () => {
  /** A request of three attempts after two wrong codes; `act` runs at each write of the table to which `isMeant`. */
  const twoWrong = async (isMeant: (input: string, when: string) => boolean, act: () => Promise<void>) => {
    const caller = await fixture.newCaller({ otp: { max_attempts: 3 } });
    const identifier = fixture.newPhone();
    const request_id = String(field(await caller.post('/request', { identifier }), 'request_id'));
    const code = await fixture.codeFor(identifier);
    const verify = (given: string) => caller.post('/verify', { request_id, code: given });
    for (let nth = 0; nth < 2; nth++) await verify(wrongFor(code));
    const hook = fixture.testApp.onTable(async ({ command, input, when }) => {
      if (command === 'UpdateItem' && isMeant(JSON.stringify(input), when)) await act();
    });
    return { caller, request_id, code, verify, hook };
  };

  test('a correct code whose attempt is counted is not overtaken by the refusal of the next one', async () => {
    const counted = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    let isHeld = false;
    const { code, verify, hook } = await twoWrong(
      (input, when) => when === 'after' && input.includes('BUDGET'),
      async () => {
        counted.resolve();
        // the first answer waits for the second, and no other
        if (!isHeld) {
          isHeld = true;
          await refused.promise;
        }
      },
    );
    using _hook = hook;
    const correct = verify(code);
    await counted.promise;
    const next = verify(code);
    expect(await next).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    refused.resolve();
    expect((await correct).body).toMatchObject({ verified: true });
  });

  test('when its process crashed before it failed the request, a later attempt fails it', async () => {
    let crashes = 1;
    const { caller, request_id, code, verify, hook } = await twoWrong(
      (input, when) => when === 'before' && input.includes('"endedAt"'),
      async () => {
        if (crashes-- > 0) throw new Error('crashed');
      },
    );
    using _hook = hook;
    expect((await verify(wrongFor(code))).status).toBe(500);
    fixture.testApp.clock.advance(120_000);
    expect(await verify(code)).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect((await caller.get(`/status/${request_id}`)).body).toMatchObject({ status: 'failed', reason: 'attempts_exhausted' });
  });
});

const seeds = Array.from({ length: runSize(1, 20) }, (_, nth) => nth + 1);

test.each(seeds)('over new requests, resends, reuse and purposes the attempts of a day stay within the budget (seed %i)', async (seed) => {
  const random = seeded(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const caller = await fixture.newCaller({ bombing: { max_requests: 100 }, otp: { max_sends: 20, resend_cooldown_seconds: 1 } });
  const identifier = fixture.newPhone();
  const began = fixture.testApp.clock.now();
  const pending: string[] = [];
  const compared: number[] = [];
  for (let step = 0; step < 90; step++) {
    const id = pending[below(pending.length)];
    const act = below(10);
    if (act < 2 || id === undefined) {
      const answer = await caller.post('/request', { identifier, purpose: `purpose-${below(3)}` });
      if (answer.status === 200) pending.push(String(field(answer, 'request_id')));
    } else if (act < 3) await caller.post('/resend', { request_id: id });
    else if (act < 4) fixture.testApp.clock.advance(below(30) * 60_000);
    else {
      const attempts = await Promise.all(
        Array.from({ length: 1 + below(3) }, () => caller.post('/verify', { request_id: id, code: 'WRONG1' })),
      );
      for (const { status } of attempts) if (status === 200) compared.push(fixture.testApp.clock.now());
    }
  }
  expect(compared.length).toBeGreaterThan(10);
  for (const from of compared)
    expect(compared.filter((at) => at >= from && at < from + 86_400_000).length, `since ${from - began} ms`).toBeLessThanOrEqual(15);
});
