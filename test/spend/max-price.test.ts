import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { ensureSender } from '../../functions/contacts/service/ensure-sender.ts';
import { parseReference } from '../../functions/messaging/contract/reference.ts';
import { multipliedCap } from '../../functions/spend/contract/price-cap.ts';
import { messageCost } from '../../functions/spend/contract/message-cost.ts';
import { spendRecord } from '../../functions/spend/contract/spend.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import type { Scope } from '../../shared/contract/route.ts';
import { ceilingsOf, moveToMidMonth } from '../ceilings/fixture.ts';
import { type CampaignFixture, detailsOf, previewOf, refusal, startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';

/** What messages with a max price cost: at most that price before, and what the provider charged after. No card prices anything here. */
let fixture: CampaignFixture;
let phones = 0;
const newPhone = (): string => `+49158${String(++phones).padStart(8, '0')}`;
const sale = {
  name: 'capped',
  language: 'en',
  category: 'MARKETING',
  components: [{ type: 'BODY', text: 'Our sale starts today.' }],
  optimization_spec: { bid_amount: 5_000, bid_strategy: 'LOWEST_COST_WITH_BID_CAP' },
};
const market = { utility: null, authentication: null, authentication_international: null, service: '0.02' };

beforeAll(async () => {
  fixture = await startFixture();
  moveToMidMonth(fixture.testApp);
  const markets = [
    { ...market, market: 'Germany', countries: ['DE'], marketing: '0.04' },
    { ...market, market: 'Others', countries: [], marketing: '0.09' },
  ];
  await fixture.control('PUT', 'billing', { currency: 'EUR', markets });
});
afterAll(() => fixture.stop());

/** A company that is charged in euros, and has a template with a max price of 0.05. */
const newCompany = async (): Promise<TestCompany> => {
  const company = await fixture.campaigner(1_000, { roles: ['owner', 'member'] });
  await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
  await fixture.provider.control('PUT', '/_local/provider/templates', { waba_id: company.number.wabaId, templates: [sale] });
  unwrap(await syncAccount(company.id));
  await fixture.testApp.drain();
  return company;
};
const call = (
  company: TestCompany,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
  token = company.tokens.member,
): Promise<Answer> => fixture.testApp.call({ method, path: `/api/v1${path}`, token, ...(body ? { body } : {}) });
const templateId = async (company: TestCompany): Promise<number> => {
  const { body } = await call(company, 'GET', '/templates?name=capped');
  return z.object({ data: z.tuple([z.looseObject({ id: z.int() })]) }).parse(body).data[0].id;
};
const send = (company: TestCompany, phone = newPhone(), token = company.tokens.member): Promise<Answer> =>
  call(company, 'POST', '/messages/template', { phone, template_name: 'capped' }, token);
const contacts = async (company: TestCompany, given: readonly string[]): Promise<void> => {
  const loaded = await call(company, 'POST', '/contacts/bulk-sync', { contacts: given.map((phone) => ({ phone, name: 'Ana' })) });
  expect(loaded.status, loaded.raw).toBe(200);
  await fixture.testApp.drain();
};
const acceptedOf = async (company: TestCompany): Promise<number> =>
  (await fixture.ledger()).filter(({ reference }) => parseReference(reference ?? undefined)?.companyId === company.id).length;
const euros = (amount: string) => ({ amount, currency: 'EUR' });
const billOf = async (company: TestCompany): Promise<string> =>
  z.looseObject({ amount: z.string() }).parse(await fixture.control('GET', `bill?company=${company.id}`)).amount;

describe('a campaign with a max price', () => {
  test('is estimated at that price in every country, and has as actual what the provider charged, to the micro-unit', async () => {
    const company = await newCompany();
    await contacts(company, [newPhone(), newPhone(), '+33612345678', '+12125550101']);
    const template = { template_id: await templateId(company) };
    const atMost = { estimate: euros('0.2'), at_most: euros('0.2'), known: 4, unknown: 0, category: 'marketing', cards: [] };
    expect(previewOf(await fixture.api(company, 'POST', '/audience-preview', template)).cost).toMatchObject(atMost);
    const id = await fixture.create(company, { ...template, name: 'Sale' });
    await fixture.testApp.drain();
    await fixture.deliverAll();
    const { cost } = await fixture.details(company, id);
    expect(cost.estimate).toMatchObject(atMost);
    // two at the list price, which is lower, and two at the max price
    expect(cost.actual).toEqual({ amounts: [euros('0.18')], messages: 4, charged: 4, free: 0, unknown: 0 });
    expect(await billOf(company)).toBe('0.18');
    const spend = z.object({ data: spendRecord }).parse((await call(company, 'GET', '/spend?by=category')).body).data;
    expect(spend.rows).toMatchObject([{ key: 'marketing_lite', amounts: [euros('0.18')], charged: 4, unknown: 0 }]);
  });

  test('leaves out who has no phone, as the preview says', async () => {
    const company = await newCompany();
    await contacts(company, [newPhone()]);
    await ensureSender(company.id, { userId: 'US.13491208655302741999', name: 'Ana Sol', username: 'ana.sol' });
    const template = { template_id: await templateId(company) };
    expect(previewOf(await fixture.api(company, 'POST', '/audience-preview', template))).toMatchObject({
      eligible_contacts: 1,
      excluded: { needs_phone: 1 },
    });
    await fixture.create(company, { ...template, name: 'Sale' });
    await fixture.testApp.drain();
    expect(await acceptedOf(company)).toBe(1);
  });

  test('sends under its ceiling exactly as many as that pays at the max price, without any card', async () => {
    const company = await newCompany();
    await contacts(company, [newPhone(), newPhone(), newPhone(), newPhone()]);
    const body = { template_id: await templateId(company), name: 'Sale' };
    expect(refusal(await fixture.api(company, 'POST', '', { ...body, spend_limit: { amount: '1', currency: 'USD' } }))).toEqual([
      422,
      'price_unknown',
    ]);
    const id = await fixture.create(company, { ...body, spend_limit: euros('0.14') });
    await fixture.testApp.drain();
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'spend_limit' });
    expect(await acceptedOf(company)).toBe(2);
  });
});

