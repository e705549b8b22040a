import { afterAll, afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { priceCapOf } from '../../functions/templates/contract/max-price.ts';
import { toBid } from '../../functions/templates/domain/bid.ts';
import type { TestCompany } from '../support/company.ts';
import { orderUpdate, providerError, refusalOf, startTemplateFixture, templateOf } from './fixture.ts';

/** The max price of marketing templates: at the provider, in the record, and on the way of their messages. */
const fixture = await startTemplateFixture();
afterEach(() => fixture.line());
afterAll(() => fixture.stop());

const sale = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'sale',
  language: 'en',
  category: 'MARKETING',
  components: [{ type: 'BODY', text: 'Our sale starts today.' }],
  ...over,
});
const euros = (amount: string) => ({ max_price: { amount, currency: 'EUR' } });
const inEuros = async (): Promise<TestCompany> => {
  const company = await fixture.company();
  await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
  return company;
};
/** A company whose template has a max price and is approved. */
const withSale = async (amount = '0.05'): Promise<TestCompany> => {
  const company = await inEuros();
  templateOf(await fixture.create(company, sale(euros(amount))));
  await fixture.deliverAll();
  fixture.line();
  return company;
};
const edit = (company: TestCompany, change: Record<string, unknown>, key?: string) =>
  fixture.api(company, 'PUT', '/1', { body: change, ...(key ? { headers: { 'idempotency-key': key } } : {}) });
const shown = async (company: TestCompany) => templateOf(await fixture.api(company, 'GET', '/1'));
const posted = () => fixture.calls.filter(({ method }) => method === 'POST');
const bidIn = (body: string): unknown =>
  z.looseObject({ optimization_spec: z.unknown().optional() }).parse(JSON.parse(body)).optimization_spec;
const bid = (amount: number) => ({ bid_amount: amount, bid_strategy: 'LOWEST_COST_WITH_BID_CAP' });

describe('the price of a message as a bid of the provider', () => {
  test.each<[string, string, number]>([
    ['0.05', 'USD', 5_000],
    ['0.1131', 'EUR', 11_310],
    ['0.00001', 'EUR', 1],
    ['1', 'GBP', 100_000],
    ['10.5', 'JPY', 10_500],
    ['0.070000', 'INR', 7_000],
  ])('%s %s is %i for 1,000 deliveries, and back without a loss', (amount, currency, expected) => {
    expect(toBid({ amount, currency })).toEqual({ amount: expected, currency });
    expect(priceCapOf({ bid: { amount: expected, currency } })).toEqual({ micros: Math.round(Number(amount) * 1_000_000), currency });
  });

  test.each<[string, string, string]>([
    ['a fraction that the unit does not have', '0.000001', 'EUR'],
    ['a fraction of a yen’s thousandth', '0.0001', 'JPY'],
    ['nothing', '0', 'EUR'],
    ['more than the provider’s integer holds', '999999999', 'EUR'],
    ['a currency whose smallest unit is not certain', '900', 'IDR'],
  ])('%s is refused, never rounded', (_, amount, currency) => {
    expect(toBid({ amount, currency })).toHaveProperty('reason');
  });
});

describe('a template with a max price', () => {
  test('is created with its bid, has the price in its record and keeps it over syncs', async () => {
    const company = await inEuros();
    const made = templateOf(await fixture.create(company, sale(euros('0.05'))));
    expect(made.max_price).toEqual({ amount: '0.05', currency: 'EUR' });
    expect(bidIn(posted()[0]?.body ?? '{}')).toEqual(bid(5_000));
    await fixture.deliverAll();
    await fixture.api(company, 'POST', '/sync');
    await fixture.api(company, 'POST', '/1/sync');
    expect(await shown(company)).toMatchObject({ status: 'APPROVED', max_price: { amount: '0.05', currency: 'EUR' } });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['of another category', orderUpdate(euros('0.05')), 'max_price'],
    ['in another currency than the account’s', sale({ max_price: { amount: '0.05', currency: 'USD' } }), 'max_price.currency'],
    ['finer than the provider takes', sale(euros('0.000001')), 'max_price.amount'],
    ['that is no amount', sale(euros('cheap')), 'max_price.amount'],
  ])('%s is refused with its field, and the provider is not called', async (_, body, field) => {
    const company = await inEuros();
    fixture.line();
    expect(refusalOf(await fixture.create(company, body))).toEqual([422, 'validation_failed', field]);
    expect(fixture.calls).toEqual([]);
  });

  test('that was made elsewhere is known by the sync; without the account’s currency its amount is unknown, until the currency is known', async () => {
    const company = await fixture.company();
    await fixture.atProvider(company, [sale({ optimization_spec: bid(8_000) })]);
    await fixture.api(company, 'POST', '/sync');
    expect((await shown(company)).max_price).toBeNull();
    await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
    await fixture.api(company, 'POST', '/sync');
    expect((await shown(company)).max_price).toEqual({ amount: '0.08', currency: 'EUR' });
  });

  test('stays known where a version of the API has no such field: the rest is synced without it', async () => {
    const company = await withSale();
    fixture.line(({ path }) => (path.includes('optimization_spec') ? { status: 400, body: providerError(100) } : 'pass'));
    expect((await fixture.api(company, 'POST', '/sync')).status).toBe(200);
    expect((await shown(company)).max_price).toEqual({ amount: '0.05', currency: 'EUR' });
  });
});

