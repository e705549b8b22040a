import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import type { SpendRecord } from '../../functions/spend/contract/spend.ts';
import { spendRecord } from '../../functions/spend/contract/spend.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { newCompany, statusPost, type TestCompany, unwrap } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { marketOf } from './cards.ts';

/** What messages cost, from the statuses of the provider to the page. */

let testApp: TestApp;
let provider: ProviderStub;
let today: string;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url }, shards: 3 });
  today = new Date(testApp.clock.now()).toISOString().slice(0, 10);
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const spendOf = async ({ tokens }: TestCompany, query = ''): Promise<SpendRecord> => {
  const answer = await testApp.call({ method: 'GET', path: `/api/v1/spend${query}`, token: tokens.owner });
  if (answer.status !== 200) throw new Error(answer.raw);
  return z.object({ data: spendRecord }).parse(answer.body).data;
};
const sent = async (company: TestCompany, phone: string, pricing: object | undefined): Promise<void> => {
  const { body, raw, status } = await testApp.call({
    method: 'POST',
    path: '/api/v1/messages/text',
    token: company.tokens.owner,
    body: { phone, message: 'Hello' },
  });
  if (status !== 200) throw new Error(raw);
  const id = z.object({ data: z.object({ message_wamid: z.string() }) }).parse(body).data.message_wamid;
  await testApp.drain();
  const reference = String(provider.requests.findLast((request) => request.body['to'] === phone)?.body['biz_opaque_callback_data']);
  await testApp.call(
    statusPost(company, { id, biz_opaque_callback_data: reference, status: 'delivered', ...(pricing ? { pricing } : {}) }),
  );
  await testApp.drain();
};
let phones = 0;
const german = (): string => `+49151${String(++phones).padStart(7, '0')}`;
const french = (): string => `+33612${String(++phones).padStart(6, '0')}`;
const service = { type: 'regular', category: 'service', billable: true };