describe('a campaign at a multiple of the max price', () => {
  const payloadsOf = async (company: TestCompany) =>
    (await fixture.ledger())
      .filter(({ reference }) => parseReference(reference ?? undefined)?.companyId === company.id)
      .map(({ payload }) => payload);
  const withContacts = async (count: number): Promise<{ company: TestCompany; body: { template_id: number; name: string } }> => {
    const company = await newCompany();
    await contacts(company, Array.from({ length: count }, newPhone));
    return { company, body: { template_id: await templateId(company), name: 'Sale' } };
  };

  test.each<[number, number, number]>([
    [50_000, 150, 75_000],
    [50_010, 125, 62_513],
    [10, 10, 1],
    [2_147_483_647_000, 1_000, 21_474_836_470_000],
  ])('%i micro-units at %i percent are %i, and never less than that', (micros, percent, expected) => {
    expect(multipliedCap({ micros, currency: 'EUR' }, percent)).toEqual({ micros: expected, currency: 'EUR' });
  });

  test('is estimated at it, tells the provider with each message, and is billed by it', async () => {
    const { company, body } = await withContacts(2);
    const half = { ...body, max_price_multiplier: 0.5 };
    const { name: _, ...previewed } = half;
    expect(previewOf(await fixture.api(company, 'POST', '/audience-preview', previewed)).cost?.at_most).toEqual(euros('0.05'));
    const id = await fixture.create(company, half);
    await fixture.testApp.drain();
    await fixture.deliverAll();
    const { cost, max_price_multiplier: multiplier, template } = await fixture.details(company, id);
    expect([multiplier, template.max_price]).toEqual([0.5, euros('0.05')]);
    expect(cost.estimate?.at_most).toEqual(euros('0.05'));
    // the list price is above it
    expect(cost.actual.amounts).toEqual([euros('0.05')]);
    expect(await billOf(company)).toBe('0.05');
    expect(await payloadsOf(company)).toMatchObject([
      { bid_spec: { per_message_bid_multiplier: 0.5 }, product_policy: 'STRICT' },
      { bid_spec: { per_message_bid_multiplier: 0.5 } },
    ]);
  });

  test.each([
    ['0.15', 2],
    ['0.149999', 1],
  ])('sends under a ceiling of %s exactly %i at 0.075', async (amount, expected) => {
    const { company, body } = await withContacts(4);
    const id = await fixture.create(company, { ...body, max_price_multiplier: 1.5, spend_limit: euros(amount) });
    await fixture.testApp.drain();
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'spend_limit' });
    expect(await acceptedOf(company)).toBe(expected);
  });

  test('takes it from the ceiling of the company too', async () => {
    const { company, body } = await withContacts(4);
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '0.23', code_reserve_percent: 0 });
    await fixture.create(company, { ...body, max_price_multiplier: 1.5 });
    await fixture.testApp.drain();
    expect(await acceptedOf(company)).toBe(3);
    expect((await ceilings.get()).day?.left).toBe('0.005');
  });

  test('of 1 is the max price itself, and the provider gets nothing of it', async () => {
    const { company, body } = await withContacts(1);
    const id = await fixture.create(company, { ...body, max_price_multiplier: 1 });
    await fixture.testApp.drain();
    expect((await fixture.details(company, id)).max_price_multiplier).toBeNull();
    expect(await payloadsOf(company)).toEqual([expect.not.objectContaining({ bid_spec: expect.anything() as unknown })]);
  });

  test('is refused with its field for a template without a max price, and where it is no such number', async () => {
    const { company, body } = await withContacts(1);
    const plain = { ...body, template_id: fixture.templateId(company, 'plain'), max_price_multiplier: 1.5 };
    const fieldRefused = [422, 'validation_failed', 'max_price_multiplier'];
    expect(refusal(await fixture.api(company, 'POST', '', plain))).toEqual(fieldRefused);
    const { name: _, ...previewed } = plain;
    expect(refusal(await fixture.api(company, 'POST', '/audience-preview', previewed))).toEqual(fieldRefused);
    for (const wrong of [0, 0.09, 10.1, 1.234, 'much', ' '])
      expect(refusal(await fixture.api(company, 'POST', '', { ...body, max_price_multiplier: wrong }))).toEqual(fieldRefused);
    expect(await acceptedOf(company)).toBe(0);
  });

  test('is changed and taken away while the campaign waits for its time, is in a copy, and stays once it is sent', async () => {
    const { company, body } = await withContacts(2);
    const at = (days: number): string => new Date(fixture.testApp.clock.now() + days * 86_400_000).toISOString();
    const id = await fixture.create(company, { ...body, send_time: at(1) });
    const change = (multiplier: unknown, of = id): Promise<Answer> =>
      fixture.api(company, 'PUT', `/${of}`, { max_price_multiplier: multiplier });
    expect(detailsOf(await change(2)).max_price_multiplier).toBe(2);
    const copyOf = async (more: Record<string, unknown>): Promise<number | null> => {
      const answer = await fixture.api(company, 'POST', `/${id}`, { send_time: at(2), ...more });
      return z.object({ data: z.looseObject({ max_price_multiplier: z.number().nullable() }) }).parse(answer.body).data
        .max_price_multiplier;
    };
    expect([await copyOf({}), await copyOf({ max_price_multiplier: 3 }), await copyOf({ max_price_multiplier: null })]).toEqual([
      2,
      3,
      null,
    ]);
    expect(detailsOf(await change(null)).max_price_multiplier).toBeNull();
    const plain = { name: 'Plain', template_id: fixture.templateId(company, 'plain'), send_time: at(1) };
    expect(refusal(await change(2, await fixture.create(company, plain)))).toEqual([422, 'validation_failed', 'max_price_multiplier']);
    const sent = await fixture.create(company, body);
    await fixture.testApp.drain();
    expect(refusal(await change(2, sent))).toEqual([409, 'campaign_not_editable']);
  });
});

