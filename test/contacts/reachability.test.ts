import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { phoneQuotaEntity } from '../../functions/contacts/store/reachability.ts';
import * as z from 'zod';
import { phoneCheck } from '../../functions/contacts/contract/phone-check.ts';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import type { Reachability } from '../../functions/contacts/contract/phone-check.ts';
import { checkResultOf, type Evidence, noEvidence, verdictOf, withEvidence } from '../../functions/contacts/domain/reachability.ts';
import { sendResult } from '../../functions/messaging/contract/send-fields.ts';
import { dayMs, minuteMs } from '../../shared/runtime/clock.ts';
import { inboundText, newCompany, statusPost, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const hourMs = 60 * minuteMs;
const row = (...evidence: Evidence[]): Reachability => evidence.reduce(withEvidence, noEvidence(1, '4915112345678'));
const seen = (at: number): Evidence => ({ kind: 'seen', at });
const missed = (at: number): Evidence => ({ kind: 'missed', at });

describe('evidence', () => {
  test.each<[string, Evidence[], boolean | undefined]>([
    ['none', [], undefined],
    ['a delivery or a message from the person', [seen(1)], true],
    ['one undeliverable message', [missed(1)], undefined],
    ['two within a day', [missed(1), missed(dayMs)], undefined],
    ['two a day apart', [missed(1), missed(1 + dayMs)], false],
    ['two a day apart, a proof between them', [missed(0), seen(5), missed(dayMs)], true],
    ['two a day apart, then a proof', [missed(0), missed(dayMs), seen(dayMs + 1)], true],
    ['a proof, then two a day apart', [seen(1), missed(2), missed(2 + dayMs)], false],
    ['three, the first two close together', [missed(0), missed(hourMs), missed(dayMs)], false],
    ['a proof that comes late, from between them', [missed(0), missed(dayMs), seen(5)], true],
  ])('%s: %#', (_, evidence, exists) => {
    expect(verdictOf(row(...evidence))?.exists).toBe(exists);
  });

  const someEvidence = fc.array(
    fc.record({
      kind: fc.constantFrom('seen' as const, 'missed' as const),
      at: fc.integer({ min: 0, max: 40 }).map((n) => n * 6 * hourMs),
    }),
    { maxLength: 8 },
  );

  test('repeated after any other evidence, changes no verdict', () => {
    fc.assert(
      fc.property(someEvidence, (evidence) => {
        const once = row(...evidence);
        const inOrder = row(...evidence.toSorted((a, b) => a.at - b.at));
        const again = evidence.toSorted((a, b) => a.at - b.at).reduce(withEvidence, inOrder);
        expect(verdictOf(again)?.exists).toBe(verdictOf(inOrder)?.exists);
        const proofs = evidence.filter(({ kind }) => kind === 'seen').map(({ at }) => at);
        // never absent after a proof, unless two undeliverable messages a day apart followed it
        if (verdictOf(once)?.exists === false) {
          const after = evidence.filter(({ kind, at }) => kind === 'missed' && at >= (once.seenAt ?? 0)).map(({ at }) => at);
          expect(Math.max(...after) - Math.min(...after)).toBeGreaterThanOrEqual(dayMs);
        }
        if (proofs.length > 0) expect(verdictOf(once)).toBeDefined();
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  test('that is not new returns the same row, so that nothing is written', () => {
    const known = row(seen(10 * dayMs));
    for (const evidence of [seen(10 * dayMs), seen(11 * dayMs), seen(0), missed(9 * dayMs)])
      expect(withEvidence(known, evidence)).toBe(known);
    expect(withEvidence(known, seen(26 * dayMs))).not.toBe(known);
  });
});

describe('the result', () => {
  const at = 100 * dayMs;
  const requested = (ago: number, more: Partial<Reachability> = {}): Reachability => ({
    ...row(),
    checkedAt: at - ago,
    pendingSince: at - ago,
    ...more,
  });

  test.each<[string, Reachability | undefined, boolean, string]>([
    ['nothing known', undefined, false, 'check_needed'],
    ['a proof 29 days old', row(seen(at - 29 * dayMs)), false, 'settled true webhook'],
    ['a proof 30 days old', row(seen(at - 30 * dayMs)), false, 'check_needed'],
    ['misses 6 days old', row(missed(at - 8 * dayMs), missed(at - 6 * dayMs)), false, 'settled false webhook'],
    ['misses 7 days old', row(missed(at - 9 * dayMs), missed(at - 7 * dayMs)), false, 'check_needed'],
    ['a proof, refreshed', row(seen(at - dayMs)), true, 'check_needed'],
    [
      'a proof, refreshed inside the cooldown',
      { ...row(seen(at - dayMs)), checkedAt: at - 14 * minuteMs, pendingSince: at - 14 * minuteMs },
      true,
      'settled true cache',
    ],
    [
      'a proof, asked again after a refresh',
      { ...row(seen(at - dayMs)), checkedAt: at - hourMs, pendingSince: at - hourMs },
      false,
      'settled true cache',
    ],
    [
      'a proof since the check',
      { ...row(seen(at - minuteMs)), checkedAt: at - hourMs, pendingSince: at - hourMs },
      false,
      'settled true webhook',
    ],
    [
      'a proof in the second of the check',
      { ...row(seen(at)), checkedAt: at + 400, pendingSince: at + 400 },
      false,
      'settled true webhook',
    ],
    ['asked a minute ago', requested(minuteMs), false, 'pending cooling'],
    ['asked an hour ago', requested(hourMs), false, 'pending'],
    ['asked a minute ago, refreshed', requested(minuteMs), true, 'pending cooling'],
    ['checked an hour ago, refreshed', requested(hourMs), true, 'check_needed'],
    ['asked a day ago', requested(dayMs), false, 'inconclusive'],
    ['checked a day ago, refreshed', requested(dayMs), true, 'check_needed'],
    ['checked eight days ago', requested(8 * dayMs), false, 'check_needed'],
  ])('%s', (_, known, refresh, expected) => {
    const answer = checkResultOf(known, refresh, at);
    const summary =
      answer.status === 'settled'
        ? `settled ${answer.exists} ${answer.source}`
        : `${answer.status}${answer.status !== 'check_needed' && answer.cooldownUntil !== undefined ? ' cooling' : ''}`;
    expect(summary).toBe(expected);
  });
});

describe('POST /contacts/check-phone', () => {
  let testApp: TestApp;
  let stub: ProviderStub;
  let company: TestCompany;
  let phones = 0;
  let phone = '';
  beforeAll(async () => {
    stub = await startProviderStub();
    testApp = await startTestApp({ env: { PROVIDER_BASE_URL: stub.url } });
  });
  beforeEach(async () => {
    company = await newCompany({ roles: ['member', 'owner'] });
    phone = `49151999${String(++phones).padStart(5, '0')}`;
  });
  afterAll(async () => {
    await testApp.stop();
    await stub.stop();
  });

  const request = (body: unknown, token = company.tokens.member): Promise<Answer> =>
    testApp.call({ method: 'POST', path: '/api/v1/contacts/check-phone', token, body });
  const check = async (given: { phone?: string; refresh?: boolean } = {}) => {
    const answer = await request({ phone, ...given });
    return { status: answer.status, ...z.object({ data: phoneCheck.strict() }).parse(answer.body).data };
  };
  const send = async () => {
    const answer = await testApp.call({
      method: 'POST',
      path: '/api/v1/messages/text',
      token: company.tokens.member,
      body: { phone, message: 'Hi' },
    });
    await testApp.drain();
    return {
      ...z.object({ data: sendResult }).parse(answer.body).data,
      reference: String(stub.requests.at(-1)?.body['biz_opaque_callback_data']),
    };
  };
  const status = async (
    sent: { message_wamid: string | null; reference: string },
    given: Record<string, unknown> & { status: string },
    times = 1,
  ) => {
    const post = statusPost(company, { id: sent.message_wamid ?? '', biz_opaque_callback_data: sent.reference, ...given });
    for (let i = 0; i < times; i++) await testApp.call(post);
    await testApp.drain();
  };
  const miss = async (times = 1): Promise<void> =>
    status(await send(), { status: 'failed', errors: [{ code: 131026, title: 'Message undeliverable' }] }, times);
  const rows = async () => (await testApp.dump()).filter(({ kind, companyId }) => kind === 'reachability' && companyId === company.id);
  const flag = async (): Promise<unknown> => {
    const answer = await testApp.call({ method: 'GET', path: '/api/v1/contacts?limit=1', token: company.tokens.member });
    return z.object({ data: z.array(contactRecord) }).parse(answer.body).data[0]?.is_on_whatsapp;
  };

  test('an impossible number is settled by its format, without using quota', async () => {
    expect(await check({ phone: '+12 34' })).toEqual({
      status: 200,
      phone: '1234',
      is_valid: false,
      exists_on_whatsapp: false,
      check_status: 'settled',
      source: 'format',
      cooldown_until: null,
    });
    expect(await check({ phone: 'nobody' })).toMatchObject({ status: 200, is_valid: false, source: 'format' });
    expect((await request({ phone: '' })).status).toBe(422);
    expect((await request({})).status).toBe(422);
    expect((await request({ phone, refresh: 'soon' })).status).toBe(422);
  });

  test('an unknown number is 202 pending with both results null, during the cooldown and after', async () => {
    const first = await check({ phone: `+${phone}` });
    expect(first).toMatchObject({
      status: 202,
      phone,
      is_valid: null,
      exists_on_whatsapp: null,
      check_status: 'pending',
      source: 'live_pending',
    });
    expect(await check()).toEqual(first);
    expect(await check({ refresh: true })).toEqual(first);
    testApp.clock.advance(16 * minuteMs);
    expect(await check()).toMatchObject({ status: 202, cooldown_until: null });
  });

  test('a day without evidence is inconclusive, and a refresh starts again', async () => {
    await check();
    testApp.clock.advance(dayMs);
    expect(await check()).toMatchObject({ status: 200, check_status: 'inconclusive', is_valid: null, exists_on_whatsapp: null });
    expect(await check({ refresh: true })).toMatchObject({ status: 202, check_status: 'pending' });
  });

  test('an inbound message settles a pending check, and is_on_whatsapp of the contact follows', async () => {
    await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.member, body: { phone: `+${phone}` } });
    await check();
    expect(await flag()).toBe(false);
    await testApp.call(inboundText(company, { from: phone, text: 'Hi' }));
    await testApp.drain();
    expect(await check()).toMatchObject({
      status: 200,
      is_valid: true,
      exists_on_whatsapp: true,
      check_status: 'settled',
      source: 'webhook',
    });
    expect(await flag()).toBe(true);
  });

  test.each(['delivered', 'read'])('a %s status settles it, also when delivered three times', async (summary) => {
    await status(await send(), { status: summary }, 3);
    expect(await check()).toMatchObject({ status: 200, exists_on_whatsapp: true });
    expect(await flag()).toBe(true);
    expect(await rows()).toHaveLength(1);
  });

  test('a refresh ignores earlier evidence, once in fifteen minutes', async () => {
    await status(await send(), { status: 'delivered' });
    testApp.clock.advance(1_000);
    const live = await check({ refresh: true });
    expect(live).toMatchObject({ status: 202, source: 'live_pending' });
    expect(await check({ refresh: true })).toMatchObject({
      status: 200,
      source: 'cache',
      exists_on_whatsapp: true,
      cooldown_until: live.cooldown_until,
    });
    expect(await check()).toMatchObject({ status: 200, source: 'cache', exists_on_whatsapp: true });
    testApp.clock.advance(15 * minuteMs);
    expect(await check({ refresh: true })).toMatchObject({ status: 202 });
  });

  test('two undeliverable messages a day apart settle it to false; a repeated one does not; an inbound message reverts it', async () => {
    await miss(3);
    expect((await check()).status).toBe(202);
    testApp.clock.advance(dayMs + 1_000);
    await miss();
    expect(await check()).toMatchObject({ status: 200, exists_on_whatsapp: false, is_valid: true, source: 'webhook' });
    expect(await flag()).toBe(false);
    testApp.clock.advance(minuteMs);
    await testApp.call(inboundText(company, { from: phone, text: 'I am here now' }));
    await testApp.drain();
    expect(await check()).toMatchObject({ status: 200, exists_on_whatsapp: true });
    expect(await flag()).toBe(true);
  });

  test('an inbound message between two undeliverable ones prevents false, also within an active conversation', async () => {
    const write = async (): Promise<void> => {
      await testApp.call(inboundText(company, { from: phone, text: 'Hi' }));
      await testApp.drain();
    };
    await write();
    testApp.clock.advance(hourMs);
    await miss();
    testApp.clock.advance(hourMs);
    await write();
    testApp.clock.advance(dayMs);
    await miss();
    expect(await check()).toMatchObject({ exists_on_whatsapp: true });
  });

  test('variants of a number share the result, companies do not', async () => {
    const mexican = `52155${String(10_000_000 + phones)}`;
    await testApp.call(inboundText(company, { from: mexican, text: 'Hola' }));
    await testApp.drain();
    expect(await check({ phone: mexican.replace(/^521/, '52') })).toMatchObject({ status: 200, exists_on_whatsapp: true });
    company = await newCompany({ roles: ['member', 'owner'] });
    expect((await check({ phone: mexican })).status).toBe(202);
  });

  test('thirty live checks a minute, then 429 check_phone_quota; known results are still returned', async () => {
    await status(await send(), { status: 'delivered' });
    const token = company.tokens.member;
    const live = (n: number): Promise<Answer> => request({ phone: `4917${String(n).padStart(8, '0')}` }, token);
    const minute = Math.floor(testApp.clock.now() / minuteMs) + 1;
    testApp.clock.moveTo(minute * minuteMs);
    const answers = await Promise.all(Array.from({ length: 35 }, (_, n) => live(n)));
    expect([202, 429].map((code) => answers.filter((answer) => answer.status === code).length)).toEqual([30, 5]);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.body).toMatchObject({ code: 'check_phone_quota', details: { scope: 'minute', limit: 30 } });
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(await check()).toMatchObject({ status: 200, exists_on_whatsapp: true });
    const quota = (await testApp.dump()).find(({ kind, companyId }) => kind === 'phone-check-quota' && companyId === company.id);
    expect(quota?.['used']).toBe(30);
  });

  test('a thousand live checks a day, then 429 until the end of the UTC day; known results are still returned', async () => {
    await status(await send(), { status: 'delivered' });
    const token = company.tokens.member;
    let requested = 0;
    const live = (): Promise<Answer> => request({ phone: `4917${String(++requested).padStart(8, '0')}` }, token);
    testApp.clock.moveTo((Math.floor(testApp.clock.now() / dayMs) + 1) * dayMs);
    const minuteOfChecks = async (): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: 30 }, live));
      testApp.clock.advance(minuteMs);
      return [202, 429].map((code) => answers.filter((answer) => answer.status === code).length);
    };
    expect(await minuteOfChecks()).toEqual([30, 0]);
    // as after 954 more, which take half an hour and half the time of this file
    await phoneQuotaEntity.change({ companyId: company.id, day: Math.floor(testApp.clock.now() / dayMs) }, { set: { used: 984 } });
    expect(await minuteOfChecks()).toEqual([16, 14]);
    const refused = await live();
    expect(refused).toMatchObject({ status: 429, body: { code: 'check_phone_quota', details: { scope: 'day', limit: 1_000 } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * 3_600);
    expect(await check()).toMatchObject({ status: 200, exists_on_whatsapp: true });
    testApp.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect((await live()).status).toBe(202);
  });

  test('two parallel checks of one phone are one live check', async () => {
    const [a, b] = await Promise.all([check(), check()]);
    expect(a).toEqual(b);
    const quota = (await testApp.dump()).find(({ kind, companyId }) => kind === 'phone-check-quota' && companyId === company.id);
    expect(quota?.['used']).toBe(1);
  });

  test('known evidence costs no write: a later delivery reads once, a message of an active conversation reads nothing', async () => {
    await testApp.call(inboundText(company, { from: phone, text: 'Hi' }));
    await testApp.drain();
    await status(await send(), { status: 'delivered' });
    const before = await rows();
    const sent = await send();
    await testApp.call(
      statusPost(company, { id: sent.message_wamid ?? '', biz_opaque_callback_data: sent.reference, status: 'delivered' }),
    );
    const delivered = await testApp.meter(() => testApp.drain());
    // the other half is the part of the day's usage, and one is what endpoints subscribe to
    expect(delivered).toMatchObject({ wru: 1 + 1, rru: 0.5 + 0.5 + 1 });
    await testApp.call(inboundText(company, { from: phone, text: 'Again' }));
    const wrote = await testApp.meter(() => testApp.drain());
    expect(wrote.wru).toBeLessThanOrEqual(5);
    expect(wrote.rru).toBeLessThanOrEqual(2);
    expect(await rows()).toEqual(before);
  });

  test('repeated, lost and shuffled deliveries of queue and stream end with the same row', async () => {
    for (const seed of [1, 2, 3]) {
      const [clean, rough] = [await newCompany(), await newCompany()];
      const results: unknown[] = [];
      for (const each of [clean, rough]) {
        company = each;
        const disorder = each === rough ? { disorder: { seed, duplicate: 0.3, crash: 0.3, reorder: true } } : {};
        for (const post of [inboundText(company, { from: phone, text: 'Hi', at: 1_700_000_000_000 })]) await testApp.call(post);
        await testApp.drain(disorder);
        results.push((await rows()).map(({ seenAt, missedAt }) => ({ seenAt, missedAt })));
      }
      expect(results[0]).toEqual(results[1]);
    }
  });
});
