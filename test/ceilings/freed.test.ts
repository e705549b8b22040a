import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freedOf } from '../../functions/messaging/contract/freed.ts';
import type { StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { type TakenByCeilings, takenOf, takenText } from '../../functions/messaging/contract/taken.ts';
import { freedByMessage, usedByMessage } from '../../functions/messaging/domain/usage.ts';
import { giveBackFreed } from '../../functions/spend/service/freed-money.ts';
import { sumOfUsage, usageChanges, withUsage } from '../../functions/usage/domain.ts';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import { replayHalfADayLater } from '../support/fault-injection.ts';
import type { TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { seeded } from '../support/random.ts';
import { ceilingsOf, importPrices, moveToMidMonth, type TestDay } from './fixture.ts';

/** What a ceiling took for a message and the message did not cost goes back to it: once, and never more than was taken. */
const price = 0.1131;
const failing = '4915700099';
let fixture: CampaignFixture;
let today: TestDay;
let phones = 0;
beforeAll(async () => {
  fixture = await startFixture();
  today = moveToMidMonth(fixture.testApp);
  await importPrices({ DE: String(price) });
});
afterAll(() => fixture.stop());

const newPhone = (prefix = '49157001'): string => `${prefix}${String(++phones).padStart(5, '0')}`;
const times = (count: number): string => String(Number((price * count).toFixed(4)));
const newCompany = (): Promise<TestCompany> => fixture.campaigner(1_000, { roles: ['owner', 'member'] });
const sendTemplate = (company: TestCompany, phone = newPhone()): Promise<Answer> =>
  fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/messages/template',
    token: company.tokens.member,
    body: { phone: `+${phone}`, template_name: 'plain', template_language: 'en' },
  });
