import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getActiveNumber } from '../../functions/account/service/numbers.ts';
import { sendCodeMessage } from '../../functions/messaging/service/send-code.ts';
import { reserveCampaignSlots } from '../../functions/messaging/service/send-slots.ts';
import { replayHalfADayLater } from '../support/fault-injection.ts';
import type { TestCompany } from '../support/company.ts';
import { isFullSize, runSize } from '../support/run-size.ts';
import type { Answer } from '../support/gateway-event.ts';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import { ceilingsOf, importPrices, microsIn, moveToMidMonth, publishedIn, type TestDay, withNumbers } from './fixture.ts';

const price = 0.1131;
let fixture: CampaignFixture;
let today: TestDay;
let phones = 0;
beforeAll(async () => {
  fixture = await startFixture();
  today = moveToMidMonth(fixture.testApp);
  await importPrices({ DE: String(price), FR: '0.05' });
});
afterAll(() => fixture.stop());

const newPhone = (): string => `49157${String(++phones).padStart(8, '0')}`;
const times = (count: number): string => (price * count).toFixed(4);
const newCompany = (): Promise<TestCompany> => fixture.campaigner(1_000, { roles: ['owner', 'member'] });
const sendTemplate = (company: TestCompany, phone: string, key?: string, more: object = {}): Promise<Answer> =>
  fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/messages/template',
    token: company.tokens.member,
    body: { phone: `+${phone}`, template_name: 'plain', template_language: 'en', ...more },
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  });
const sendCode = async (company: TestCompany): Promise<string | undefined> => {
  const number = await getActiveNumber(company.id);
  if (!number) throw new Error('The company has no number.');
  const phone = newPhone();
  const message = { phone, payload: { type: 'text', text: { body: '123456' } } };
  const reference = { companyId: company.id, requestId: randomUUID(), send: 1 };
  return (await sendCodeMessage(number, reference, phone, () => Promise.resolve(message)))?.outcome;
};
const acceptedOf = async (phone: string): Promise<number> => (await fixture.ledger(phone)).length;
const codeOf = ({ body }: Answer): unknown => (body as { code?: string }).code;