describe('changing a max price', () => {
  test('tells the provider the bid alone, and the template stays approved and can be edited as before', async () => {
    const company = await withSale();
    expect(templateOf(await edit(company, euros('0.07')))).toMatchObject({
      status: 'APPROVED',
      max_price: { amount: '0.07', currency: 'EUR' },
      edits_left: { today: 1, in_30_days: 10 },
    });
    expect(posted().map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ optimization_spec: bid(7_000) }]);
    await fixture.api(company, 'POST', '/sync');
    expect((await shown(company)).max_price?.amount).toBe('0.07');
  });

  test('whose answer is lost is found at the provider: done once, or repeated where it did not arrive', async () => {
    const company = await withSale();
    fixture.line(({ method }) => (method === 'POST' ? 'lose-answer' : 'pass'));
    expect(templateOf(await edit(company, euros('0.06'), 'one')).max_price?.amount).toBe('0.06');
    expect(posted()).toHaveLength(1);
    fixture.line(({ method }) => (method === 'POST' ? { status: 500, body: 'gone' } : 'pass'));
    expect(refusalOf(await edit(company, euros('0.09'), 'two'))).toEqual([503, 'temporarily_unavailable']);
    expect((await shown(company)).max_price?.amount).toBe('0.06');
    fixture.line();
    expect(templateOf(await edit(company, euros('0.09'), 'two')).max_price?.amount).toBe('0.09');
  });

  test('is refused where the template was created without one, or in another currency', async () => {
    const company = await inEuros();
    templateOf(await fixture.create(company, sale()));
    await fixture.deliverAll();
    fixture.line();
    expect(refusalOf(await edit(company, euros('0.05')))).toEqual([422, 'validation_failed', 'max_price']);
    const other = await withSale();
    expect(refusalOf(await edit(other, { max_price: { amount: '1', currency: 'USD' } }))).toEqual([
      422,
      'validation_failed',
      'max_price.currency',
    ]);
    expect(posted()).toEqual([]);
  });
});

describe('a message of a template with a max price', () => {
  let phones = 0;
  const newPhone = (): string => `+4915755${String(++phones).padStart(6, '0')}`;
  const send = (company: TestCompany, phone: string, over: Record<string, unknown> = {}, key?: string) =>
    fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/messages/template',
      token: company.tokens.member,
      body: { phone, template_name: 'sale', ...over },
      ...(key ? { headers: { 'idempotency-key': key } } : {}),
    });
  const edges = (): (string | undefined)[] => posted().map(({ path }) => path.split('?')[0]?.split('/').at(-1));

  test('goes by the marketing edge, strictly, and any other by the edge of all messages', async () => {
    const company = await withSale();
    const phone = newPhone();
    const answer = await send(company, phone);
    expect(answer.status, answer.raw).toBe(200);
    const [accepted] = await fixture.ledger(phone.slice(1));
    expect(accepted?.payload).toMatchObject({ type: 'template', product_policy: 'STRICT', template: { name: 'sale' } });
    await fixture.atProvider(company, [sale({ name: 'plain_sale' })]);
    await fixture.api(company, 'POST', '/sync');
    expect((await send(company, newPhone(), { template_name: 'plain_sale' })).status).toBe(200);
    expect(edges()).toEqual(['marketing_messages', 'messages']);
  });

  test('whose answer is lost is sent by no edge again, not even when the call is repeated', async () => {
    const company = await withSale();
    const phone = newPhone();
    fixture.line(({ path }) => (path.includes('marketing_messages') ? 'lose-answer' : 'pass'));
    await send(company, phone, {}, 'one');
    fixture.line();
    await send(company, phone, {}, 'one');
    await fixture.testApp.passTime(200);
    expect(edges()).toEqual([]);
    expect(await fixture.ledger(phone.slice(1))).toHaveLength(1);
  });

  test('that is scheduled goes by the marketing edge at its time', async () => {
    const company = await withSale();
    const phone = newPhone();
    const at = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
    expect((await send(company, phone, { scheduled_at: at })).status).toBe(200);
    await fixture.testApp.passTime(90);
    expect(edges()).toEqual(['marketing_messages']);
    expect(await fixture.ledger(phone.slice(1))).toHaveLength(1);
  });

  test.each<[number, boolean]>([
    [131_055, false],
    [131_061, false],
    [131_062, false],
    [131_063, false],
    [134_100, false],
    [134_101, true],
  ])('that the provider refuses with %i is answered with what to do, and whether to try again (%s)', async (code, retryable) => {
    const company = await withSale();
    fixture.line(({ path }) => (path.includes('marketing_messages') ? { status: 400, body: providerError(code) } : 'pass'));
    const answer = await send(company, newPhone());
    expect(refusalOf(answer)).toEqual([422, 'provider_rejected']);
    const { details } = z.looseObject({ details: z.looseObject({ fix: z.string() }) }).parse(answer.body);
    expect(details).toMatchObject({ provider_code: code, retryable });
    expect(details.fix).not.toBe('See details.');
  });
});
