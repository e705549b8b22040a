import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { campaignDetails } from '../../functions/campaigns/contract/campaign.ts';
import { spendRecord } from '../../functions/spend/contract/spend.ts';
import { eraseContact } from '../../functions/erasures/service/erasures.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { startFixture } from '../campaigns/fixture.ts';
import { unwrap } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { runSize } from '../support/run-size.ts';
import { marketOf } from './cards.ts';

/** What a campaign was to cost, and what it has cost. */
const fixture = await startFixture();
afterAll(() => fixture.stop());

const { testApp } = fixture;
const today = new Date(testApp.clock.now()).toISOString().slice(0, 10);

beforeAll(async () => {
  unwrap(
    await importRates({
      currency: 'EUR',
      effective_from: today,
      markets: [marketOf('Germany', ['DE'], { marketing: '0.1131' }), marketOf('France', ['FR'], { marketing: '0.0812' })],
    }),
  );
});

describe('a campaign', () => {
  test('shows its estimate once the recipients are chosen, and as actual what was delivered, as GET /spend has it', async () => {
    const company = await fixture.campaigner();
    const contacts = ['+4915123456701', '+4915123456702', '+33612345678', '+12125550101'].map((phone) => ({ phone, name: 'Ana' }));
    const loaded = await testApp.call({
      method: 'POST',
      path: '/api/v1/contacts/bulk-sync',
      token: company.tokens.member,
      body: { contacts },
    });
    expect(loaded.status, loaded.raw).toBe(200);
    await testApp.drain();
    const id = await fixture.create(company, {
      name: 'Spring',
      template_id: fixture.templateId(company, 'sale'),
      paramvalues: { 1: 'you' },
    });
    await testApp.drain();
    await fixture.deliverAll();
    const { data } = z.object({ data: campaignDetails }).parse((await fixture.api(company, 'GET', `/${id}`)).body);
    expect(data.cost.estimate).toMatchObject({
      estimate: { amount: '0.3074', currency: 'EUR' },
      known: 3,
      unknown: 1,
      category: 'marketing',
    });
    expect(data.cost.actual).toEqual({ amounts: [{ amount: '0.3074', currency: 'EUR' }], messages: 4, charged: 3, free: 0, unknown: 1 });
    const spend = await testApp.call({ method: 'GET', path: '/api/v1/spend?by=campaign', token: company.tokens.member });
    const { rows, without_price: without } = z.object({ data: spendRecord }).parse(spend.body).data;
    expect(rows).toMatchObject([{ key: String(id), ...data.cost.actual }]);
    expect(without).toEqual([{ country: 'US', category: 'marketing', reason: 'no_market', messages: 1 }]);
    expect(await recountAll(testApp, new Set([company.id]))).toEqual([]);
  });
});

describe('an erased contact', () => {
  test('changes no amount: not of the range, not of the campaign, not of the CSV', { timeout: 900_000 }, async () => {
    const company = await fixture.campaigner();
    const count = runSize(25, 1_000);
    const group = await fixture.group(company, 'All');
    const people = await fixture.people(company, count, { group_id: group });
    const id = await fixture.create(company, {
      name: 'Spring',
      template_id: fixture.templateId(company, 'sale'),
      paramvalues: { 1: 'you' },
      group_id: group,
    });
    await testApp.passTime(60);
    await fixture.deliverAll();
    const read = async (path: string): Promise<string> => {
      const answer = await testApp.call({ method: 'GET', path: `/api/v1/${path}`, token: company.tokens.member });
      expect(answer.status, answer.raw).toBe(200);
      return answer.raw;
    };
    const shown = async () => {
      const rows = await Promise.all(['day', 'country', 'category', 'number', 'campaign'].map((by) => read(`spend?by=${by}`)));
      const { cost } = z.object({ data: campaignDetails }).parse(JSON.parse(await read(`campaigns/${id}`))).data;
      return { rows, csv: await read('spend.csv'), cost };
    };
    const before = await shown();
    expect(before.cost.actual).toMatchObject({ messages: count, charged: count });
    for (const contact of people) unwrap(await eraseContact(company.id, contact.id, { cause: 'request' }));
    for (let minutes = 0; minutes < 10; minutes++) await testApp.passTime(60);
    const left = await testApp.dump({ kind: 'message', companyId: company.id });
    expect(left.filter(({ phone }) => people.some((each) => `+${each.phone}` === phone || each.phone === phone))).toEqual([]);
    expect(await shown()).toEqual(before);
    expect(await recountAll(testApp, new Set([company.id]))).toEqual([]);
  });
});