const statusesOf = async (company: TestCompany, count: number, phone?: string): Promise<number[]> => {
  const answered: number[] = [];
  for (let nth = 0; nth < count; nth++) answered.push((await sendTemplate(company, phone)).status);
  return answered;
};
/** A campaign whose messages the provider takes and then fails. */
const startFailingSale = async (company: TestCompany, count: number, more: object = {}) => {
  const group = await fixture.group(company, 'Sale');
  const people = await fixture.people(company, count, { group_id: group });
  await fixture.faults({ error_for: Object.fromEntries(people.map(({ phone }) => [phone, 131026])) });
  const sale = { name: 'Sale', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' }, group_id: group };
  return { id: await fixture.create(company, { ...sale, ...more }), people };
};

describe('the ceiling of a company', () => {
  test('has back what failed after the provider took it, when it is short: the next messages are sent, and never more than it pays', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(5), month: times(100), code_reserve_percent: 0 });
    const lost = newPhone(failing);
    await fixture.faults({ error_for: { [lost]: 131026 } });
    expect(await statusesOf(company, 2, lost)).toEqual([200, 200]);
    expect(await statusesOf(company, 4)).toEqual([200, 200, 200, 402]);
    await fixture.deliverAll();
    // a ceiling that is short looks once a minute
    fixture.testApp.clock.advance(61_000);
    expect(await statusesOf(company, 3)).toEqual([200, 200, 402]);
    await fixture.deliverAll();
    fixture.testApp.clock.advance(61_000);
    expect(await statusesOf(company, 1)).toEqual([402]);
    expect(await ceilings.get()).toMatchObject({ day: { left: '0' }, month: { left: times(95) } });
    await replayHalfADayLater(fixture.testApp, 1);
    expect(await giveBackFreed(company.id)).toBe(false);
    expect(await ceilings.get()).toMatchObject({ day: { left: '0' }, month: { left: times(95) } });
  });

  test('has back what the provider delivered free of charge, and what it charged less than the max price; in any order of statuses', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '10', code_reserve_percent: 0 });
    const pricings = [
      { type: 'free_entry_point', category: 'utility' },
      { type: 'regular', category: 'utility', cost: { amount: 0.1, currency: 'EUR' } },
      { type: 'regular', category: 'utility', cost: { amount: 0.1, currency: 'USD' } },
      { type: 'regular', category: 'utility', cost: { amount: 0.2, currency: 'EUR' } },
      { type: 'regular', category: 'utility' },
      { type: 'of_tomorrow', category: 'utility' },
    ];
    await fixture.faults({ hold_statuses: true });
    for (const pricing of pricings) {
      const phone = newPhone();
      expect((await sendTemplate(company, phone)).status).toBe(200);
      const [sent] = await fixture.ledger(phone);
      const status = { id: sent?.wamid, recipient_id: phone, biz_opaque_callback_data: sent?.reference };
      for (const name of ['read', 'delivered', 'read'])
        await fixture.testApp.invokeFunction(
          'messaging-statuses',
          statusOf(company.id, { ...status, status: name, timestamp: '1', pricing }),
        );
    }
    await fixture.testApp.drain();
    await fixture.faults({});
    expect((await ceilings.get()).day?.left).toBe(String(Number((10 - 6 * price).toFixed(4))));
    expect(await giveBackFreed(company.id)).toBe(true);
    // the whole price of what was free, and what one was charged less; never what one was charged more, or in another currency
    expect((await ceilings.get()).day?.left).toBe(String(Number((10 - 6 * price + price + (price - 0.1)).toFixed(4))));
    expect(await giveBackFreed(company.id)).toBe(false);
  });

  test('of a month has it back when the next day begins; the day that is over has nothing of it', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(4), month: times(6), code_reserve_percent: 0 });
    const lost = newPhone(failing);
    await fixture.faults({ error_for: { [lost]: 131026 } });
    expect(await statusesOf(company, 3, lost)).toEqual([200, 200, 200]);
    await fixture.deliverAll();
    expect(await ceilings.get()).toMatchObject({ day: { left: times(1) }, month: { left: times(3) } });
    fixture.testApp.clock.moveTo(Math.max(today.midnightMs, fixture.testApp.clock.now()) + 1_000);
    expect(await ceilings.get()).toMatchObject({ day: { left: times(4) }, month: { left: times(6) } });
    await fixture.faults({});
    expect(await statusesOf(company, 5)).toEqual([200, 200, 200, 200, 402]);
    fixture.testApp.clock.advance(86_400_000);
    expect(await statusesOf(company, 3)).toEqual([200, 200, 402]);
  });

  // of so small a ceiling the number holds nothing that it has not spent, of so large a one it does
  test.each([10, 1_000])(
    'of %i prices gives nothing back to a ceiling that was set later: neither anew nor beside another one',
    async (prices) => {
      const company = await newCompany();
      const ceilings = ceilingsOf(fixture.testApp, company);
      await ceilings.set({ currency: 'EUR', day: times(prices), code_reserve_percent: 0 });
      const lost = newPhone(failing);
      await fixture.faults({ error_for: { [lost]: 131026 } });
      expect(await statusesOf(company, 2, lost)).toEqual([200, 200]);
      await ceilings.set({ month: times(20) });
      await fixture.deliverAll();
      await giveBackFreed(company.id);
      expect(await ceilings.get()).toMatchObject({ day: { left: times(prices) }, month: { left: times(20) } });
      await fixture.faults({ error_for: { [lost]: 131026 }, hold_statuses: true });
      expect(await statusesOf(company, 2, lost)).toEqual([200, 200]);
      await ceilings.set({ day: null, month: null });
      await ceilings.set({ day: times(3) });
      await fixture.faults({ error_for: { [lost]: 131026 } });
      await fixture.deliverAll();
      await giveBackFreed(company.id);
      expect((await ceilings.get()).day?.left).toBe(times(3));
    },
  );

  test('is set beside another one with what it is, though a number is granted money between its read and its write', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(1_000), code_reserve_percent: 0 });
    let grants = 0;
    using _between = fixture.testApp.onTable(async ({ command, input, when }) => {
      const isSetting = command === 'UpdateItem' && JSON.stringify(input).includes('monthLimit');
      if (when === 'after' || !isSetting || grants > 0) return;
      grants++;
      expect(await statusesOf(company, 1, newPhone(failing))).toEqual([200]);
    });
    await fixture.faults({ hold_statuses: true });
    await ceilings.set({ month: times(20) });
    expect(grants).toBe(1);
    expect(Number((await ceilings.get()).month?.left)).toBeLessThanOrEqual(20 * price);
    await fixture.faults({});
    await fixture.deliverAll();
  });

  test('lets a campaign that it paused continue with what came back', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(10), code_reserve_percent: 0 });
    const { id, people } = await startFailingSale(company, 14);
    await fixture.testApp.passTime(30);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'spend_limit' });
    await fixture.deliverAll();
    expect(await giveBackFreed(company.id)).toBe(true);
    await fixture.testApp.passTime(60);
    await fixture.deliverAll();
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', statistics: { failed: 14 } });
    const phonesOfCampaign = new Set(people.map(({ phone }) => phone));
    const accepted = (await fixture.ledger()).filter(({ to }) => phonesOfCampaign.has(to));
    expect([accepted.length, new Set(accepted.map(({ to }) => to)).size]).toEqual([14, 14]);
    await giveBackFreed(company.id);
    expect((await ceilings.get()).day?.left).toBe(times(10));
  });
});

