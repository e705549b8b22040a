import { afterAll, afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { pointAt, atPriceView } from '../../functions/templates/domain/reach.ts';
import type { TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { providerError, refusalOf, startTemplateFixture, templateOf } from './fixture.ts';

/** How many people a max price reaches, as the provider expects it. */
const fixture = await startTemplateFixture();
afterEach(() => fixture.line());
afterAll(() => fixture.stop());

const sale = { name: 'sale', language: 'en', category: 'MARKETING', components: [{ type: 'BODY', text: 'Our sale starts today.' }] };
const market = { utility: null, authentication: null, authentication_international: null, service: '0.02', marketing: '0.04' };
const inEuros = async (): Promise<TestCompany> => {
  const company = await fixture.company();
  await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
  await bill();
  return company;
};
const bill = (more: Record<string, unknown> = {}) =>
  fixture.control('PUT', 'billing', { currency: 'EUR', markets: [{ ...market, market: 'Germany', countries: ['DE'] }], ...more });
const reach = (company: TestCompany, query: string): Promise<Answer> =>
  fixture.testApp.call({ method: 'GET', path: `/api/v1/rates/reach?${query}`, token: company.tokens.member });
const reachOf = (answer: Answer) => {
  expect(answer.status, answer.raw).toBe(200);
  return z.looseObject({ data: z.looseObject({ reason: z.string().nullable(), prices: z.array(z.unknown()) }) }).parse(answer.body).data;
};
const reads = (): number => fixture.calls.filter(({ path }) => path.includes('reachestimate')).length;

describe('the provider’s estimate at a bid', () => {
  const points = [
    { bid: 2_000, deliveriesFrom: 400, deliveriesTo: 480, costFrom: 1_600, costTo: 1_800 },
    { bid: 4_000, deliveriesFrom: 700, deliveriesTo: 780.5, costFrom: 3_200.04, costTo: 3_600.04 },
  ];
  test('that it names is its own, one between two is no less than the lower and no more than the higher, and beyond them is none', () => {
    expect(pointAt(points, 4_000)).toEqual(points[1]);
    expect(pointAt(points, 3_000)).toEqual({ bid: 3_000, deliveriesFrom: 400, deliveriesTo: 780.5, costFrom: 1_600, costTo: 3_600.04 });
    expect(pointAt(points, 1_999)).toBeUndefined();
    expect(pointAt(points, 4_001)).toBeUndefined();
    expect(pointAt([], 4_000)).toBeUndefined();
  });

  test('is shown for one message, never narrower than it is; not in a currency whose smallest unit is not certain', () => {
    const [, point] = points;
    expect(point && atPriceView(point, 'EUR')).toEqual({
      max_price: '0.04',
      deliveries_from: 700,
      deliveries_to: 781,
      price_from: '0.032',
      price_to: '0.036001',
    });
    expect(point && atPriceView(point, 'IDR')).toBeUndefined();
  });
});

describe('getReach', () => {
  test('shows what each max price reaches, and what that of a template does', async () => {
    const company = await inEuros();
    const template = templateOf(await fixture.create(company, { ...sale, max_price: { amount: '0.05', currency: 'EUR' } }));
    fixture.line();
    const found = reachOf(await reach(company, `country=DE&template_id=${template.id}`));
    expect(found).toMatchObject({ country: 'DE', currency: 'EUR', users: 1_000, reason: null });
    expect(found.prices).toHaveLength(5);
    expect(found.prices[2]).toEqual({
      max_price: '0.04',
      deliveries_from: 700,
      deliveries_to: 780,
      price_from: '0.032',
      price_to: '0.036',
    });
    expect(found['at_max_price']).toEqual({
      max_price: '0.05',
      deliveries_from: 700,
      deliveries_to: 880,
      price_from: '0.032',
      price_to: '0.054',
    });
  });

  test('reads the provider once a day for a country, and each company for itself', async () => {
    const [one, other] = [await inEuros(), await inEuros()];
    fixture.line();
    await reach(one, 'country=DE');
    await reach(one, 'country=DE');
    expect(reads()).toBe(1);
    await reach(other, 'country=DE');
    expect(reads()).toBe(2);
    fixture.testApp.clock.advance(86_400_000);
    await reach(one, 'country=DE');
    expect(reads()).toBe(3);
  });

  test('is empty with its reason where the provider has no estimate, refuses or does not answer; a refusal is not stored', async () => {
    const company = await inEuros();
    const none = { currency: null, users: null, prices: [], at_max_price: null };
    expect(reachOf(await reach(company, 'country=FR'))).toMatchObject({ ...none, reason: 'no_estimate' });
    await bill({ is_agreement_signed: false });
    expect(reachOf(await reach(company, 'country=DE'))).toMatchObject({ ...none, reason: 'refused', read_at: null });
    await bill();
    fixture.line(({ path }) => (path.includes('reachestimate') ? 'lose-answer' : 'pass'));
    expect(reachOf(await reach(company, 'country=DE'))).toMatchObject({ ...none, reason: 'unreachable' });
    fixture.line(({ path }) => (path.includes('reachestimate') ? { status: 400, body: providerError(200) } : 'pass'));
    expect(reachOf(await reach(company, 'country=DE'))).toMatchObject({ ...none, reason: 'refused' });
    fixture.line();
    expect(reachOf(await reach(company, 'country=DE')).reason).toBeNull();
  });

  test('is in the preview of a campaign once it is known of each country of the recipients, and null until then', async () => {
    const company = await inEuros();
    templateOf(await fixture.create(company, { ...sale, max_price: { amount: '0.04', currency: 'EUR' } }));
    await fixture.deliverAll();
    await fixture.testApp.drain();
    fixture.line();
    const call = (path: string, body: Record<string, unknown>): Promise<Answer> =>
      fixture.testApp.call({ method: 'POST', path: `/api/v1/${path}`, token: company.tokens.member, body });
    const sync = (phones: readonly string[]): Promise<Answer> =>
      call('contacts/bulk-sync', { contacts: phones.map((phone) => ({ phone })) });
    const between = async (more: Record<string, unknown> = {}): Promise<unknown> => {
      const answer = await call('campaigns/audience-preview', { template_id: 1, ...more });
      expect(answer.status, answer.raw).toBe(200);
      return z.looseObject({ data: z.looseObject({ between: z.unknown() }) }).parse(answer.body).data.between;
    };
    await sync(Array.from({ length: 10 }, (_, nth) => `+49157550090${String(nth).padStart(2, '0')}`));
    await fixture.testApp.drain();
    expect(await between()).toBeNull();
    expect(reads()).toBe(0);
    await reach(company, 'country=DE&template_id=1');
    const amount = (text: string) => ({ amount: text, currency: 'EUR' });
    expect(await between()).toEqual({ recipients_from: 7, recipients_to: 8, cost_from: amount('0.224'), cost_to: amount('0.2808') });
    expect(await between({ max_price_multiplier: 2 })).toMatchObject({ recipients_from: 8, recipients_to: 10, cost_from: amount('0.544') });
    // beyond the prices that the provider names
    expect(await between({ max_price_multiplier: 3 })).toBeNull();
    expect(reads()).toBe(1);
    await sync(['+33612345678']);
    await fixture.testApp.drain();
    expect(await between()).toBeNull();
  });

  test('names what is wrong with a request', async () => {
    const company = await inEuros();
    const plain = templateOf(await fixture.create(company, sale));
    expect(refusalOf(await reach(company, ''))).toEqual([422, 'validation_failed', 'country']);
    expect(refusalOf(await reach(company, 'country=Germany'))).toEqual([422, 'validation_failed', 'country']);
    expect(refusalOf(await reach(company, `country=DE&template_id=${plain.id}`))).toEqual([422, 'validation_failed', 'template_id']);
    expect(refusalOf(await reach(company, 'country=DE&template_id=99'))).toEqual([404, 'not_found']);
  });
});
