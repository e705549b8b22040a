import { afterAll, afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { createTemplateRow, reserveTemplateIds } from '../../functions/templates/store/template.ts';
import type { TestCompany } from '../support/company.ts';
import { problemOf } from '../messaging/fixture.ts';
import { newPhone } from '../messaging/outbound-fixture.ts';
import { type CallOutcome, providerError, refusalOf, startTemplateFixture, templateOf } from './fixture.ts';

const fixture = await startTemplateFixture();
afterEach(async () => {
  fixture.line();
  await fixture.faults({});
});
afterAll(() => fixture.stop());

const dayMs = 86_400_000;
const figure = z.int().nullable();
const analytics = z.strictObject({
  from: z.string(),
  to: z.string(),
  timezone: z.literal('UTC'),
  days: z.array(
    z.strictObject({
      date: z.string(),
      sent: figure,
      delivered: figure,
      read: figure,
      clicked: z.array(z.strictObject({ type: z.string(), text: z.string(), count: z.int() })).nullable(),
      amount_spent: z.number().nullable(),
    }),
  ),
});
const request = (company: TestCompany, query: Record<string, string> = {}, id = 1) =>
  fixture.api(company, 'GET', `/${id}/analytics`, { query });
const analyticsOf = async (...call: Parameters<typeof request>) => {
  const answer = await request(...call);
  expect(answer.status, answer.raw).toBe(200);
  return z.object({ data: analytics }).parse(answer.body).data;
};
const daysAgo = (days: number): string => new Date(fixture.testApp.clock.now() - days * dayMs).toISOString().slice(0, 10);
const detailsOf = (answer: Awaited<ReturnType<typeof request>>) => z.looseObject({ details: z.looseObject({}) }).parse(answer.body).details;

const tableFree = {
  name: 'table_free',
  language: 'en',
  category: 'UTILITY',
  components: [
    { type: 'BODY', text: 'A table is free. Do you want it?' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
      ],
    },
  ],
};
/** A company whose first template has two buttons, beside its translation. */
const withTemplate = async (): Promise<TestCompany> => {
  const company = await fixture.company();
  await fixture.atProvider(company, [tableFree]);
  await fixture.api(company, 'POST', '/sync');
  await fixture.atProvider(company, [{ ...tableFree, language: 'de' }]);
  await fixture.api(company, 'POST', '/sync');
  fixture.line();
  return company;
};
const send = async (company: TestCompany, phone = newPhone(), language = 'en'): Promise<string> => {
  const body = { phone, template_name: tableFree.name, template_language: language };
  const sent = await fixture.testApp.call({ method: 'POST', path: '/api/v1/messages/template', token: company.tokens.member, body });
  expect(sent.status, sent.raw).toBe(200);
  return phone;
};
const press = (company: TestCompany, from: string, text: string) =>
  fixture.inbound({ company_id: company.id, from, type: 'button', button: { text } });