describe('the ceiling of a campaign', () => {
  test('has back what failed when the day ends: it continues with that and no more', async () => {
    const company = await newCompany();
    const { id, people } = await startFailingSale(company, 12, { spend_limit: { amount: times(8), currency: 'EUR' } });
    await fixture.testApp.passTime(30);
    await fixture.deliverAll();
    const paused = await fixture.details(company, id);
    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'spend_limit', pause_details: { ceiling: 'campaign' } });
    const failed = paused.statistics.failed;
    expect([failed, paused.statistics.delivered + paused.statistics.read]).toEqual([failed, 8 - failed]);
    const midnight = (Math.floor(fixture.testApp.clock.now() / 86_400_000) + 1) * 86_400_000;
    fixture.testApp.clock.moveTo(midnight - 1_000);
    await fixture.testApp.passTime(120);
    await fixture.deliverAll();
    const inAll = Math.min(12, 8 + failed);
    const went = await fixture.details(company, id);
    expect(went).toMatchObject({ status: 'completed', statistics: { failed: inAll } });
    const phonesOfCampaign = new Set(people.map(({ phone }) => phone));
    const accepted = (await fixture.ledger()).filter(({ to }) => phonesOfCampaign.has(to));
    expect([accepted.length, new Set(accepted.map(({ to }) => to)).size]).toEqual([inAll, inAll]);
    await replayHalfADayLater(fixture.testApp, 2);
    expect((await fixture.ledger()).filter(({ to }) => phonesOfCampaign.has(to))).toHaveLength(inAll);
  });
});

const statusOf = (companyId: number, status: object): unknown => ({
  Records: [
    {
      messageId: 'm',
      body: JSON.stringify({ company_id: companyId, received_at: fixture.testApp.clock.now(), status }),
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: {},
      eventSource: 'aws:sqs',
    },
  ],
});

const taken = (micros: number, day = '2026-11-29', isCode?: true): string =>
  takenText({
    company: { of: `1:${day}`, micros, currency: 'EUR', ...(isCode ? { isCode } : {}) },
    campaign: { limit: 0, micros, currency: 'EUR' },
  });
const message = (more: Partial<StoredMessage>): StoredMessage =>
  ({
    companyId: 1,
    contactId: 1,
    id: 1,
    inbound: false,
    status: 2,
    createdAt: Date.UTC(2026, 10, 29),
    rev: 1,
    attempt: 1,
    ...more,
  }) as StoredMessage;

test('what a message took is read as it was stored', () => {
  const amount = { micros: fc.nat(), currency: fc.constantFrom('EUR', 'USD') };
  const company = fc.record({ ...amount, of: fc.constantFrom('1:2026-11-29', '1796083200000:2026-12'), isCode: fc.boolean() });
  const campaign = fc.option(fc.record({ ...amount, limit: fc.nat(9) }), { nil: undefined });
  fc.assert(
    fc.property(fc.option(company, { nil: undefined }), campaign, (ofCompany, ofCampaign) => {
      fc.pre(ofCompany !== undefined || ofCampaign !== undefined);
      const took: TakenByCeilings = {};
      if (ofCompany) took.company = { of: ofCompany.of, micros: ofCompany.micros, currency: ofCompany.currency };
      if (took.company && ofCompany?.isCode) took.company.isCode = true;
      if (ofCampaign) took.campaign = { limit: ofCampaign.limit, micros: ofCampaign.micros, currency: ofCampaign.currency };
      expect(takenOf(takenText(took))).toEqual(took);
    }),
  );
});

