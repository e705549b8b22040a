import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { sendCost, type SendCost } from '../../functions/spend/contract/cost.ts';
import type { CardMarket } from '../../functions/spend/contract/card.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { decimalText, microsOf } from '../../functions/spend/domain/money.ts';
import { startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { marketOf } from './cards.ts';

/** What a campaign will cost, before it is created. */
const fixture = await startFixture();
afterAll(() => fixture.stop());

const today = new Date(fixture.testApp.clock.now()).toISOString().slice(0, 10);
const imported = async (currency: string, markets: CardMarket[]): Promise<void> =>
  void unwrap(await importRates({ currency, effective_from: today, markets }));
const costOfAll = async (company: TestCompany, template: string | undefined): Promise<SendCost | null> => {
  const body = template === undefined ? {} : { template_id: fixture.templateId(company, template) };
  const answer = await fixture.api(company, 'POST', '/audience-preview', { audience_type: 'all', ...body });
  if (answer.status !== 200) throw new Error(answer.raw);
  return z.object({ data: z.object({ cost: sendCost.nullable() }) }).parse(answer.body).data.cost;
};
const withContacts = async (phones: readonly string[]): Promise<TestCompany> => {
  const company = await fixture.campaigner();
  const contacts = phones.map((phone) => ({ phone }));
  const path = '/api/v1/contacts/bulk-sync';
  const answer = await fixture.testApp.call({ method: 'POST', path, token: company.tokens.member, body: { contacts } });
  expect(answer.status, answer.raw).toBe(200);
  await fixture.testApp.drain();
  return company;
};
const german = (nth: number): string => `+4915123450${String(nth).padStart(3, '0')}`;

describe('the preview of a campaign', () => {
  test('without a card has no amount, and all recipients unknown', async () => {
    const company = await withContacts([german(1), german(2)]);
    expect(await costOfAll(company, 'sale')).toMatchObject({
      estimate: null,
      at_most: null,
      known: 0,
      unknown: 2,
      countries: [{ country: 'DE', recipients: 2, price: null, amount: null, reason: 'no_card' }],
      cards: [],
    });
    expect(await costOfAll(company, undefined)).toBeNull();
  });

  test('has the price of each recipient by country, and names the people without one', async () => {
    await imported('EUR', [
      marketOf('Germany', ['DE'], { marketing: '0.1131' }),
      marketOf('North America', ['US', 'CA'], { marketing: '0.0207' }),
    ]);
    const company = await withContacts([german(11), german(12), german(13), '+12125550101', '+12045550101', '+33612345678']);
    const cost = await costOfAll(company, 'sale');
    expect(cost).toEqual({
      estimate: { amount: '0.3807', currency: 'EUR' },
      at_most: { amount: '0.3807', currency: 'EUR' },
      known: 5,
      unknown: 1,
      category: 'marketing',
      countries: [
        { country: 'DE', recipients: 3, price: '0.1131', amount: '0.3393', reason: null },
        { country: 'CA', recipients: 1, price: '0.0207', amount: '0.0207', reason: null },
        { country: 'FR', recipients: 1, price: null, amount: null, reason: 'no_market' },
        { country: 'US', recipients: 1, price: '0.0207', amount: '0.0207', reason: null },
      ],
      cards: [`${today}-EUR-1`],
    });
    const sum = (cost?.countries ?? []).reduce((total, { amount }) => total + (amount === null ? 0n : (microsOf(amount) ?? 0n)), 0n);
    expect(decimalText(sum)).toBe(cost?.estimate?.amount);
  });

  test('is in the currency of the business account; of several it guesses none', async () => {
    await imported('USD', [marketOf('Germany', ['DE'], '0.12')]);
    const company = await withContacts([german(21)]);
    expect(await costOfAll(company, 'sale')).toMatchObject({ estimate: null, unknown: 1, countries: [{ reason: 'no_currency' }] });
    // as the daily check of the account reads it
    await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'USD' });
    expect(await costOfAll(company, 'sale')).toMatchObject({ estimate: { amount: '0.12', currency: 'USD' }, unknown: 0 });
  });
});
