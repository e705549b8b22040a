import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { sentBeforeTier, withTier } from '../../functions/spend/domain/volume-tier.ts';
import type { StoredVolumeTiers } from '../../functions/spend/contract/volume-tier.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { estimateSend } from '../../functions/spend/service/estimates.ts';
import { recordVolumeTier } from '../../functions/spend/service/volume-tiers.ts';
import { moveToMidMonth } from '../ceilings/fixture.ts';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { seeded } from '../support/random.ts';

/** The provider counts the messages of a portfolio, which one company knows a part of: where it posts a tier, an estimate begins there. */
let fixture: CampaignFixture;
const steps = [
  { from: 0, price: '0.05' },
  { from: 3, price: '0.04' },
  { from: 5, price: '0.01' },
];
const none = { marketing: '0.1', authentication: null, authentication_international: null, service: null };
const markets = [
  { ...none, market: 'Germany', countries: ['DE'], utility: steps },
  { ...none, market: 'Other', countries: [], utility: steps },
];
beforeAll(async () => {
  fixture = await startFixture();
  moveToMidMonth(fixture.testApp);
  unwrap(await importRates({ currency: 'EUR', effective_from: '2026-01-01', markets }, { force: true }));
  await fixture.control('PUT', 'billing', { currency: 'EUR', markets });
});
afterAll(() => fixture.stop());

const inEuros = async (): Promise<TestCompany> => {
  const company = await fixture.campaigner(1_000, { roles: ['owner', 'member'] });
  await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
  return company;
};
const estimated = async (company: TestCompany, recipients: number, category = 'UTILITY', country = 'DE') => {
  const cost = await estimateSend(company.id, { items: [{ country, recipients }], category, currency: 'EUR' });
  return [cost.estimate?.amount, cost.at_most?.amount];
};
const month = (): string => new Date(fixture.testApp.clock.now()).toISOString().slice(0, 7);

describe('a tier that the provider posts', () => {
  test('is where the estimate begins: of its month, market and category, and of its account alone', async () => {
    const company = await inEuros();
    const other = await inEuros();
    expect(await estimated(company, 10)).toEqual(['0.24', '0.5']);
    await recordVolumeTier(company.id, company.number.wabaId, { category: 'UTILITY', region: 'GERMANY', tier: '5:MAX', month: month() });
    expect(await estimated(company, 10)).toEqual(['0.1', '0.5']);
    expect(await estimated(company, 10, 'UTILITY', 'FR')).toEqual(['0.24', '0.5']);
    expect(await estimated(other, 10)).toEqual(['0.24', '0.5']);
    await recordVolumeTier(other.id, 'another account', { category: 'UTILITY', region: 'Germany', tier: '5:MAX', month: month() });
    await recordVolumeTier(other.id, other.number.wabaId, { category: 'UTILITY', region: 'Germany', tier: '5:MAX', month: '2026-01' });
    expect(await estimated(other, 10)).toEqual(['0.24', '0.5']);
  });

  test('comes by the webhook of the account: what the simulator has counted', async () => {
    const company = await inEuros();
    for (let nth = 0; nth < 4; nth++) {
      const body = { phone: `+4915123450${String(nth).padStart(3, '0')}`, template_name: 'plain', template_language: 'en' };
      const sent = await fixture.testApp.call({ method: 'POST', path: '/api/v1/messages/template', token: company.tokens.member, body });
      expect(sent.status, sent.raw).toBe(200);
    }
    await fixture.deliverAll();
    const posted = await fixture.control('POST', 'tiers', { company_id: company.id });
    expect(posted).toEqual([
      { pricing_category: 'UTILITY', region: 'Germany', tier: '3:4', effective_month: month(), tier_update_time: expect.any(Number) },
    ]);
    await fixture.deliverAll();
    const stored = await fixture.items(company.id, 'volume-tiers');
    expect(stored).toMatchObject([{ month: month(), starts: { [`${company.number.wabaId}/utility/GERMANY`]: 3 } }]);
    // four of its own were counted, which is more than the tier says
    expect(await estimated(company, 10)).toEqual(['0.1', '0.5']);
  });

  test('is the highest, in any order and however often it comes; what is no tier of messages changes nothing', () => {
    const random = seeded(7);
    const id = { companyId: 1, wabaId: '9' };
    const of = (tier: string, more: object = {}) => ({ category: 'UTILITY', region: 'India', tier, month: '2026-12', ...more });
    for (let round = 0; round < 50; round++) {
      let tiers: StoredVolumeTiers | undefined;
      for (const each of Array.from({ length: 12 }, () => Math.floor(random() * 4)))
        tiers = withTier(tiers, id, of(`${['1', '100', '25000001', '50000001'][each]}:MAX`)) ?? tiers;
      tiers = withTier(tiers, id, of('50000001:MAX')) ?? tiers;
      expect(tiers?.starts).toEqual({ '9/utility/INDIA': 50_000_001 });
      const query = { wabaIds: ['8', '9'], category: 'UTILITY', names: ['Rest of Asia', 'india'] };
      expect(sentBeforeTier(tiers ?? { starts: {} }, query)).toBe(50_000_000);
      expect(sentBeforeTier(tiers ?? { starts: {} }, { ...query, wabaIds: ['8'] })).toBe(0);
    }
    for (const odd of [
      of('MAX'),
      of('-1:5'),
      of('5:9', { category: 'CALLING' }),
      of('5:9', { month: 'soon' }),
      of('5:9', { region: 'x'.repeat(61) }),
    ])
      expect(withTier(undefined, id, odd)).toBeUndefined();
  });
});
