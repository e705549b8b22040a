import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitInTestTime } from '../support/slots.ts';
import { type CampaignFixture, type Contact, startFixture } from '../campaigns/fixture.ts';
import type { TestCompany } from '../support/company.ts';
import { ceilingsOf, importPrices, moveToMidMonth, publishedIn, type TestDay } from './fixture.ts';

waitInTestTime();

const price = 0.1131;
let fixture: CampaignFixture;
let today: TestDay;
beforeAll(async () => {
  fixture = await startFixture();
  today = moveToMidMonth(fixture.testApp);
  await importPrices({ DE: String(price), FR: '0.05' });
});
afterAll(() => fixture.stop());

const times = (count: number): string => (price * count).toFixed(4);
const sentTo = async (people: readonly Contact[]): Promise<string[]> => {
  const phones = new Set(people.map(({ phone }) => phone));
  return (await fixture.ledger()).map(({ to }) => to).filter((to) => phones.has(to));
};

interface Started {
  company: TestCompany;
  people: Contact[];
  id: number;
}

const start = async (count: number, body: Record<string, unknown>, given?: TestCompany): Promise<Started> => {
  const company = given ?? (await fixture.campaigner(1_000, { roles: ['owner', 'member'] }));
  const group = await fixture.group(company, `Of ${count}`);
  const people = await fixture.people(company, count, { group_id: group });
  const id = await fixture.create(company, {
    name: 'Sale',
    template_id: fixture.templateId(company, 'sale'),
    parammatch: { 1: 'name' },
    group_id: group,
    ...body,
  });
  await fixture.testApp.passTime(30);
  return { company, people, id };
};

const published = (name: string, companyId: number): Record<string, unknown>[] => publishedIn(fixture.testApp, name, companyId);

describe('the ceiling of a campaign', () => {
  test('is N messages exactly: it pauses, says why, sends the rest when it is raised, and none twice', async () => {
    const { company, people, id } = await start(130, { spend_limit: { amount: times(50), currency: 'EUR' } });
    expect(await fixture.details(company, id)).toMatchObject({
      status: 'paused',
      pause_reason: 'spend_limit',
      pause_details: { ceiling: 'campaign', limit: '5.655', currency: 'EUR', resets_at: null },
      spend_limit: { amount: '5.655', currency: 'EUR' },
      spend_left: { amount: '0', currency: 'EUR' },
    });
    expect(await sentTo(people)).toHaveLength(50);
    // what is lowered while it is paused holds
    await fixture.api(company, 'PUT', `/${id}`, { spend_limit: { amount: times(40), currency: 'EUR' } });
    await fixture.api(company, 'PUT', `/${id}`, { is_active: true });
    await fixture.testApp.passTime(30);
    expect(await sentTo(people)).toHaveLength(50);
    const raised = await fixture.api(company, 'PUT', `/${id}`, { spend_limit: { amount: times(90), currency: 'EUR' } });
    expect(raised.status).toBe(200);
    await fixture.testApp.passTime(30);
    expect(await sentTo(people)).toHaveLength(90);
    await fixture.api(company, 'PUT', `/${id}`, { spend_limit: { amount: times(500), currency: 'EUR' } });
    await fixture.testApp.passTime(60);
    const sent = await sentTo(people);
    expect([sent.length, new Set(sent).size]).toEqual([130, 130]);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', spend_left: { amount: String(Number(times(370))) } });
  });

  test('of a currency without a card is refused at once, and so are amounts below 0 and of another company', async () => {
    const company = await fixture.campaigner();
    const body = { name: 'Sale', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } };
    const created = await fixture.api(company, 'POST', '', { ...body, spend_limit: { amount: '5', currency: 'JPY' } });
    expect([created.status, (created.body as { code?: string }).code]).toEqual([422, 'price_unknown']);
    for (const amount of ['-5', '1e3', '', '5.1234567', 'NaN'])
      expect((await fixture.api(company, 'POST', '', { ...body, spend_limit: { amount, currency: 'EUR' } })).status).toBe(422);
    const other = await fixture.campaigner();
    const { id } = await start(1, {}, other);
    expect((await fixture.api(company, 'PUT', `/${id}`, { spend_limit: { amount: '5', currency: 'EUR' } })).status).toBe(404);
  });
});

describe('the ceilings of a company', () => {
  test('pause a campaign; it continues by itself when they are raised, and at the next period; each share is published once', async () => {
    const company = await fixture.campaigner(1_000, { roles: ['owner', 'member'] });
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(60), code_reserve_percent: 0 });
    const { people, id } = await start(150, {}, company);
    expect(await sentTo(people)).toHaveLength(60);
    expect(await fixture.details(company, id)).toMatchObject({
      status: 'paused',
      pause_reason: 'spend_limit',
      pause_details: { ceiling: 'day', currency: 'EUR', resets_at: today.resetsAt },
    });
    expect((await ceilings.get()).day).toMatchObject({ left: '0' });
    expect(published('spend.alert', company.id).map(({ percent }) => percent)).toEqual([50, 80, 100]);
    expect(published('spend.limit_reached', company.id)).toHaveLength(1);
    await ceilings.set({ day: times(90) });
    await fixture.testApp.passTime(30);
    expect(await sentTo(people)).toHaveLength(90);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'spend_limit' });
    fixture.testApp.clock.moveTo(today.midnightMs - 15_000);
    // within a minute of the next day
    await fixture.testApp.passTime(75);
    const sent = await sentTo(people);
    expect([sent.length, new Set(sent).size]).toEqual([150, 150]);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', pause_reason: null, pause_details: null });
  });

  test('do not start a campaign again that a user paused while it waited for them: neither raised nor at the next period', async () => {
    const company = await fixture.campaigner(1_000, { roles: ['owner', 'member'] });
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: times(10), code_reserve_percent: 0 });
    const { people, id } = await start(30, {}, company);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'spend_limit' });
    expect((await fixture.api(company, 'PUT', `/${id}`, { is_active: false })).status).toBe(200);
    await ceilings.set({ day: times(20) });
    await fixture.testApp.passTime(60);
    fixture.testApp.clock.advance(86_400_000);
    await fixture.testApp.passTime(120);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'user', pause_details: null });
    expect(await sentTo(people)).toHaveLength(10);
    await fixture.api(company, 'PUT', `/${id}`, { is_active: true });
    await fixture.testApp.passTime(60);
    const sent = await sentTo(people);
    expect([sent.length, new Set(sent).size]).toEqual([30, 30]);
  });

  test('leave out a recipient without a price, and stop nothing where that is allowed', async () => {
    const company = await fixture.campaigner(1_000, { roles: ['owner', 'member'] });
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '100' });
    const add = await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/contacts/bulk-sync',
      token: company.tokens.member,
      body: { contacts: [{ phone: '+4234567890', name: 'Of no market' }] },
    });
    expect(add.status).toBe(200);
    const { people, id } = await start(5, { group_id: undefined, audience_type: 'all' }, company);
    expect(await sentTo(people)).toHaveLength(5);
    expect((await fixture.ledger('4234567890')).length).toBe(0);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', statistics: { skipped: 1 } });
  });
});