describe('what a message frees', () => {
  test('is never more than it took, whatever the provider posts, and nothing while its outcome is not known', () => {
    const statuses = fc.constantFrom(0, 1, 2, 3, 4, 5, 6);
    const pricing = fc.record({
      type: fc.constantFrom('regular', 'free_entry_point', 'free_customer_service', 'other', undefined),
      billable: fc.constantFrom(true, false, undefined),
      cost: fc.option(fc.record({ micros: fc.integer({ min: -5, max: 500_000 }), currency: fc.constantFrom('EUR', 'USD') }), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(statuses, fc.boolean(), pricing, fc.nat(400_000), (status, ambiguous, priced, micros) => {
        const [freed] = freedOf(message({ status, ambiguous, pricing: priced as never, taken: taken(micros) }));
        const has = freed?.micros ?? { company: 0, campaign: 0 };
        expect(has.company).toBeGreaterThanOrEqual(0);
        expect(has.company).toBeLessThanOrEqual(micros);
        expect(has.campaign).toBe(has.company);
        if ([0, 1, 2, 6].includes(status) || (status === 5 && ambiguous)) expect(has.company).toBe(0);
        if (status === 5 && !ambiguous) expect(has.company).toBe(micros);
      }),
    );
  });

  test('only grows, on the day on which it was taken, over retries, in whichever parts it is counted', () => {
    const lives: StoredMessage[] = [
      message({ status: 6, claimedAt: Date.UTC(2026, 10, 29) }),
      message({ status: 2, claimedAt: Date.UTC(2026, 10, 29), taken: taken(70) }),
      message({ status: 5, claimedAt: Date.UTC(2026, 10, 29), taken: taken(70) }),
      message({ status: 0, claimedAt: Date.UTC(2026, 10, 29), takenBefore: [taken(70)] }),
      message({ status: 6, claimedAt: Date.UTC(2026, 10, 30), takenBefore: [taken(70)] }),
      message({ status: 2, claimedAt: Date.UTC(2026, 10, 30), takenBefore: [taken(70)], taken: taken(90, '2026-11-30', true) }),
      message({
        status: 3,
        claimedAt: Date.UTC(2026, 10, 30),
        takenBefore: [taken(70)],
        taken: taken(90, '2026-11-30', true),
        pricing: { type: 'free_entry_point', category: 'utility' },
      }),
    ];
    const random = seeded(5);
    const days = new Map<string, ReturnType<typeof withUsage>[]>();
    const sums: number[] = [];
    for (const [nth, after] of lives.entries()) {
      const used = (each: StoredMessage | undefined) => [usedByMessage(each) ?? [], freedByMessage(each)].flat();
      for (const { day, cells } of usageChanges(used(lives[nth - 1]), used(after))) {
        const parts = days.get(day) ?? [];
        const part = Math.floor(random() * 3);
        parts[part] = withUsage(parts[part], { companyId: 1, day }, cells);
        days.set(day, parts);
      }
      const cells = [...days].map(([day, parts]) => [day, sumOfUsage(parts.filter(Boolean))] as const);
      sums.push(cells.reduce((sum, [, of]) => sum + (of['b/1/o'] ?? 0) + (of['b/1/c'] ?? 0), 0));
      for (const parts of days.values())
        for (const each of parts.filter(Boolean)) expect(each.cells['b/1/o'] ?? 0).toBeGreaterThanOrEqual(0);
    }
    expect(sums).toEqual([0, 0, 70, 70, 70, 70, 160]);
    const counted = (day: string) => sumOfUsage((days.get(day) ?? []).filter(Boolean));
    expect(counted('2026-11-29')).toMatchObject({ 'b/1/o': 70 });
    expect(counted('2026-11-30')).toMatchObject({ 'b/1/c': 90 });
  });
});