describe('a direct send under a ceiling', () => {
  test('beyond it is 402, writes no message, and the same Idempotency-Key sends once when the ceiling is raised', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(2), code_reserve_percent: 0 });
    for (let nth = 0; nth < 2; nth++) expect((await sendTemplate(company, newPhone())).status).toBe(200);
    const phone = newPhone();
    const refused = await sendTemplate(company, phone, 'order 17');
    expect([refused.status, codeOf(refused)]).toEqual([402, 'spend_limit_reached']);
    expect((refused.body as { details: unknown }).details).toEqual({
      ceiling: 'day',
      limit: '0.2262',
      left: '0',
      currency: 'EUR',
      resets_at: today.resetsAt,
    });
    expect((await fixture.messages(company.id)).filter((message) => message.phone === phone)).toEqual([]);
    expect(await acceptedOf(phone)).toBe(0);
    await ceilings.set({ day: times(3) });
    const [sent, again] = [await sendTemplate(company, phone, 'order 17'), await sendTemplate(company, phone, 'order 17')];
    expect([sent.status, again.status]).toEqual([200, 200]);
    expect(await acceptedOf(phone)).toBe(1);
    expect((await ceilings.get()).day?.left).toBe('0');
  });

  test('of many at once on four numbers exactly as many leave as it allows', async () => {
    const company = await newCompany();
    await withNumbers(company, 1);
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(25), code_reserve_percent: 0 });
    const given = Array.from({ length: 40 }, newPhone);
    const answers = await Promise.all(given.map((phone) => sendTemplate(company, phone)));
    await fixture.testApp.passTime(10);
    const accepted = (await Promise.all(given.map(acceptedOf))).reduce((sum, count) => sum + count, 0);
    expect(accepted).toBe(25);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(15);
    expect((await ceilings.get()).day?.left).toBe('0');
  });

  test('counts what the day and the month have cost already when a first ceiling is set', async () => {
    const company = await newCompany();
    for (let nth = 0; nth < 2; nth++) expect((await sendTemplate(company, newPhone())).status).toBe(200);
    await fixture.deliverAll();
    const { day, month } = await ceilingsOf(fixture.testApp, company).set({
      currency: 'EUR',
      day: times(3),
      month: '9',
      code_reserve_percent: 0,
    });
    expect([Number(day?.left), Number(month?.left)]).toEqual([Number(times(1)), Number((9 - 2 * price).toFixed(4))]);
    expect((await sendTemplate(company, newPhone())).status).toBe(200);
    expect((await sendTemplate(company, newPhone())).status).toBe(402);
  });

  test('without a known price is refused, or sent and not counted, as the company wants', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '5' });
    const refused = await sendTemplate(company, '4234567890');
    expect([refused.status, codeOf(refused), (refused.body as { details: unknown }).details]).toEqual([
      422,
      'price_unknown',
      { reason: 'no_market' },
    ]);
    await ceilings.set({ unknown_price: 'allow' });
    expect((await sendTemplate(company, '4234567890')).status).toBe(200);
    expect((await ceilings.get()).day?.left).toBe('5');
  });

  test('that the provider refuses costs nothing', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(3), code_reserve_percent: 0 });
    const phone = newPhone();
    await fixture.faults({ error_for: { [phone]: 131051 } });
    const refused = await sendTemplate(company, phone);
    await fixture.faults({});
    expect([refused.status, codeOf(refused)]).toEqual([422, 'provider_rejected']);
    expect((await ceilings.get()).day?.left).toBe(String(Number(times(3))));
  });

  test('is never refused where it answers a customer: it is counted beyond the ceiling', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(1), code_reserve_percent: 0 });
    const phone = newPhone();
    expect((await sendTemplate(company, phone)).status).toBe(200);
    for (let nth = 0; nth < 3; nth++) expect((await fixture.send(company, `+${phone}`, 'Yes, it is.')).status).toBe(200);
    expect(Number((await ceilings.get()).day?.left)).toBeCloseTo(-3 * price, 6);
    expect((await sendTemplate(company, newPhone())).status).toBe(402);
    await ceilings.set({ stops: ['service'] });
    expect((await fixture.send(company, `+${phone}`, 'Are you there?')).status).toBe(402);
  });
});

