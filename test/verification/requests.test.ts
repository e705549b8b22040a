import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { verificationCountsByCountry, verificationCountsByReason } from '../../functions/verification/contract/usage.ts';
import { getRequest, requestEntity } from '../../functions/verification/store/request.ts';
import { recountAll } from '../support/fault-injection.ts';
import { unwrap } from '../support/company.ts';
import { adminOf, type Caller, type Fixture, startFixture, wrongFor } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ shards: 3 });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const page = z.object({
  data: z.array(z.looseObject({ request_id: z.string(), profile_id: z.string(), status: z.string(), created_at: z.string() })),
  meta: z.object({ next_cursor: z.string().nullable() }),
});
const listed = async (caller: Caller, query = ''): Promise<z.output<typeof page>> =>
  page.parse((await adminOf(fixture, caller)('GET', `/requests${query}`)).body);

/** All pages, by their cursors. */
const allListed = async (caller: Caller, query: string): Promise<z.output<typeof page>['data']> => {
  const found: z.output<typeof page>['data'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, meta } = await listed(caller, `?${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...data);
    cursor = meta.next_cursor;
  }
  return found;
};

const request = async (caller: Caller, identifier: string, headers?: Record<string, string>): Promise<string> => {
  fixture.testApp.clock.advance(2_500);
  const answer = await caller.post('/request', { identifier }, { ip: fixture.newAddress(), ...(headers ? { headers } : {}) });
  return z.object({ request_id: z.string() }).parse(answer.body).request_id;
};
const verify = async (caller: Caller, phone: string, request_id: string): Promise<void> => {
  await caller.post('/verify', { request_id, code: await fixture.codeFor(phone) });
  await fixture.testApp.drain();
};
const secondKey = async ({ company }: Caller): Promise<{ id: string; headers: Record<string, string> }> => {
  const { id } = unwrap(await createProfile(company.id, { name: 'Checkout' }));
  return { id, headers: { 'x-public-key': unwrap(await issueKey(company.id, id, {})).public_key } };
};

/** The figures of lines over the days: a midnight may lie between requests that ended one after another. */
const sumsOver = <L>(lines: readonly L[], keyOf: (line: L) => string, figuresOf: (line: L) => number[]): Record<string, number[]> => {
  const sums: Record<string, number[]> = {};
  for (const line of lines) {
    const before = sums[keyOf(line)];
    sums[keyOf(line)] = figuresOf(line).map((figure, place) => figure + (before?.[place] ?? 0));
  }
  return sums;
};

describe('listVerificationRequests', () => {
  test('lists each request of the company once, newest first over any page size, and none of another company', async () => {
    const [caller, other] = [await fixture.newCaller(), await fixture.newCaller()];
    const made: string[] = [];
    for (let nth = 0; nth < 23; nth++) made.unshift(await request(caller, fixture.newPhone()));
    await request(other, fixture.newPhone());
    for (const limit of [1, 7, 23, 100]) expect((await allListed(caller, `limit=${limit}`)).map((each) => each.request_id)).toEqual(made);
    expect(await allListed(other, 'limit=10')).toHaveLength(1);
  });

  test('shows the masked identifier and the outcome, and neither a code nor a whole identifier', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    const mailed = await request(caller, 'grace@customer.example');
    const code = await fixture.codeFor(phone);
    await caller.post('/verify', { request_id: id, code: wrongFor(code) });
    await verify(caller, phone, id);
    const answer = await adminOf(fixture, caller)('GET', '/requests');
    const [byEmail, byPhone] = page.parse(answer.body).data;
    expect(byPhone).toMatchObject({
      request_id: id,
      identifier: `${phone.slice(0, 6)}…${phone.slice(-2)}`,
      status: 'verified',
      codes: 1,
      attempts: 2,
      test: false,
      ended_at: expect.any(String),
    });
    expect(byEmail).toMatchObject({
      request_id: mailed,
      identifier: 'g…@customer.example',
      status: 'pending',
      attempts: null,
      ended_at: null,
    });
    for (const secret of [phone, phone.slice(1), 'grace', code]) expect(answer.raw.includes(secret), secret).toBe(false);
  });

  test('filters by status, profile and time; the pages of a filter together hold exactly what it means', async () => {
    const caller = await fixture.newCaller({ otp: { expiry_seconds: 600 } });
    const second = await secondKey(caller);
    const all: { id: string; profile: string; isVerified: boolean; since: number; until: number }[] = [];
    for (let nth = 0; nth < 16; nth++) {
      const phone = fixture.newPhone();
      const isSecond = nth % 3 === 0;
      fixture.testApp.clock.advance(1_000);
      const since = fixture.testApp.clock.now();
      const id = await request(caller, phone, isSecond ? second.headers : undefined);
      const until = fixture.testApp.clock.now();
      const isVerified = nth % 4 === 1;
      if (isVerified) await verify(caller, phone, id);
      all.unshift({ id, profile: isSecond ? second.id : caller.profileId, isVerified, since, until });
    }
    const expectIds = async (query: string, isMeant: (each: (typeof all)[number]) => boolean): Promise<void> => {
      const meant = all.filter(isMeant).map(({ id }) => id);
      expect(meant.length).toBeGreaterThan(0);
      for (const limit of [2, 50])
        expect((await allListed(caller, `${query}&limit=${limit}`)).map((each) => each.request_id)).toEqual(meant);
    };
    await expectIds(`profile_id=${second.id}`, ({ profile }) => profile === second.id);
    await expectIds('status=pending', ({ isVerified, profile }) => !isVerified || profile === second.id);
    const [from, to] = [all[9]?.since ?? 0, all[4]?.until ?? 0];
    const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    await expectIds(range, ({ since, until }) => since >= from && until <= to);
    expect(await allListed(caller, `from=${new Date(to).toISOString()}&to=${new Date(from).toISOString()}`)).toEqual([]);
    fixture.testApp.clock.advance(601_000);
    // past its expiry a request is shown as expired before the worker has written so
    await expectIds('status=expired', ({ isVerified, profile }) => !isVerified || profile === second.id);
  });

  test('refuses a cursor of another filter and a time that is none, naming the field', async () => {
    const caller = await fixture.newCaller();
    for (let nth = 0; nth < 3; nth++) await request(caller, fixture.newPhone());
    const cursor = encodeURIComponent((await listed(caller, '?limit=1')).meta.next_cursor ?? '');
    const admin = adminOf(fixture, caller);
    expect((await admin('GET', `/requests?limit=1&status=failed&cursor=${cursor}`)).body).toMatchObject({ code: 'invalid_cursor' });
    expect(await admin('GET', '/requests?from=yesterday')).toMatchObject({
      status: 422,
      body: { details: { from: [expect.any(String)] } },
    });
  });

  test('a request of the version before, whose id has no time, is found by its id as ever', async () => {
    const caller = await fixture.newCaller();
    const stored = await getRequest(caller.company.id, await request(caller, fixture.newPhone()));
    if (!stored) throw new Error('There is no row.');
    const before = { ...stored, id: '7b0f5a52-93c5-4d3c-9a51-1f1a6f7b8c9d' };
    await requestEntity.put(before);
    expect(requestEntity.key(before)).toEqual({ pk: `C#${caller.company.id}#V#${before.id}`, sk: 'REQUEST' });
    expect(await caller.get(`/status/${before.id}`)).toMatchObject({ status: 200, body: { status: 'pending' } });
  });
});