describe('a direct send with a max price', () => {
  test('answers the price as the most that it costs', async () => {
    const answer = await send(await newCompany());
    const { cost } = z.looseObject({ data: z.looseObject({ cost: messageCost }) }).parse(answer.body).data;
    expect(cost).toMatchObject({
      estimate: euros('0.05'),
      at_most: euros('0.05'),
      category: 'marketing',
      country: 'DE',
      reason: null,
      card: null,
    });
  });

  test('takes it from the ceiling: of many at once as many leave as that pays, and none more', async () => {
    const company = await newCompany();
    const ceilings = ceilingsOf(fixture.testApp, company);
    await ceilings.set({ currency: 'EUR', day: '0.34', code_reserve_percent: 0 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(company)));
    const answered = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    expect([answered(200), answered(402)]).toEqual([6, 6]);
    expect(await acceptedOf(company)).toBe(6);
    expect((await ceilings.get()).day?.left).toBe('0.04');
  });

  test('under a ceiling in another currency has no known price: nothing is sent and nothing written', async () => {
    const company = await newCompany();
    await ceilingsOf(fixture.testApp, company).set({ currency: 'USD', day: '5' });
    expect(refusal(await send(company))).toEqual([422, 'price_unknown']);
    expect(await acceptedOf(company)).toBe(0);
    expect(await fixture.messages(company.id)).toEqual([]);
  });

  test('takes it from the ceiling of the token that it is called with, and nothing leaves beyond that', async () => {
    const company = await newCompany();
    const scopes: Scope[] = ['messages:send'];
    const { token, secret } = unwrap(await issueToken(company.id, { user_id: company.users.member, name: 'agent', scopes }));
    const path = `/api/v1/spend/ceilings/tokens/${token.id}`;
    const body = { spend: euros('0.12') };
    const set = await fixture.testApp.call({ method: 'PUT', path, token: company.tokens.owner, body });
    expect(set.status, set.raw).toBe(200);
    const statuses: number[] = [];
    for (let nth = 0; nth < 3; nth++) statuses.push((await send(company, newPhone(), secret)).status);
    expect(statuses).toEqual([200, 200, 402]);
    expect(await acceptedOf(company)).toBe(2);
  });
});
