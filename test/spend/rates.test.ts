import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CardInput } from '../../functions/spend/contract/card.ts';
import type { RateCardRecord, RateChange, RateLookup } from '../../functions/spend/contract/rates.ts';
import { operatorOwner } from '../../functions/spend/contract/stored.ts';
import { importRates, listOperatorRates } from '../../functions/spend/service/operator-rates.ts';
import { rateCardEntity } from '../../functions/spend/store/rate-card.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { marketOf } from './cards.ts';

let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany({ roles: ['owner', 'admin', 'member', 'viewer'] });
});
afterAll(() => testApp.stop());

const card = (currency: string, from: string, prices: Record<string, string>): CardInput => ({
  currency,
  effective_from: from,
  markets: Object.entries(prices).map(([country, price]) => marketOf(country, country === 'Other' ? [] : [country], price)),
});
const call = (method: 'GET' | 'PUT', path: string, body?: object, token = company.tokens.owner): Promise<Answer> =>
  testApp.call({ method, path: `/api/v1/rates${path}`, token, ...(body ? { body: { ...body } } : {}) });
const dataOf = <T>({ status, body, raw }: Answer): T => {
  if (status !== 200) throw new Error(raw);
  return (body as { data: T }).data;
};
const lookUp = async (query: string, token?: string): Promise<RateLookup> =>
  dataOf(await call('GET', `/lookup?${query}`, undefined, token));
const change = async (body: object): Promise<RateChange> => dataOf(await call('PUT', '', body));

