import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { messageCost, type MessageCost } from '../../functions/spend/contract/message-cost.ts';
import type { CardMarket } from '../../functions/spend/contract/card.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { marketOf } from './cards.ts';

/** What one message costs, in the answer of its send. */
let fixture: CampaignFixture;
let today: string;
beforeAll(async () => {
  fixture = await startFixture();
  today = new Date(fixture.testApp.clock.now()).toISOString().slice(0, 10);
});
afterAll(() => fixture.stop());

const imported = async (currency: string, markets: CardMarket[]): Promise<void> =>
  void unwrap(await importRates({ currency, effective_from: today, markets }, { force: true }));
const sent = async (company: TestCompany, kind: 'template' | 'text', body: object, key?: string): Promise<MessageCost> => {
  const answer = await fixture.testApp.call({
    method: 'POST',
    path: `/api/v1/messages/${kind}`,
    token: company.tokens.member,
    body: kind === 'template' ? { template_language: 'en', ...body } : { message: 'Hello', ...body },
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  });
  if (answer.status !== 200) throw new Error(answer.raw);
  return z.object({ data: z.object({ cost: messageCost }) }).parse(answer.body).data.cost;
};
let phones = 0;
const german = (): string => `+4915123460${String(++phones).padStart(3, '0')}`;
const sale = () => ({ phone: german(), template_name: 'sale', variables: ['you'] });

describe('the answer of a send', () => {
  test('has no amount without a card, never 0; a card that is imported has one within a minute', async () => {
    const company = await fixture.campaigner();
    const unknown = { estimate: null, at_most: null, category: 'marketing', country: 'DE', reason: 'no_card', card: null };
    expect(await sent(company, 'template', sale())).toEqual(unknown);
    await imported('EUR', [
      marketOf('Germany', ['DE'], { marketing: '0.1131', utility: '0.0456', service: '0.02' }),
      marketOf('France', ['FR'], { marketing: '0' }),
    ]);
    expect(await sent(company, 'template', sale())).toEqual(unknown);
    fixture.testApp.clock.advance(60_000);
    const price = { amount: '0.1131', currency: 'EUR' };
    expect(await sent(company, 'template', sale())).toEqual({
      ...unknown,
      estimate: price,
      at_most: price,
      reason: null,
      card: `${today}-EUR-1`,
    });
  });

  test('has the price of the category and country of each, scheduled ones too; a service message may be free, a price of 0 is known', async () => {
    const company = await fixture.campaigner();
    const costs = [
      await sent(company, 'template', { ...sale(), scheduled_at: new Date(fixture.testApp.clock.now() + 3_600_000).toISOString() }),
      await sent(company, 'template', { phone: german(), template_name: 'order', variables: ['you', 'A-1'] }),
      await sent(company, 'text', { phone: german() }),
      await sent(company, 'template', { ...sale(), phone: '+33612345678' }),
      await sent(company, 'text', { phone: '+33612345678' }),
      await sent(company, 'template', { ...sale(), phone: '+12125550101' }),
    ];
    expect(
      costs.map(({ category, country, estimate, at_most, reason }) => [category, country, estimate?.amount, at_most?.amount, reason]),
    ).toEqual([
      ['marketing', 'DE', '0.1131', '0.1131', null],
      ['utility', 'DE', '0.0456', '0.0456', null],
      ['service', 'DE', '0', '0.02', null],
      ['marketing', 'FR', '0', '0', null],
      ['service', 'FR', undefined, undefined, 'no_price'],
      ['marketing', 'US', undefined, undefined, 'no_market'],
    ]);
  });

  test('is in the currency of the business account; of several it guesses none', async () => {
    const company = await fixture.campaigner();
    await imported('USD', [marketOf('Germany', ['DE'], '0.12')]);
    fixture.testApp.clock.advance(600_000);
    expect(await sent(company, 'template', sale())).toMatchObject({ estimate: null, reason: 'no_currency' });
    await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'USD' });
    // a process goes by what it knows of a number for a while
    fixture.testApp.clock.advance(60_000);
    expect((await sent(company, 'template', sale())).estimate).toEqual({ amount: '0.12', currency: 'USD' });
  });

  test('is the same when it is repeated with its Idempotency-Key, and the cards are read once in a process', async () => {
    const company = await fixture.campaigner();
    await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
    const body = sale();
    const first = await sent(company, 'template', body, 'order 9');
    await imported('EUR', [marketOf('Germany', ['DE'], '0.5')]);
    let reads = 0;
    using _reads = fixture.testApp.onTable(({ when, input }) => {
      if (when === 'before' && JSON.stringify(input).includes('RATES')) reads++;
    });
    expect(await sent(company, 'template', body, 'order 9')).toEqual(first);
    for (let nth = 0; nth < 3; nth++) expect((await sent(company, 'template', sale())).estimate).toEqual(first.estimate);
    expect(reads).toBe(0);
    fixture.testApp.clock.advance(600_000);
    expect((await sent(company, 'template', sale())).estimate).toEqual({ amount: '0.5', currency: 'EUR' });
  });
});
