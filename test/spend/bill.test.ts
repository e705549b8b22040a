import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { createBillingMarkets, expectedFreeMessages } from './bill-cards.ts';
import { sendCost } from '../../functions/spend/contract/cost.ts';
import { type SpendRecord, spendRecord } from '../../functions/spend/contract/spend.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';

/** The simulator's own bill, computed message by message, is the oracle of what the product shows. */
const fixture = await startFixture();
afterAll(() => fixture.stop());

const { testApp } = fixture;
const bill = z.object({
  currency: z.string(),
  amount: z.string(),
  messages: z.int(),
  charged: z.int(),
  unpriced: z.int(),
  lines: z.array(
    z.object({ country: z.string().nullable(), category: z.string(), messages: z.int(), charged: z.int(), amount: z.string() }),
  ),
});
const billOf = async (company: TestCompany) => bill.parse(await fixture.control('GET', `bill?company=${company.id}`));
const spendOf = async (company: TestCompany, by: string): Promise<SpendRecord> => {
  const answer = await testApp.call({ method: 'GET', path: `/api/v1/spend?by=${by}`, token: company.tokens.member });
  if (answer.status !== 200) throw new Error(answer.raw);
  return z.object({ data: spendRecord }).parse(answer.body).data;
};
const microsOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
};
/** Of the page, in the bill's currency. */
const amountOf = ({ amounts }: { amounts: readonly { amount: string; currency: string }[] }): string => {
  expect(amounts.length).toBeLessThanOrEqual(1);
  return amounts[0]?.amount ?? '0';
};

const prefixes = ['4915', '33612', '4477', '9198', '6281', '5511', '1212', '1204', '1809', '4366', '35191'];
let nth = 0;
const phoneOf = (random: () => number): string => {
  const prefix = prefixes[Math.floor(random() * prefixes.length)] ?? '4915';
  const length = { '4915': 13, '33612': 11, '4477': 12, '9198': 12, '6281': 12, '5511': 13, '4366': 12, '35191': 12 }[prefix] ?? 11;
  // eleven digits of +1 must begin an exchange with 2 to 9
  const fill = prefix.startsWith('1') ? '555' : prefix === '5511' ? '9' : '';
  return `+${prefix}${fill}${String(++nth + 100).padStart(length - prefix.length - fill.length, prefix === '4477' ? '0' : '2')}`;
};

const priced = async (company: TestCompany, currency: string): Promise<void> => {
  await recordNumberCheck({ companyId: company.id, id: 1 }, testApp.clock.now() + 1, { currency });
};

beforeAll(async () => {
  const markets = createBillingMarkets();
  unwrap(await importRates({ currency: 'EUR', effective_from: '2026-10-01', markets }));
  await fixture.control('PUT', 'billing', { currency: 'EUR', markets, free_service: expectedFreeMessages });
});