describe('GET /spend', () => {
  test('of a company without messages is nothing, by every breakdown', async () => {
    const company = await newCompany({ roles: ['owner'] });
    const spend = await spendOf(company);
    expect(spend.rows).toHaveLength(30);
    expect(spend.totals).toEqual({ amounts: [], messages: 0, charged: 0, free: 0, unknown: 0 });
    for (const by of ['country', 'category', 'number', 'campaign', 'credential', 'profile'])
      expect((await spendOf(company, `?by=${by}`)).rows).toEqual([]);
  });

  test('is unknown without a card, and known for yesterday too once one is imported, without a write to a message', async () => {
    const company = await newCompany({ roles: ['owner', 'viewer'] });
    await sent(company, german(), service);
    await sent(company, german(), service);
    await sent(company, french(), service);
    await sent(company, german(), { type: 'free_customer_service', category: 'service' });
    await sent(company, german(), undefined);
    const before = await spendOf(company, '?by=country');
    expect(before.totals).toEqual({ amounts: [], messages: 5, charged: 0, free: 1, unknown: 4 });
    expect(before.without_price).toEqual([
      { country: 'DE', category: 'service', reason: 'no_card', messages: 2 },
      { country: 'DE', category: 'service', reason: 'no_type', messages: 1 },
      { country: 'FR', category: 'service', reason: 'no_card', messages: 1 },
    ]);
    const messages = async () => JSON.stringify(await testApp.dump({ kind: 'message', companyId: company.id }));
    const stored = await messages();

    testApp.clock.advance(86_400_000);
    unwrap(
      await importRates({ currency: 'EUR', effective_from: '2026-10-01', markets: [marketOf('Germany', ['DE'], { service: '0.0456' })] }),
    );
    const after = await spendOf(company, '?by=country');
    expect(after.totals).toEqual({ amounts: [{ amount: '0.0912', currency: 'EUR' }], messages: 5, charged: 2, free: 1, unknown: 2 });
    expect(after.rows.map(({ key, amounts, unknown }) => [key, amounts, unknown])).toEqual([
      ['DE', [{ amount: '0.0912', currency: 'EUR' }], 1],
      ['FR', [], 1],
    ]);
    expect(after.cards).toEqual(['2026-10-01-EUR-1']);
    expect(await messages()).toBe(stored);
    expect((await spendOf(company)).rows.find(({ key }) => key === today)?.amounts).toEqual([{ amount: '0.0912', currency: 'EUR' }]);
    // a later revision of that day prices it anew
    unwrap(
      await importRates(
        { currency: 'EUR', effective_from: '2026-10-01', markets: [marketOf('All', [], { service: '0.05' })] },
        { force: true },
      ),
    );
    expect((await spendOf(company)).totals.amounts).toEqual([{ amount: '0.15', currency: 'EUR' }]);
    expect(await recountAll(testApp, new Set([company.id]))).toEqual([]);
  });

  test('is of its company alone, the same by each breakdown, and names number and token', async () => {
    const [company, other] = [await newCompany({ roles: ['owner'] }), await newCompany({ roles: ['owner'] })];
    await sent(company, german(), service);
    const all = await Promise.all(
      ['day', 'country', 'category', 'number', 'campaign', 'credential', 'profile'].map((by) => spendOf(company, `?by=${by}`)),
    );
    for (const { totals } of all) expect(totals).toEqual(all[0]?.totals);
    expect(all.slice(1).map(({ rows }) => rows.map(({ key }) => key))).toEqual([
      ['DE'],
      ['service'],
      ['1'],
      [null],
      [expect.any(String)],
      [null],
    ]);
    expect((await spendOf(other)).totals.messages).toBe(0);
  });

  test('is in the currency of the number’s account: of two it adds nothing up', async () => {
    const company = await newCompany({ roles: ['owner'] });
    await sent(company, german(), service);
    await recordNumberCheck({ companyId: company.id, id: 1 }, testApp.clock.now() + 1, { currency: 'USD' });
    expect((await spendOf(company)).without_price).toMatchObject([{ reason: 'no_card' }]);
    unwrap(await importRates({ currency: 'USD', effective_from: '2026-10-01', markets: [marketOf('All', [], '0.06')] }));
    expect((await spendOf(company)).totals.amounts).toEqual([{ amount: '0.06', currency: 'USD' }]);
  });

  test('has the amount that the provider posted, and the message shows it', async () => {
    const company = await newCompany({ roles: ['owner'] });
    const phone = german();
    await sent(company, phone, { type: 'regular', category: 'marketing_lite', cost: { amount: 0.035, currency: 'USD' } });
    expect((await spendOf(company, '?by=category')).rows).toMatchObject([
      { key: 'marketing_lite', amounts: [{ amount: '0.035', currency: 'USD' }], charged: 1, unknown: 0 },
    ]);
    const [stored] = await testApp.dump({ kind: 'message', companyId: company.id });
    const path = `/api/v1/messages/${String(stored?.['id'])}?contact_id=${String(stored?.['contactId'])}`;
    const { raw } = await testApp.call({ method: 'GET', path, token: company.tokens.owner });
    expect(raw).toContain('"cost":{"amount":"0.035","currency":"USD"}');
  });

  test('as CSV has a line for each cell, whose amounts add up to it', async () => {
    const company = await newCompany({ roles: ['viewer', 'owner'] });
    await sent(company, german(), service);
    await sent(company, german(), service);
    await sent(company, french(), service);
    const answer = await testApp.call({ method: 'GET', path: '/api/v1/spend.csv', token: company.tokens.viewer });
    expect(answer.headers['content-type']).toContain('text/csv');
    const day = new Date(testApp.clock.now()).toISOString().slice(0, 10);
    const [names, ...lines] = answer.raw.trim().split('\r\n');
    expect(names).toBe('date,number_id,campaign_id,token_id,profile,category,type,country,messages,amount,currency,card,reason');
    expect(lines.map((line) => line.replace(/,\d+,,service/, ',T,,service')).toSorted()).toEqual([
      `${day},1,,T,,service,regular,DE,2,,,,no_currency`,
      `${day},1,,T,,service,regular,FR,1,,,,no_currency`,
    ]);
    await recordNumberCheck({ companyId: company.id, id: 1 }, testApp.clock.now() + 1, { currency: 'USD' });
    const { raw } = await testApp.call({ method: 'GET', path: '/api/v1/spend.csv', token: company.tokens.viewer });
    expect(raw).toContain('service,regular,DE,2,0.12,USD,2026-10-01-USD-1,');
    expect(raw).toContain('service,regular,FR,1,0.06,USD,2026-10-01-USD-1,');
  });

  test.each([
    ['?from=2026-11-02&to=2026-11-01', 'to'],
    ['?from=2026-01-01&to=2026-11-01', 'from'],
    ['?by=phone', 'by'],
  ])('refuses %s and names the field', async (query, field) => {
    const { tokens } = await newCompany({ roles: ['viewer'] });
    const answer = await testApp.call({ method: 'GET', path: `/api/v1/spend${query}`, token: tokens.viewer });
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: { [field]: [expect.any(String)] } } });
  });
});
