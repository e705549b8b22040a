import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isExpectedAnswer } from '../../functions/verification/domain/captcha-answer.ts';
import { findContradictions } from '../../functions/verification/domain/settings-input.ts';
import { parseSettings } from '../../functions/verification/domain/settings.ts';
import { attack } from '../support/attack.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { adminOf, type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** What a profile spends and what it risks in total, whatever number of identifiers and addresses an attack has. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: { SITEVERIFY_URL: 'https://captcha.example/siteverify' } });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const V = 'functions/verification/';
let addresses = 0;
const request = (caller: Caller, identifier: string, more: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  caller.post(
    '/request',
    { identifier, ...more },
    { ip: `198.18.${Math.floor(++addresses / 250)}.${addresses % 250}`, ...(headers ? { headers } : {}) },
  );
const hourMs = 3_600_000;
const toNextHour = (): void => fixture.testApp.clock.moveTo((Math.floor(fixture.testApp.clock.now() / hourMs) + 1) * hourMs);

describe('codes', () => {
  attack(
    'codes to ever new identifiers have no ceiling',
    [
      { in: `${V}store/code-ceiling.ts`, replace: 'atMost(field, perHour - count)', by: 'atMost(field, 1_000 * perHour)' },
      {
        in: `${V}service/create-or-reuse-request.ts`,
        replace: 'const ceiling = await reserveCode(request, at);',
        by: 'const ceiling = undefined as Awaited<ReturnType<typeof reserveCode>>;',
      },
    ],
    async () => {
      const caller = await fixture.newCaller({ ceilings: { per_hour: 3 } });
      toNextHour();
      for (let i = 0; i < 3; i++) expect((await request(caller, fixture.newPhone())).status).toBe(200);
      for (let i = 0; i < 3; i++)
        expect(await request(caller, fixture.newPhone())).toMatchObject({
          status: 429,
          body: { code: 'ceiling_reached', retry_after: expect.any(Number) },
        });
      // a silent request sends no code
      const silent = await request(caller, fixture.newPhone(), { silent: true });
      expect(silent.status).toBe(200);
      expect(await caller.post('/resend', { request_id: field(silent, 'request_id') })).toMatchObject({
        body: { code: 'ceiling_reached' },
      });
      expect((await request(await fixture.newCaller({ ceilings: { per_hour: 3 } }), fixture.newPhone())).status).toBe(200);
      await fixture.testApp.drain();
      const events = fixture.testApp.events.filter(
        ({ name, detail }) => name === 'verification.ceiling_reached' && JSON.stringify(detail).includes(caller.profileId),
      );
      expect(events.map(({ detail }) => detail['data'])).toEqual([
        { profile_id: caller.profileId, window: 'hour', limit: 3, ends_at: expect.any(String), country: null },
      ]);
      toNextHour();
      expect((await request(caller, fixture.newPhone())).status).toBe(200);
    },
  );

  attack(
    'codes of a day have no ceiling',
    [{ in: `${V}store/code-ceiling.ts`, replace: "atMost('codes', perDay - count)", by: "atMost('codes', 1_000 * perDay)" }],
    async () => {
      const caller = await fixture.newCaller({ ceilings: { per_hour: 2, per_day: 3 } });
      const day = 24 * hourMs;
      fixture.testApp.clock.moveTo((Math.floor(fixture.testApp.clock.now() / day) + 1) * day);
      const sent: number[] = [];
      for (let i = 0; i < 5; i++) {
        sent.push((await request(caller, fixture.newPhone())).status);
        if (i === 1) toNextHour();
      }
      expect(sent).toEqual([200, 200, 200, 429, 429]);
    },
  );

  attack(
    'codes to one expensive country use up what the company wants to spend',
    [
      {
        in: `${V}store/code-ceiling.ts`,
        replace: 'atMost(ofCountry, country.perDay - count))] : []),',
        by: 'atMost(ofCountry, 1_000 + country.perDay - count))] : []),',
      },
      {
        in: `${V}service/create-or-reuse-request.ts`,
        replace: 'await reserveCode(request, at);',
        by: 'await reserveCode({ ...request, country: undefined }, at);',
      },
      { in: `${V}domain/settings.ts`, replace: "(limits[country] ?? limits['*'])", by: '(limits[country])' },
    ],
    async () => {
      const caller = await fixture.newCaller({
        ceilings: { per_hour: 200, per_day: 200, countries: { NG: 3, FR: 0, '*': 2 } },
        velocity: { max_identifiers: 1_000 },
      });
      const day = 24 * hourMs;
      fixture.testApp.clock.moveTo((Math.floor(fixture.testApp.clock.now() / day) + 1) * day);
      let phones = 0;
      const trusted = { 'x-secret-key': caller.secretKey };
      const to = async (prefix: string, count: number): Promise<number[]> => {
        const phonesOf = Array.from({ length: count }, () => `+${prefix}${String(++phones).padStart(7, '0')}`);
        const statuses: number[] = [];
        for (const phone of phonesOf) statuses.push((await request(caller, phone, {}, trusted)).status);
        return statuses;
      };
      const [nigerian, british, french, german] = ['234803', '44740', '3361', '491511'] as const;
      expect(await to(nigerian, 5)).toEqual([200, 200, 200, 429, 429]);
      expect(await to(british, 3)).toEqual([200, 200, 429]);
      expect(await to(german, 4)).toEqual([200, 200, 429, 429]);
      expect(await to(french, 1)).toEqual([429]);
      // an address has no country
      expect((await request(caller, `someone${++phones}@example.org`, {}, trusted)).status).toBe(200);
      await fixture.testApp.drain();
      const published = fixture.testApp.events.filter(
        ({ name, detail }) => name === 'verification.ceiling_reached' && JSON.stringify(detail).includes(caller.profileId),
      );
      const once = new Map(published.map(({ detail }) => [JSON.stringify(detail['data']), detail['data'] as Record<string, unknown>]));
      expect([...once.values()]).toEqual(
        expect.arrayContaining([
          { profile_id: caller.profileId, window: 'day', limit: 3, ends_at: expect.any(String), country: 'NG' },
          { profile_id: caller.profileId, window: 'day', limit: 2, ends_at: expect.any(String), country: 'DE' },
        ]),
      );
      expect(published.length).toBe(once.size);
      fixture.testApp.clock.moveTo((Math.floor(fixture.testApp.clock.now() / day) + 1) * day);
      expect(await to(nigerian, 1)).toEqual([200]);
    },
  );

  test('a country with a ceiling of its own is never sent more by parallel requests, and costs one write for several codes', async () => {
    const caller = await fixture.newCaller({
      ceilings: { per_hour: 5_000, per_day: 5_000, countries: { DE: 400 } },
      velocity: { max_identifiers: 1_000 },
    });
    toNextHour();
    const trusted = { 'x-secret-key': caller.secretKey };
    await request(caller, fixture.newPhone(), {}, trusted);
    const used = await fixture.testApp.meter(() => request(caller, fixture.newPhone(), {}, trusted));
    const other = await fixture.newCaller({ ceilings: { per_hour: 5_000, per_day: 5_000 }, velocity: { max_identifiers: 1_000 } });
    await request(other, fixture.newPhone(), {}, { 'x-secret-key': other.secretKey });
    const without = await fixture.testApp.meter(() => request(other, fixture.newPhone(), {}, { 'x-secret-key': other.secretKey }));
    expect(used.wru).toBe(without.wru);
    const small = await fixture.newCaller({ ceilings: { countries: { DE: 5 } }, velocity: { max_identifiers: 1_000 } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => request(small, fixture.newPhone(), {}, { 'x-secret-key': small.secretKey })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  });

  test('a ceiling of 2,000 costs one write for twenty codes, and is never exceeded by parallel requests', async () => {
    const caller = await fixture.newCaller({ ceilings: { per_hour: 300, per_day: 300 }, velocity: { max_identifiers: 1_000 } });
    toNextHour();
    await request(caller, fixture.newPhone());
    const used = await fixture.testApp.meter(() => request(caller, fixture.newPhone()));
    // the request and what counts it by source and identifier; nothing for the ceiling, reserved with the first
    expect(used.wru).toBe(3 + 2);
    const small = await fixture.newCaller({ ceilings: { per_hour: 5 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(small, fixture.newPhone())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  });

  attack(
    'one mailbox is flooded through its aliases',
    [
      { in: `${V}domain/identifier.ts`, replace: ".split('+');", by: ".split('\\n');" },
      { in: `${V}domain/identifier.ts`, replace: "name.replaceAll('.', '')", by: 'name' },
    ],
    async () => {
      const caller = await fixture.newCaller();
      const aliases = ['victim+1', 'v.ictim', 'vi.ctim+shop', 'v.i.c.t.i.m', 'victim+5', 'victim+6', 'vict.im'].map(
        (name) => `${name}@gmail.com`,
      );
      const answers = [];
      for (const alias of aliases) answers.push(field(await request(caller, alias), 'code') ?? 'sent');
      expect(answers).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'otp_bombing', 'otp_bombing']);
      // the address itself has its own limit, so that aliases keep no one from a code; elsewhere dots are part of the name
      for (const other of ['victim@gmail.com', 'v.other@example.org', 'vother@example.org'])
        expect((await request(caller, other)).status).toBe(200);
    },
  );

  test('an alias is an identifier of its own: what it proves holds for no other', async () => {
    const caller = await fixture.newCaller();
    const first = await request(caller, 'owner+1@example.org');
    const answer = await caller.post('/verify', {
      request_id: field(first, 'request_id'),
      code: await fixture.codeFor('owner+1@example.org'),
    });
    const trust_key = field(answer, 'trust_key');
    expect(answer.body).toMatchObject({ verified: true, identifier: 'owner+1@example.org' });
    expect(field(await request(caller, 'owner+2@example.org', { trust_key }), 'cached')).toBe(false);
    expect(field(await request(caller, 'owner+1@example.org', { trust_key }), 'cached')).toBe(true);
  });
});

describe('wrong codes at many identifiers', () => {
  const spray = async (caller: Caller): Promise<void> => {
    for (let i = 0; i < 34; i++) {
      const request_id = field(await request(caller, fixture.newPhone()), 'request_id');
      for (let tryCode = 0; tryCode < 3; tryCode++)
        await caller.post('/verify', { request_id, code: 'WRONG1' }, { ip: `198.19.${i}.${tryCode}` });
    }
    await fixture.testApp.drain();
    // the rate is read every ten seconds
    fixture.testApp.clock.advance(11_000);
  };

  attack(
    'codes are sprayed over many identifiers of a profile',
    [{ in: `${V}domain/code-rate.ts`, replace: 'attempts - verified >= 100 &&', by: 'attempts - verified >= 100_000 &&' }],
    async () => {
      const caller = await fixture.newCaller();
      await spray(caller);
      const phone = fixture.newPhone();
      const answer = await request(caller, phone);
      expect(answer.body).toMatchObject({ otp_rules: { length: 8 } });
      const code = await fixture.codeFor(phone);
      expect(code).toHaveLength(8);
      expect((await caller.post('/verify', { request_id: field(answer, 'request_id'), code })).body).toMatchObject({ verified: true });
      fixture.testApp.clock.advance(2 * hourMs);
      expect((await request(caller, fixture.newPhone())).body).toMatchObject({ otp_rules: { length: 6 } });
    },
  );

  test('with a CAPTCHA the profile requires it then, and its server gets longer codes', async () => {
    const caller = await fixture.newCaller();
    const captcha = { mode: 'after_x_attempts', after_attempts: 100, secret_key: 'not a secret' };
    await adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json: { captcha } });
    await spray(caller);
    expect((await request(caller, fixture.newPhone())).body).toMatchObject({ code: 'captcha_required' });
    const served = await request(caller, fixture.newPhone(), {}, { 'x-secret-key': caller.secretKey });
    expect(served.body).toMatchObject({ otp_rules: { length: 8 } });
  });
});

describe('settings', () => {
  const refused = (settings: Record<string, unknown>): boolean =>
    'settings_json.guess_budget_per_day' in findContradictions(parseSettings(settings));

  attack(
    'settings are taken by which a code is found in a day',
    [
      {
        in: `${V}domain/settings-input.ts`,
        replace: 'settings.guess_budget_per_day > maxOddsADay * codeSpace(settings.otp)',
        by: 'settings.guess_budget_per_day > 1_000 + maxOddsADay * codeSpace(settings.otp)',
      },
    ],
    async () => {
      for (const weak of [
        { otp: { length: 4 } },
        { otp: { length: 5 } },
        { guess_budget_per_day: 1_000 },
        { otp: { length: 4, type: 'alphanumeric' }, guess_budget_per_day: 500 },
      ])
        expect([weak, refused(weak)]).toEqual([weak, true]);
      for (const strong of [
        {},
        { otp: { length: 4 }, guess_budget_per_day: 1 },
        { otp: { length: 8 }, guess_budget_per_day: 1_000 },
        { otp: { length: 4, type: 'alphanumeric' } },
      ])
        expect([strong, refused(strong)]).toEqual([strong, false]);
      const caller = await fixture.newCaller();
      const put = (settings_json: Record<string, unknown>) =>
        adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json });
      expect(await put({ otp: { length: 4 } })).toMatchObject({
        status: 422,
        body: { details: { 'settings_json.guess_budget_per_day': [expect.stringContaining('longer codes')] } },
      });
      expect((await put({ otp: { length: 8 }, guess_budget_per_day: 20 })).status).toBe(200);
    },
  );

  test('by which a country has a ceiling are of countries and whole numbers alone, and null removes one', async () => {
    const caller = await fixture.newCaller();
    const put = (given: unknown) =>
      adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json: { ceilings: { countries: given } } });
    for (const wrong of [{ ng: 1 }, { NGA: 1 }, { '': 1 }, { NG: -1 }, { NG: 1.5 }, { NG: '5' }, { NG: 10_000_001 }, ['NG'], 'NG', 5])
      expect((await put(wrong)).status, JSON.stringify(wrong)).toBe(422);
    const ceilingsOf = ({ body }: { body: unknown }): unknown =>
      (body as { data: { settings_json: { ceilings: { countries: unknown } } } }).data.settings_json.ceilings.countries;
    expect(ceilingsOf(await put({ NG: 200, FR: 0, '*': 50 }))).toEqual({ NG: 200, FR: 0, '*': 50 });
    expect(ceilingsOf(await put({ NG: null, '*': 60 }))).toEqual({ FR: 0, '*': 60 });
    expect(ceilingsOf(await put(null))).toEqual({});
  });

  attack(
    'a CAPTCHA answer of another site, another form or an hour ago is taken',
    [
      { in: `${V}domain/captcha-answer.ts`, replace: 'hostnames.length === 0 ||', by: 'hostnames.length < 9 ||' },
      { in: `${V}domain/captcha-answer.ts`, replace: "action === '' ||", by: "action !== '-' ||" },
      { in: `${V}domain/captcha-answer.ts`, replace: 'solvedAt === undefined ||', by: 'solvedAt !== null ||' },
      { in: `${V}service/captcha.ts`, replace: 'answer && isExpectedAnswer(', by: 'answer && !!isExpectedAnswer || isExpectedAnswer({}, ' },
    ],
    async () => {
      const caller = await fixture.newCaller();
      const captcha = { mode: 'always', secret_key: 'not a secret', hostnames: ['shop.example'], action: 'login' };
      await adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json: { captcha } });
      const at = fixture.testApp.clock.now();
      const good = { hostname: 'www.shop.example', action: 'login', challenge_ts: new Date(at - 60_000).toISOString() };
      const answers: [Record<string, string>, number][] = [
        [good, 200],
        [{ ...good, hostname: 'evil.example' }, 422],
        [{ ...good, action: 'newsletter' }, 422],
        [{ ...good, challenge_ts: new Date(at - 3_600_000).toISOString() }, 422],
        [{ ...good, challenge_ts: 'no time' }, 422],
      ];
      for (const [answer, status] of answers) {
        using _provider = onFetch(async (address, call) =>
          address.endsWith('/siteverify') ? Response.json({ success: true, ...answer }) : call(),
        );
        expect([answer, (await request(caller, fixture.newPhone(), { captcha_token: 'x' })).status]).toEqual([answer, status]);
      }
      expect(isExpectedAnswer({}, { hostnames: [], action: '' }, at)).toBe(true);
    },
  );
});