describe('rates', () => {
  test('without any card every price is unknown, and null', async () => {
    expect(await lookUp('phone=%2B4915123456789&category=marketing')).toMatchObject({
      country: 'DE',
      price: null,
      reason: 'no_card',
      card: null,
    });
    expect(dataOf<RateCardRecord[]>(await call('GET', ''))).toEqual([]);
  });

  test('of the operator price every company: by day, country and category', async () => {
    unwrap(await importRates(card('EUR', '2026-10-01', { DE: '0.1131', IN: '0.0099', Other: '0.05' })));
    unwrap(await importRates(card('EUR', '2027-01-01', { DE: '0.12', IN: '0.0099', Other: '0.05' })));
    const at = 'at=2026-11-29&category=marketing';
    expect(await lookUp(`phone=%2B49+151+23456789&${at}`)).toMatchObject({
      country: 'DE',
      price: { amount: '0.1131', currency: 'EUR' },
      reason: null,
      card: '2026-10-01-EUR-1',
      owner: 'operator',
      tiers: null,
    });
    expect((await lookUp(`country=DE&category=marketing&at=2027-01-01`)).price?.amount).toBe('0.12');
    expect(await lookUp(`country=DE&category=marketing&at=2026-09-30`)).toMatchObject({ price: null, reason: 'no_card' });
    expect((await lookUp(`country=LI&${at}`)).price?.amount).toBe('0.05');
    expect(await lookUp(`phone=%2B88161234567&${at}`)).toMatchObject({ country: null, price: null, reason: 'no_country' });
    expect(await lookUp(`country=DE&currency=USD&${at}`)).toMatchObject({ price: null, reason: 'no_card' });
    const listed = dataOf<RateCardRecord[]>(await call('GET', '?at=2026-11-29'));
    expect(listed.map(({ id, state, age_days, markets }) => [id, state, age_days, markets])).toEqual([
      ['2026-10-01-EUR-1', 'in_force', 59, null],
      ['2027-01-01-EUR-1', 'coming', -33, null],
    ]);
    const [first] = dataOf<RateCardRecord[]>(await call('GET', '?at=2026-11-29&currency=EUR'));
    expect(first?.markets?.map(({ market }) => market)).toEqual(['DE', 'IN', 'Other']);
    // the account of who imported it is shown to the operator alone
    expect(first?.imported_by).toBe('operator');
    expect((await listOperatorRates()).map(({ imported_by }) => imported_by)).toEqual(['system', 'system']);
  });

  test('of the operator are refused where a market is gone or a price moved too far, unless forced; the card before stays', async () => {
    const next = card('EUR', '2027-04-01', { DE: '0.9', Other: '0.05' });
    const refused = await importRates(next);
    expect(refused).toMatchObject({
      problem: 'validation_failed',
      errors: { markets: expect.arrayContaining(['The price of DE, marketing, moves from 0.12 to 0.9.', 'The market IN is gone.']) },
    });
    expect((await listOperatorRates()).map(({ id }) => id)).not.toContain('2027-04-01-EUR-1');
    expect(unwrap(await importRates(next, { force: true }))).toMatchObject({ stored: true, doubts: { length: 6 } });
  });

  test('are never changed: a correction is a later revision, and a repetition adds none', async () => {
    const first = unwrap(await importRates(card('USD', '2026-10-01', { DE: '0.12' })));
    const again = unwrap(await importRates(card('USD', '2026-10-01', { DE: '0.12' })));
    const second = unwrap(await importRates(card('USD', '2026-10-01', { DE: '0.13' })));
    expect([first, again, second].map(({ stored, card: { id } }) => [stored, id])).toEqual([
      [true, '2026-10-01-USD-1'],
      [false, '2026-10-01-USD-1'],
      [true, '2026-10-01-USD-2'],
    ]);
    const of = (rev: number) => rateCardEntity.get({ companyId: operatorOwner, currency: 'USD', effectiveFrom: '2026-10-01', rev });
    expect((await of(1))?.markets?.[0]?.marketing).toBe('0.12');
    expect((await lookUp('country=DE&currency=USD&category=service&at=2026-10-01')).price?.amount).toBe('0.13');
    // two cards of one day at once have revisions of their own
    const both = await Promise.all(['0.14', '0.15'].map((price) => importRates(card('USD', '2026-10-02', { DE: price }))));
    expect(both.map((each) => unwrap(each).card.revision).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  test('of two currencies need one to be named', async () => {
    const answer = await call('GET', '/lookup?country=DE&category=marketing');
    expect(answer).toMatchObject({ status: 422, body: { errors: { currency: [expect.stringContaining('EUR, USD')] } } });
  });

  test('of the company come first, after a dry run that stores nothing, and no other company sees them', async () => {
    const other = await newCompany({ roles: ['owner'] });
    const own = card('EUR', '2026-11-01', { DE: '0.1' });
    const shown = await change({ ...own, dry_run: true });
    expect([shown.stored, shown.changes]).toEqual([
      false,
      [
        { market: 'DE', category: 'marketing', before: '0.1131', after: '0.1' },
        ...['utility', 'authentication', 'authentication_international', 'service'].map((category) => ({
          market: 'DE',
          category,
          before: '0.1131',
          after: '0.1',
        })),
      ],
    ]);
    const query = 'country=DE&currency=EUR&category=marketing&at=2026-11-29';
    expect((await lookUp(query)).owner).toBe('operator');
    expect(await change(own)).toMatchObject({ stored: true, card: { id: '2026-11-01-EUR-1', owner: 'company' } });
    expect(await change(own)).toMatchObject({ stored: false, card: { id: '2026-11-01-EUR-1' } });
    expect(await lookUp(query)).toMatchObject({ owner: 'company', price: { amount: '0.1' } });
    // what the company's card does not price is the operator's
    expect(await lookUp(query.replace('DE', 'IN'))).toMatchObject({ owner: 'operator', price: { amount: '0.0099' } });
    expect(await lookUp(query, other.tokens.owner)).toMatchObject({ owner: 'operator', price: { amount: '0.1131' } });
    expect((await call('GET', '?currency=EUR', undefined, other.tokens.owner)).raw).not.toContain('"company"');
  });

  test('of the company may be an adjustment of the operator’s card, of another currency too', async () => {
    const changed = await change({
      currency: 'GBP',
      effective_from: '2026-11-01',
      adjustment: { from_currency: 'EUR', factor: '0.85', percent: '10' },
    });
    expect(changed.changes).toContainEqual({ market: 'DE', category: 'marketing', before: null, after: '0.105749' });
    expect(await lookUp('country=DE&currency=GBP&category=marketing&at=2026-11-29')).toMatchObject({
      price: { amount: '0.105749', currency: 'GBP' },
      card: '2026-11-01-GBP-1',
      owner: 'company',
    });
  });

  test.each([
    ['neither prices nor an adjustment', {}, 'markets'],
    ['both', { markets: [marketOf('DE', ['DE'], '1')], adjustment: {} }, 'markets'],
    ['a country in two markets', { markets: [marketOf('A', ['DE'], '1'), marketOf('B', ['DE'], '1')] }, 'markets'],
    ['an adjustment of another currency without a factor', { adjustment: { from_currency: 'USD' } }, 'adjustment.factor'],
    ['a price as a number', { markets: [{ ...marketOf('DE', ['DE'], '1'), marketing: 0.1 }] }, 'markets.0.marketing'],
  ])('with %s are refused', async (_what, body, field) => {
    const answer = await call('PUT', '', { currency: 'EUR', effective_from: '2026-11-01', ...body });
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: { [field]: [expect.any(String)] } } });
  });

  test('with a field that is not known are refused: a misspelt category would be a price that is unknown', async () => {
    const [market] = card('EUR', '2026-11-02', { DE: '1' }).markets ?? [];
    const answer = await call('PUT', '', { currency: 'EUR', effective_from: '2026-11-02', markets: [{ ...market, marketting: '0.1' }] });
    expect(answer).toMatchObject({ status: 422, body: { code: 'unknown_field' } });
  });

  test.each(['member', 'viewer'] as const)('a %s reads them, and does not set them', async (role) => {
    const token = company.tokens[role];
    expect((await call('GET', '', undefined, token)).status).toBe(200);
    expect(await call('PUT', '', card('EUR', '2026-12-01', { DE: '1' }), token)).toMatchObject({
      status: 403,
      body: { code: expect.any(String) },
    });
  });

  test('of the company are in its audit log; those of the operator are in none', async () => {
    await testApp.drain();
    const entries = await testApp.dump({ kind: 'audit-entry' });
    const ofCards = entries.filter((entry) => entry['targetKind'] === 'rate_card');
    expect(ofCards.map(({ companyId, id }) => [companyId, id])).toEqual(
      expect.arrayContaining([
        [company.id, '2026-11-01-EUR-1'],
        [company.id, '2026-11-01-GBP-1'],
      ]),
    );
    expect(ofCards.filter(({ companyId }) => companyId !== company.id)).toEqual([]);
  });
});
