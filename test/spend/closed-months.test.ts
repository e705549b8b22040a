import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { spendRecord } from '../../functions/spend/contract/spend.ts';
import { closedUntil, pricesDay } from '../../functions/spend/domain/closed-month.ts';
import { importRates, reopenForRates } from '../../functions/spend/service/operator-rates.ts';
import { setRates } from '../../functions/spend/service/rates.ts';
import { newCompany, statusPost, unwrap } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { marketOf } from './cards.ts';

/** A month whose amounts were reported does not change because a card is imported late. */

let testApp: TestApp;
let provider: ProviderStub;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

test('a month is closed on the 10th of the next, over the turn of the year and in a leap year too', () => {
  const at = (time: string): number => Date.parse(time);
  const card = (time: string) => ({ importedAt: at(time) });
  expect(pricesDay(card('2026-11-09T23:59:59.999Z'), '2026-10-01')).toBe(true);
  expect(pricesDay(card('2026-11-10T00:00:00Z'), '2026-10-31')).toBe(false);
  expect(pricesDay({ ...card('2026-11-10T00:00:00Z'), reopens: true }, '2026-10-31')).toBe(true);
  expect(pricesDay(card('2027-01-09T23:59:59Z'), '2026-12-31')).toBe(true);
  expect(pricesDay(card('2027-01-10T00:00:00Z'), '2026-12-31')).toBe(false);
  expect(closedUntil(at('2027-01-09T23:59:59Z'))).toBe('2026-11-30');
  expect(closedUntil(at('2027-01-10T00:00:00Z'))).toBe('2026-12-31');
  expect(closedUntil(at('2028-03-10T00:00:00Z'))).toBe('2028-02-29');
});

test('cards that are imported before then price it, later ones do not until they are reopened; open months have them at once', async () => {
  const company = await newCompany({ roles: ['owner'] });
  const send = async (): Promise<void> => {
    const body = { phone: '+4915112345678', message: 'Hello' };
    const answer = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: company.tokens.owner, body });
    const { message_wamid: id } = z.object({ data: z.object({ message_wamid: z.string() }) }).parse(answer.body).data;
    await testApp.drain();
    const reference = String(provider.requests.at(-1)?.body['biz_opaque_callback_data']);
    const pricing = { type: 'regular', category: 'service', billable: true };
    await testApp.call(statusPost(company, { id, biz_opaque_callback_data: reference, status: 'delivered', pricing }));
    await testApp.drain();
  };
  await recordNumberCheck({ companyId: company.id, id: 1 }, testApp.clock.now() + 1, { currency: 'EUR' });
  const sentOn = new Date(testApp.clock.now());
  await send();
  const month = sentOn.toISOString().slice(0, 7);
  const [first, last] = [
    `${month}-01`,
    new Date(Date.UTC(sentOn.getUTCFullYear(), sentOn.getUTCMonth() + 1, 0)).toISOString().slice(0, 10),
  ];
  /** The days of the following month, UTC. */
  const goTo = (day: number, time = '12:00'): void =>
    testApp.clock.moveTo(Date.UTC(sentOn.getUTCFullYear(), sentOn.getUTCMonth() + 1, day) + Date.parse(`1970-01-01T${time}Z`));
  const spent = async (from = first, to = last) => {
    const path = `/api/v1/spend?from=${from}&to=${to}&by=country`;
    const { body } = await testApp.call({ method: 'GET', path, token: company.tokens.owner });
    const { totals, cards, closed_until } = z.object({ data: spendRecord }).parse(body).data;
    return { amounts: totals.amounts.map(({ amount }) => amount), unknown: totals.unknown, cards, closed: closed_until >= last };
  };
  const card = (service: string) =>
    importRates({ currency: 'EUR', effective_from: first, markets: [marketOf('All', [], { service })] }, { force: true });
  const id = (rev: number): string => `${first}-EUR-${rev}`;
  expect(await spent()).toEqual({ amounts: [], unknown: 1, cards: [], closed: false });

  goTo(2);
  unwrap(await card('0.04'));
  goTo(9, '23:59');
  unwrap(await card('0.05'));
  expect(await spent()).toEqual({ amounts: ['0.05'], unknown: 0, cards: [id(2)], closed: false });

  goTo(10, '00:00');
  const corrected = unwrap(await card('0.06'));
  unwrap(await setRates(company.id, { currency: 'EUR', effective_from: first, adjustment: { percent: '100' } }));
  await send();
  expect(await spent()).toEqual({ amounts: ['0.05'], unknown: 0, cards: [id(2)], closed: true });
  const today = new Date(testApp.clock.now()).toISOString().slice(0, 10);
  expect(await spent(today, today)).toMatchObject({ amounts: ['0.12'], closed: true });
  // a range over both has each day at its own price
  expect(await spent(last, today)).toMatchObject({ amounts: sentOn.toISOString().slice(0, 10) === last ? ['0.17'] : ['0.12'] });

  expect(await reopenForRates('2026-01-01-EUR-1')).toMatchObject({ problem: 'not_found' });
  expect(await reopenForRates('nonsense')).toMatchObject({ problem: 'not_found' });
  unwrap(await reopenForRates(corrected.card.id));
  unwrap(await reopenForRates(corrected.card.id));
  expect(await spent()).toEqual({ amounts: ['0.06'], unknown: 0, cards: [id(3)], closed: true });

  // the company's own, which its audit log names
  unwrap(await reopenForRates(id(1), company.id));
  await testApp.drain();
  expect(await spent()).toMatchObject({ amounts: ['0.12'], cards: [id(1)] });
  expect(JSON.stringify(await testApp.dump({ kind: 'audit-entry', companyId: company.id }))).toContain('"reopens":{');
});