describe('getTemplateAnalytics', () => {
  test('shows by day what the provider counted of this template and language, and of no other company', async () => {
    const [company, other] = [await withTemplate(), await withTemplate()];
    const failing = newPhone();
    await fixture.faults({ error_for: { [failing]: 131026 } });
    const [first, second] = [await send(company), await send(company)];
    await send(company, failing);
    await send(company, newPhone(), 'de');
    await fixture.deliverAll();
    await press(company, first, 'Yes');
    await press(company, second, 'Yes');
    await fixture.deliverAll();
    const { from, to, days } = await analyticsOf(company);
    expect([from, to]).toEqual([daysAgo(29), daysAgo(0)]);
    const clicked = [
      { type: 'quick_reply_button', text: 'Yes', count: 2 },
      { type: 'quick_reply_button', text: 'No', count: 0 },
    ];
    expect(days).toEqual([{ date: to, sent: 2, delivered: 2, read: 2, clicked, amount_spent: 0.04 }]);
    expect((await analyticsOf(company, {}, 2)).days).toMatchObject([{ sent: 1 }]);
    expect((await analyticsOf(company, { to: daysAgo(1) })).days).toEqual([]);
    expect((await analyticsOf(other)).days).toEqual([]);
  });

  test('reads: the provider gets one GET for the account and template, and nothing is stored', async () => {
    const company = await withTemplate();
    const shown = templateOf(await fixture.api(company, 'GET', '/1'));
    const before = await fixture.items(company.id, 'template');
    fixture.line();
    await analyticsOf(company, { from: daysAgo(3), to: daysAgo(2) });
    const [call, ...more] = fixture.calls;
    expect([call?.method, more]).toEqual(['GET', []]);
    const { pathname, searchParams } = new URL(call?.path ?? '', 'http://provider');
    expect(pathname).toMatch(new RegExp(`/${company.number.wabaId}/template_analytics$`));
    expect(searchParams.get('template_ids')).toBe(`[${shown.provider_template_id}]`);
    expect(new Date(Number(searchParams.get('start')) * 1_000).toISOString()).toBe(`${daysAgo(3)}T00:00:00.000Z`);
    expect(new Date(Number(searchParams.get('end')) * 1_000).toISOString()).toBe(`${daysAgo(2)}T23:59:59.000Z`);
    expect(await fixture.items(company.id, 'template')).toEqual(before);
  });

  test('of an id that no one has, or another company, is 404, and the provider is not called', async () => {
    const [company, other] = [await withTemplate(), await fixture.company()];
    fixture.line();
    expect(refusalOf(await request(company, {}, 99))).toEqual([404, 'not_found']);
    expect(refusalOf(await request(other))).toEqual([404, 'not_found']);
    expect(fixture.calls).toEqual([]);
  });

  test.each<[string, () => Record<string, string>, string]>([
    ['begins before what the provider has', () => ({ from: daysAgo(90) }), 'from'],
    ['ends before what the provider has', () => ({ to: daysAgo(90) }), 'to'],
    ['ends before it begins', () => ({ from: daysAgo(2), to: daysAgo(3) }), 'to'],
    ['is in the future', () => ({ from: daysAgo(-2), to: daysAgo(-3) }), 'from'],
    ['begins on a day that there is not', () => ({ from: '2026-02-30' }), 'from'],
    ['ends at a time', () => ({ to: '2026-11-21T10:00:00Z' }), 'to'],
  ])('of a range that %s is refused by its field, and the provider is not called', async (_what, query, field) => {
    const company = await withTemplate();
    fixture.line();
    expect(refusalOf(await request(company, query()))).toEqual([422, 'validation_failed', field]);
    expect(fixture.calls).toEqual([]);
  });

  test('takes all the days that the provider has, and ends a range today that goes on', async () => {
    const company = await withTemplate();
    expect(await analyticsOf(company, { from: daysAgo(89), to: daysAgo(-5) })).toMatchObject({ from: daysAgo(89), to: daysAgo(0) });
    expect(await analyticsOf(company, { to: daysAgo(80) })).toMatchObject({ from: daysAgo(89), to: daysAgo(80) });
  });

  test.each(['not_enabled', 'not_offered'])(
    'says that there are none where the account is %s, in words and as a reason',
    async (reason) => {
      const company = await withTemplate();
      await fixture.faults({ template_analytics: reason });
      const answer = await request(company);
      expect(refusalOf(answer)).toEqual([409, 'template_analytics_unavailable']);
      expect(detailsOf(answer)).toMatchObject({ reason });
      await fixture.faults({});
      expect((await analyticsOf(company)).days).toEqual([]);
    },
  );

  test('says that the provider has not confirmed a template, and does not call it', async () => {
    const company = await fixture.company();
    const id = await reserveTemplateIds(company.id, 1);
    const times = { statusAt: 0, rev: 1, createdAt: 0, updatedAt: 0 };
    const row = { companyId: company.id, id, ...tableFree, status: 'PENDING', parameterFormat: 'POSITIONAL', ...times };
    expect(await createTemplateRow(storedTemplate.parse(row), undefined)).toMatchObject({ done: true });
    fixture.line();
    const answer = await request(company, {}, id);
    expect(refusalOf(answer)).toEqual([409, 'template_analytics_unavailable']);
    expect(detailsOf(answer)).toMatchObject({ reason: 'not_submitted' });
    expect(fixture.calls).toEqual([]);
  });

  test.each<[string, CallOutcome, [number, string]]>([
    ['refuses for another reason', { status: 400, body: providerError(100) }, [422, 'provider_rejected']],
    ['slows down', { status: 400, body: providerError(80007) }, [503, 'temporarily_unavailable']],
    ['does not answer', 'lose-request', [503, 'temporarily_unavailable']],
    ['answers what cannot be read', { status: 200, body: { data: 'none' } }, [503, 'temporarily_unavailable']],
  ])('shows no figures where the provider %s', async (_what, outcome, refusal) => {
    const company = await withTemplate();
    fixture.line(() => outcome);
    expect(refusalOf(await request(company))).toEqual(refusal);
  });

  test('reads all pages, in the order of the days; figures that the provider leaves out are null and never 0', async () => {
    const company = await withTemplate();
    const template_id = templateOf(await fixture.api(company, 'GET', '/1')).provider_template_id;
    const start = (days: number): number => Date.parse(`${daysAgo(days)}T00:00:00Z`) / 1_000;
    const page = (points: unknown[], paging = {}) => ({
      status: 200,
      body: { data: [{ granularity: 'DAILY', product_type: 'cloud_api', data_points: points }], paging },
    });
    const clicks = [{ type: 'url_button', button_content: 'Menu', count: 4 }];
    const cost = [
      { type: 'cost_per_delivered', value: 0.5 },
      { type: 'amount_spent', value: 1.5 },
    ];
    fixture.line(({ path }) =>
      path.includes('after=next-page')
        ? page([{ template_id, start: start(3), sent: 3, delivered: 3, read: 0, clicked: clicks, cost }])
        : page([{ template_id, start: start(1), sent: 1 }, { template_id: '77', start: start(1), sent: 9 }, 'unreadable'], {
            cursors: { after: 'next-page' },
            next: 'https://provider.test/next',
          }),
    );
    expect((await analyticsOf(company)).days).toEqual([
      { date: daysAgo(3), sent: 3, delivered: 3, read: 0, clicked: [{ type: 'url_button', text: 'Menu', count: 4 }], amount_spent: 1.5 },
      { date: daysAgo(1), sent: 1, delivered: null, read: null, clicked: null, amount_spent: null },
    ]);
    expect(problemOf(await request(company, { from: 'today' })).code).toBe('validation_failed');
  });
});
