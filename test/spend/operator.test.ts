import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { rates } from '../../bin/admin/rates.ts';
import { readCard } from '../../bin/admin/rates/card-file.ts';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { spendRecord } from '../../functions/spend/contract/spend.ts';
import { decimalText, microsOf } from '../../functions/spend/domain/money.ts';
import { type CampaignFixture, previewOf, startFixture } from '../campaigns/fixture.ts';
import { moveToMidMonth } from '../ceilings/fixture.ts';
import { waitInTestTime } from '../support/slots.ts';
import { workbookOf } from './workbooks.ts';

/** What an operator and a company do, from the provider's file of prices to its bill. */
waitInTestTime();

let fixture: CampaignFixture;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-operator-'));
beforeAll(async () => {
  fixture = await startFixture();
  moveToMidMonth(fixture.testApp);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fixture.stop();
});

/** As the provider publishes it: notes above and below, and the names of its columns. */
const published = workbookOf([
  ['Rates in effect from October 1, 2026'],
  [],
  ['Market', 'Currency', 'Marketing', 'Utility', 'Authentication', 'Authentication-International', 'Service'],
  ['Germany', 'EUR', 0.113101, 0.0456, 0.0456, 'n/a', 0.0456],
  ['France', 'EUR', 0.0812, 0.03, 0.03, 'n/a', 0.03],
  ['India', 'EUR', 0.009903, 0.0012, 0.0012, 0.0252, 0.0012],
  ['North America', 'EUR', 0.0207, 0.0028, 0.0028, 'n/a', 0.0028],
  ['Other', 'EUR', 0.05, 0.0064, 0.0064, 'n/a', 0.0064],
  [],
  ['* Authentication-international holds for businesses that are eligible'],
]);

/** `npm run admin -- rates ...`; what it prints. */
const admin = async (...args: string[]): Promise<string> => {
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  try {
    await rates().parseAsync(args, { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return printed;
};

const phonesOf = (prefix: string, length: number, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `+${prefix}${String(nth + 1).padStart(length - prefix.length, '0')}`);

test('a card is imported, a campaign priced, paused at its ceiling, raised and finished: page, CSV and bill agree to the micro-unit', {
  timeout: 300_000,
}, async () => {
  const { testApp } = fixture;
  const file = join(folder, 'rates.xlsx');
  writeFileSync(file, published);
  expect(await admin('import', file, '--currency', 'EUR', '--from', '2026-10-01')).toContain('2026-10-01-EUR-1');
  expect(await admin('list')).toContain('2026-10-01-EUR-1');
  const { markets } = readCard({ file, currency: 'EUR', from: '2026-10-01' });
  await fixture.control('PUT', 'billing', { currency: 'EUR', markets });

  const company = await fixture.campaigner(80, { roles: ['owner', 'member'] });
  await recordNumberCheck({ companyId: company.id, id: 1 }, testApp.clock.now() + 1, { currency: 'EUR' });
  const contacts = [
    ...phonesOf('4915123', 13, 40),
    ...phonesOf('336123', 11, 25),
    ...phonesOf('919812', 12, 20),
    ...phonesOf('1212555', 11, 10),
    ...phonesOf('551191', 13, 5),
  ].map((phone) => ({ phone, name: 'Ana' }));
  const loaded = await testApp.call({
    method: 'POST',
    path: '/api/v1/contacts/bulk-sync',
    token: company.tokens.member,
    body: { contacts },
  });
  expect(loaded.status, loaded.raw).toBe(200);
  await testApp.drain();

  const body = { template_id: fixture.templateId(company, 'sale'), paramvalues: { 1: 'you' } };
  const { cost } = previewOf(await fixture.api(company, 'POST', '/audience-preview', { audience_type: 'all', ...body }));
  expect(cost).toMatchObject({ known: 100, unknown: 0 });
  const estimated = microsOf(cost?.estimate?.amount ?? '') ?? 0n;
  expect(estimated).toBe(40n * 113_101n + 25n * 81_200n + 20n * 9_903n + 10n * 20_700n + 5n * 50_000n);

  const limitOf = (micros: bigint) => ({ spend_limit: { amount: decimalText(micros), currency: 'EUR' } });
  const limit = estimated / 2n;
  const id = await fixture.create(company, { name: 'Spring', ...body, ...limitOf(limit) });
  await testApp.passTime(60);
  await fixture.deliverAll();
  const paused = await fixture.details(company, id);
  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'spend_limit', pause_details: { ceiling: 'campaign' } });
  const billed = async () =>
    z
      .object({ currency: z.string(), amount: z.string(), messages: z.int() })
      .parse(await fixture.control('GET', `bill?company=${company.id}`));
  const atPause = await billed();
  expect(microsOf(atPause.amount) ?? 0n).toBeLessThanOrEqual(limit);
  // less than the dearest message was left
  expect(limit - (microsOf(atPause.amount) ?? 0n)).toBeLessThan(113_101n);
  expect(paused.cost.actual).toMatchObject({ amounts: [{ amount: atPause.amount, currency: 'EUR' }], messages: atPause.messages });

  expect((await fixture.api(company, 'PUT', `/${id}`, limitOf(estimated))).status).toBe(200);
  await testApp.passTime(60);
  await fixture.deliverAll();
  const finished = await fixture.details(company, id);
  expect(finished).toMatchObject({ status: 'completed', spend_left: { amount: '0' }, statistics: { total: 100, skipped: 0 } });
  const bill = await billed();
  expect(bill).toEqual({ currency: 'EUR', amount: decimalText(estimated), messages: 100 });
  const amounts = [{ amount: bill.amount, currency: 'EUR' }];
  expect(finished.cost.actual).toEqual({ amounts, messages: 100, charged: 100, free: 0, unknown: 0 });

  const read = (path: string) => testApp.call({ method: 'GET', path: `/api/v1/${path}`, token: company.tokens.member });
  const spend = z.object({ data: spendRecord }).parse((await read('spend?by=campaign')).body).data;
  expect(spend.rows.map(({ key, amounts: of }) => [key, of])).toEqual([[String(id), amounts]]);
  expect(spend).toMatchObject({ cards: ['2026-10-01-EUR-1'], without_price: [] });
  const [names = '', ...lines] = (await read('spend.csv')).raw.trim().split('\r\n');
  const place = (name: string): number => names.split(',').indexOf(name);
  const cells = lines.map((line) => line.split(','));
  expect(new Set(cells.map((line) => line[place('campaign_id')]))).toEqual(new Set([String(id)]));
  const total = cells.reduce((sum, line) => sum + (microsOf(line[place('amount')] ?? '') ?? 0n), 0n);
  expect(decimalText(total)).toBe(bill.amount);
});