describe('getVerificationReport', () => {
  const report = async (caller: Caller, query = ''): Promise<unknown> =>
    z.object({ data: z.unknown() }).parse((await adminOf(fixture, caller)('GET', `/report${query}`)).body).data;

  test('counts each ended request once, by its day and profile, and no pending one; a recount finds no difference', async () => {
    const caller = await fixture.newCaller({ otp: { expiry_seconds: 600 } });
    const second = await secondKey(caller);
    for (let nth = 0; nth < 3; nth++) {
      const phone = fixture.newPhone();
      await verify(caller, phone, await request(caller, phone));
    }
    await request(caller, fixture.newPhone(), second.headers);
    expect(await report(caller)).toEqual([expect.objectContaining({ profile_id: caller.profileId, requested: 3, verified: 3 })]);
    fixture.testApp.clock.advance(660_000);
    await fixture.testApp.drain({ including: 'delayed' });
    const date = new Date(fixture.testApp.clock.now()).toISOString().slice(0, 10);
    const none = { requested: 0, verified: 0, failed: 0, expired: 0, blocked: 0 };
    const days = [
      { date, channel: null, country: null, reason: null, profile_id: caller.profileId, ...none, requested: 3, verified: 3 },
      { date, channel: null, country: null, reason: null, profile_id: second.id, ...none, requested: 1, expired: 1 },
    ];
    const found = await report(caller);
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(days));
    expect(await report(caller, `?profile_id=${second.id}`)).toEqual([days[1]]);
    expect(await report(await fixture.newCaller())).toEqual([]);
    expect(await recountAll(fixture.testApp, new Set([caller.company.id]))).toEqual([]);
  });

  test('by country has the phones of each, of emails none, and the same sums; what their codes cost is beside it, of its company alone', async () => {
    const [caller, other] = [await fixture.newCaller({ otp: { expiry_seconds: 600 } }), await fixture.newCaller()];
    const second = await secondKey(caller);
    const phones = [fixture.newPhone(), '+33612000981', fixture.newPhone()];
    for (const phone of phones.slice(0, 2)) await verify(caller, phone, await request(caller, phone));
    await request(caller, phones[2] ?? '');
    await request(caller, 'mail@by-country.example');
    const [own, foreign] = ['+33612000982', fixture.newPhone()];
    await request(caller, own, second.headers);
    await verify(other, foreign, await request(other, foreign));
    fixture.testApp.clock.advance(660_000);
    await fixture.testApp.drain({ including: 'delayed' });

    const line = z.looseObject({
      profile_id: z.string(),
      channel: z.string(),
      country: z.string().nullable(),
      requested: z.int(),
      verified: z.int(),
      expired: z.int(),
    });
    const found = z.array(line).parse(await report(caller, '?by=country'));
    const sums = sumsOver(
      found,
      ({ channel, country, profile_id: profile }) => `${channel} ${country} ${profile === second.id ? 'second' : 'first'}`,
      ({ requested, verified, expired }) => [requested, verified, expired],
    );
    expect(sums).toEqual({
      'whatsapp DE first': [2, 1, 1],
      'whatsapp FR first': [1, 1, 0],
      'whatsapp FR second': [1, 0, 1],
      'email null first': [1, 0, 1],
    });
    expect(JSON.stringify(found)).not.toMatch(/amount|currency|price/);

    const codesOf = async ({ company }: Caller, query: string): Promise<unknown> => {
      const { body } = await fixture.testApp.call({
        method: 'GET',
        path: `/api/v1/spend?by=country${query}`,
        token: company.tokens.owner,
      });
      const { data } = z.object({ data: z.object({ rows: z.array(z.object({ key: z.string(), messages: z.int() })) }) }).parse(body);
      return Object.fromEntries(data.rows.map(({ key, messages }) => [key, messages]));
    };
    expect(await codesOf(caller, '&only=codes')).toEqual({ DE: 2, FR: 2 });
    expect(await codesOf(caller, `&profile_id=${second.id}`)).toEqual({ FR: 1 });
    expect(await codesOf(other, '&only=codes')).toEqual({ DE: 1 });
    expect(await codesOf(other, `&profile_id=${second.id}`)).toEqual({});
    expect(await recountAll(fixture.testApp, new Set([caller.company.id]))).toEqual([]);
  });
});