describe('page, CSV and the bill of the provider', () => {
  test('agree to the micro-unit, over countries, categories, tiers and free messages', { timeout: 900_000 }, async () => {
    const company = await fixture.campaigner();
    await priced(company, 'EUR');
    const random = seeded(482);
    const templates = ['plain', 'sale', 'order'];
    const sendOne = async (): Promise<void> => {
      const phone = phoneOf(random);
      const kind = Math.floor(random() * 4);
      const isFromAd = random() < 0.1;
      const referral = { source_url: 'https://ads.example/1' };
      if (isFromAd) await fixture.inbound({ company_id: company.id, from: phone, type: 'text', text: 'Hello', referral });
      const path = kind === 3 ? '/api/v1/messages/text' : '/api/v1/messages/template';
      const values = [{}, { variables: ['you'] }, { variables: ['you', 'A-1'] }][kind] ?? {};
      const body = kind === 3 ? { phone, message: 'Hello' } : { phone, template_name: templates[kind], ...values };
      const answer = await testApp.call({ method: 'POST', path, token: company.tokens.member, body });
      expect(answer.status, answer.raw).toBe(200);
    };
    for (let run = 0; run < runSize(3, 30); run++) await Promise.all(Array.from({ length: 15 }, sendOne));
    await fixture.deliverAll();
    const [owed, byCountry, byCategory, byNumber] = [
      await billOf(company),
      await spendOf(company, 'country'),
      await spendOf(company, 'category'),
      await spendOf(company, 'number'),
    ];
    expect(owed.charged).toBeGreaterThan(15);
    expect(owed.messages).toBeGreaterThan(owed.charged);
    const ofBill = owed.lines.map(({ country, category, messages, charged }) => [country, category, messages, charged].join(' '));
    const ofPage = byCountry.rows.flatMap(({ key, categories }) =>
      categories.map(({ category, messages, charged }) => [key, category, messages, charged].join(' ')),
    );
    expect(ofPage.toSorted()).toEqual(ofBill.toSorted());
    for (const { totals } of [byCountry, byCategory, byNumber]) {
      expect(totals).toMatchObject({ messages: owed.messages, charged: owed.charged, unknown: owed.unpriced });
      expect(amountOf(totals)).toBe(owed.amount);
    }
    const { raw } = await testApp.call({ method: 'GET', path: '/api/v1/spend.csv', token: company.tokens.member });
    const [names = '', ...lines] = raw.trim().split('\r\n');
    const place = names.split(',').indexOf('amount');
    const total = lines.reduce((sum, line) => sum + microsOf(line.split(',')[place] || '0'), 0n);
    expect(total).toBe(microsOf(owed.amount));
  });

  const templates = { marketing: 'sale', utility: 'order', plain: 'plain' } as const;
  const valuesOf = { sale: { 1: 'you' }, order: { 1: 'you', 2: 'A-1' }, plain: {} } as const;
  /** A campaign to a random audience: its preview, and what the bill grew by. */
  const campaignTo = async (company: TestCompany, template: keyof typeof valuesOf, random: () => number) => {
    const before = await billOf(company);
    const group = await fixture.group(company, `Audience ${++nth}`);
    const phones = Array.from({ length: 5 + Math.floor(random() * 15) }, () => phoneOf(random));
    const loaded = await testApp.call({
      method: 'POST',
      path: '/api/v1/contacts/bulk-sync',
      token: company.tokens.member,
      body: { contacts: phones.map((phone) => ({ phone, name: 'Ana' })), group_id: group },
    });
    expect(loaded.status, loaded.raw).toBe(200);
    await testApp.drain();
    const body = { template_id: fixture.templateId(company, template), group_id: group, paramvalues: valuesOf[template] };
    const preview = await fixture.api(company, 'POST', '/audience-preview', body);
    const { cost } = z.object({ data: z.object({ cost: sendCost }) }).parse(preview.body).data;
    await fixture.create(company, { name: 'Spring', ...body });
    await testApp.passTime(30);
    await fixture.deliverAll();
    const after = await billOf(company);
    expect(after.messages - before.messages).toBe(phones.length);
    expect(cost.known).toBe(after.charged - before.charged);
    return { cost, owed: microsOf(after.amount) - microsOf(before.amount), total: after };
  };

  test('the estimate of an audience is its bill, where there are no tiers and nothing is free', { timeout: 900_000 }, async () => {
    const random = seeded(483);
    for (let run = 0; run < runSize(2, 50); run++) {
      const company = await fixture.campaigner();
      await priced(company, 'EUR');
      const { cost, owed, total } = await campaignTo(company, 'sale', random);
      expect(microsOf(cost.estimate?.amount ?? '')).toBe(owed);
      expect(amountOf((await spendOf(company, 'campaign')).totals)).toBe(total.amount);
    }
  });

  test('it is within 2 % of the bill over all categories, while the tiers of the month are crossed', { timeout: 900_000 }, async () => {
    const random = seeded(484);
    const company = await fixture.campaigner();
    await priced(company, 'EUR');
    let [estimated, owed, atMost] = [0n, 0n, 0n];
    const audiences = runSize(6, 50);
    for (let run = 0; run < audiences; run++) {
      const template = (['utility', 'marketing', 'plain'] as const)[run % 3] ?? 'utility';
      const result = await campaignTo(company, templates[template], random);
      const amount = microsOf(result.cost.estimate?.amount ?? '');
      const difference = amount > result.owed ? amount - result.owed : result.owed - amount;
      expect(difference * 50n, `audience ${run} of ${template}: ${amount} and ${result.owed}`).toBeLessThanOrEqual(result.owed);
      estimated += amount;
      owed += result.owed;
      atMost += microsOf(result.cost.at_most?.amount ?? '');
    }
    // tiers were crossed: at list prices it would have been more
    expect(atMost).toBeGreaterThan(owed);
    expect((estimated > owed ? estimated - owed : owed - estimated) * 50n).toBeLessThanOrEqual(owed);
  });
});