describe('a ceiling', () => {
  test('that is lowered holds from the next send on; one that is removed or set anew begins anew', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(400), code_reserve_percent: 0 });
    expect((await sendTemplate(company, newPhone())).status).toBe(200);
    const lowered = await ceilings.set({ day: times(2) });
    expect(lowered.day?.left).toBe(String(Number(times(1))));
    expect([(await sendTemplate(company, newPhone())).status, (await sendTemplate(company, newPhone())).status]).toEqual([200, 402]);
    expect((await ceilings.set({ day: null })).day).toBeNull();
    expect((await sendTemplate(company, newPhone())).status).toBe(200);
    expect((await ceilings.set({ month: times(1) })).month?.left).toBe(String(Number(times(1))));
    expect([(await sendTemplate(company, newPhone())).status, (await sendTemplate(company, newPhone())).status]).toEqual([200, 402]);
  });

  test('that is first set holds within ten seconds', async () => {
    const company = await newCompany();
    expect((await sendTemplate(company, newPhone())).status).toBe(200);
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '0' });
    fixture.testApp.clock.advance(10_000);
    expect((await sendTemplate(company, newPhone())).status).toBe(402);
  });

  test('leaves codes their reserve: all others stop before it', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(20), code_reserve_percent: 50 });
    const statuses = [];
    for (let nth = 0; nth < 12; nth++) statuses.push((await sendTemplate(company, newPhone())).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(Number((await ceilings.get()).day?.left)).toBeCloseTo(10 * price, 6);
    const outcomes = [];
    for (let nth = 1; nth <= 11; nth++) outcomes.push(await sendCode(company));
    expect(outcomes).toEqual([...Array.from({ length: 10 }, () => 'accepted'), 'limited']);
    expect((await ceilings.get()).day?.left).toBe('0');
  });

  test('that marketing has used up lets all codes of its reserve out, in 99 of 100 by as few calls as without a ceiling', {
    timeout: 600_000,
  }, async () => {
    const codes = runSize(60, 1_000);
    const [limited, free] = [await newCompany(), await newCompany()];
    const ceilings = ceilingsOf(fixture.testApp, limited);
    await ceilings.set({ currency: 'EUR', day: times(2_000), code_reserve_percent: codes / 20 });
    await withNumbers(limited, 1);
    await withNumbers(free, 1);
    // what marketing may spend, by a campaign of another process
    const number = { companyId: limited.id, id: 1, ratePerSecond: 1_000 };
    const micros = microsIn(String(price));
    for (let left = 2_000 - codes; left > 0; left -= 50) {
      const charges = Array.from({ length: Math.min(50, left) }, () => ({ company: { kind: 'other' as const, micros, currency: 'EUR' } }));
      const slots = await reserveCampaignSlots(
        number,
        charges.length,
        Infinity,
        (at) => Promise.resolve(fixture.testApp.clock.moveTo(at)),
        charges,
      );
      expect(slots).toMatchObject({ slots: expect.arrayContaining([expect.any(Number)]) });
    }
    expect((await sendTemplate(limited, newPhone())).status).toBe(402);
    const calls = { limited: [] as number[], free: [] as number[] };
    const outcomes: unknown[] = [];
    for (let nth = 0; nth < codes; nth++) {
      calls.limited.push((await fixture.testApp.meter(async () => void outcomes.push(await sendCode(limited)))).calls);
      calls.free.push((await fixture.testApp.meter(() => sendCode(free))).calls);
    }
    expect(outcomes).toEqual(Array.from({ length: codes }, () => 'accepted'));
    expect(await sendCode(limited)).toBe('limited');
    const least = (all: number[], share: number): number => all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] ?? 0;
    expect(least(calls.limited, 0.5)).toBe(least(calls.free, 0.5));
    // a grant, four calls more, pays for a tenth of the reserve; the last codes take what is left by smaller ones
    const withGrants = calls.limited.filter((count) => count > least(calls.free, 0.5) + 1);
    expect(withGrants.length).toBeLessThanOrEqual(10 + 3);
    expect(Math.max(...withGrants)).toBeLessThanOrEqual(least(calls.free, 0.5) + 6);
    if (isFullSize()) expect(least(calls.limited, 0.99)).toBe(least(calls.free, 0.99));
  });

  test('publishes each share once a period, however often the stream delivers it', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(10), code_reserve_percent: 0 });
    for (let nth = 0; nth < 12; nth++) {
      await sendTemplate(company, newPhone());
      await fixture.testApp.drain({ disorder: { seed: nth, duplicate: 0.5, reorder: true } });
    }
    await replayHalfADayLater(fixture.testApp, 1);
    expect(publishedIn(fixture.testApp, 'spend.alert', company.id).map(({ percent }) => percent)).toEqual([50, 80, 100]);
    expect(publishedIn(fixture.testApp, 'spend.limit_reached', company.id)).toMatchObject([
      { ceiling: 'day', period: today.day, limit: '1.131', currency: 'EUR', resets_at: today.resetsAt },
    ]);
  });
});

describe('a scheduled message', () => {
  test('that a ceiling does not allow waits for the next day, and is sent then', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '0' });
    const phone = newPhone();
    const dueAt = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
    expect((await sendTemplate(company, phone, undefined, { scheduled_at: dueAt })).status).toBe(200);
    await fixture.testApp.passTime(130);
    expect(await acceptedOf(phone)).toBe(0);
    const waiting = (await fixture.messages(company.id)).find((message) => message.phone === phone);
    expect(waiting).toMatchObject({ status: 0, limitedSince: expect.any(Number) });
    const midnight = (Math.floor(fixture.testApp.clock.now() / 86_400_000) + 1) * 86_400_000;
    expect(waiting?.dueAt).toBe(midnight);
    await ceilings.set({ day: '5' });
    fixture.testApp.clock.moveTo(midnight - 30_000);
    await fixture.testApp.passTime(120);
    expect(await acceptedOf(phone)).toBe(1);
  });
});