describe('getVerificationReport by reason', () => {
  test('counts what failed and what was blocked by why, the rest without a reason, and the same sums; of its company alone', async () => {
    const otp = { max_attempts: 3, expiry_seconds: 600 };
    const [caller, other] = [await fixture.newCaller({ otp, countries: { mode: 'block', list: ['FR'] } }), await fixture.newCaller()];
    const tried = fixture.newPhone();
    const ofTried = await request(caller, tried);
    const wrong = wrongFor(await fixture.codeFor(tried));
    for (let nth = 0; nth < 3; nth++) await caller.post('/verify', { request_id: ofTried, code: wrong });
    fixture.provider.answering(() => ({ status: 400, body: { error: { code: 131026, message: 'undeliverable' } } }));
    for (let nth = 0; nth < 2; nth++) await request(caller, fixture.newPhone());
    await fixture.testApp.drain();
    fixture.provider.answering(undefined);
    for (const identifier of ['+33612000983', '+33612000984', '+33612000985', 'grace@mailinator.com']) {
      const { body } = await caller.post('/request', { identifier }, { ip: fixture.newAddress() });
      expect(body, identifier).toMatchObject({ code: identifier.includes('@') ? 'disposable_email' : 'country_not_allowed' });
    }
    const [verified, foreign] = [fixture.newPhone(), fixture.newPhone()];
    await verify(caller, verified, await request(caller, verified));
    await request(caller, fixture.newPhone());
    await verify(other, foreign, await request(other, foreign));
    fixture.testApp.clock.advance(660_000);
    await fixture.testApp.drain({ including: 'delayed' });

    const line = z.looseObject({
      channel: z.string(),
      reason: z.string().nullable(),
      requested: z.int(),
      failed: z.int(),
      blocked: z.int(),
    });
    const linesOf = async (of: Caller): Promise<z.output<typeof line>[]> =>
      z.array(line).parse(z.object({ data: z.unknown() }).parse((await adminOf(fixture, of)('GET', '/report?by=reason')).body).data);
    const sums = sumsOver(
      await linesOf(caller),
      ({ channel, reason }) => `${channel} ${reason}`,
      ({ requested, failed, blocked }) => [requested, failed, blocked],
    );
    expect(sums).toEqual({
      'whatsapp attempts_exhausted': [1, 1, 0],
      'whatsapp delivery_failed': [2, 2, 0],
      'whatsapp country_not_allowed': [3, 0, 3],
      'email disposable_email': [1, 0, 1],
      'whatsapp null': [2, 0, 0],
    });
    expect(await linesOf(other)).toEqual([expect.objectContaining({ channel: 'whatsapp', reason: null, requested: 1 })]);
    expect(await recountAll(fixture.testApp, new Set([caller.company.id, other.company.id]))).toEqual([]);
  });

  test('of days before reasons were counted are of none, and a reason of a later release is another, so that nothing is lost', () => {
    const counted = verificationCountsByReason({
      'v/whatsapp/failed/0a0b0c0d': 5,
      'v/whatsapp/failed': 2,
      'v/email/blocked/0a0b0c0d': 1,
      'v/whatsapp/verified/0a0b0c0d': 3,
      'cr/whatsapp/failed/0a0b0c0d/delivery_failed': 2,
      'cr/whatsapp/failed/0a0b0c0d/of_a_later_release': 1,
      'cr/email/blocked/0a0b0c0d/disposable_email': 1,
      'ck/failed/0a0b0c0d/DE': 4,
      'c/whatsapp/failed': 7,
    });
    expect(counted.map(({ channel, status, profile, reason, count }) => [channel, status, profile, reason, count])).toEqual([
      ['whatsapp', 'failed', '0a0b0c0d', 'delivery_failed', 2],
      ['whatsapp', 'failed', '0a0b0c0d', 'other', 1],
      ['email', 'blocked', '0a0b0c0d', 'disposable_email', 1],
      ['whatsapp', 'failed', '0a0b0c0d', null, 2],
      ['whatsapp', 'failed', undefined, null, 2],
      ['whatsapp', 'verified', '0a0b0c0d', null, 3],
    ]);
  });
});

describe('requests by country', () => {
  test('of days before countries were counted are of none, so that nothing is lost and nothing counts twice', () => {
    const [verified, expired] = ['v/whatsapp/verified/0a0b0c0d', 'v/whatsapp/expired/0a0b0c0d'];
    const counted = verificationCountsByCountry({
      [verified]: 5,
      [expired]: 2,
      'v/email/verified/0a0b0c0d': 1,
      'v/whatsapp/verified': 3,
      'ck/verified/0a0b0c0d/DE': 2,
      'ck/verified/0a0b0c0d/ZZ': 1,
      'ck/expired/0a0b0c0d/DE': 2,
      'c$/0a0b0c0d/DE': 4,
    });
    const rows = counted.map(({ channel, status, country, profile, count }) => [channel, status, country, profile, count]);
    expect(rows).toEqual([
      ['whatsapp', 'verified', 'DE', '0a0b0c0d', 2],
      ['whatsapp', 'verified', 'ZZ', '0a0b0c0d', 1],
      ['whatsapp', 'expired', 'DE', '0a0b0c0d', 2],
      ['whatsapp', 'verified', null, '0a0b0c0d', 2],
      ['email', 'verified', null, '0a0b0c0d', 1],
      ['whatsapp', 'verified', null, undefined, 3],
    ]);
  });
});
