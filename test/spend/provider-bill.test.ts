import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rotateNumberSecrets } from '../../functions/account/service/numbers.ts';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { billRecord } from '../../functions/spend/contract/bill.ts';
import { differenceOf, isOtherBill, percentText, sumOfBill } from '../../functions/spend/domain/bill.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { checkAccounts } from '../../functions/templates/service/check-accounts.ts';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { publishedIn } from '../ceilings/fixture.ts';
import { createBillingMarkets } from './bill-cards.ts';

/** What the provider says it charged, beside ours. */
let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture();
  unwrap(await importRates({ currency: 'EUR', effective_from: '2026-10-01', markets: createBillingMarkets() }));
});
afterAll(() => fixture.stop());

const bills = (more: object = {}) =>
  fixture.control('PUT', 'billing', { currency: 'EUR', markets: createBillingMarkets(), free_service: 5, ...more });
const read = async (company: TestCompany, path: string): Promise<unknown> => {
  const { status, body, raw } = await fixture.testApp.call({ method: 'GET', path: `/api/v1/${path}`, token: company.tokens.member });
  if (status !== 200) throw new Error(raw);
  return body;
};
const billOf = async (company: TestCompany) => {
  const { accounts } = z.object({ data: billRecord }).parse(await read(company, 'spend/bill')).data;
  const [account] = accounts;
  if (!account || accounts.length !== 1) throw new Error('The company has one account.');
  return account;
};

describe('the bill of the provider', () => {
  test('shifted by 1 % is shown as 1 % and no other bill, by 3 % as another; ours stays as it is', async () => {
    await bills();
    const company = await fixture.campaigner();
    await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
    const phones = [...Array.from({ length: 14 }, (_, nth) => `+49151234500${nth + 10}`), '+33612345678', '+12125550101'];
    for (const phone of phones) {
      const body = { phone, template_name: 'sale', variables: ['you'] };
      const { status, raw } = await fixture.testApp.call({
        method: 'POST',
        path: '/api/v1/messages/template',
        token: company.tokens.member,
        body,
      });
      expect(status, raw).toBe(200);
    }
    // a free one is in no amount
    await fixture.send(company, phones[0] ?? '', 'Hello');
    await fixture.deliverAll();
    const spent = await read(company, 'spend?by=country');
    const exact = await billOf(company);
    expect(exact).toMatchObject({
      ours: { charged: 16, free: 1 },
      bill: { charged: 16 },
      reason: null,
      difference_percent: '0',
      differs: false,
    });
    expect(exact.bill?.amount).toEqual(exact.ours.amounts[0]);
    for (const [shift, differs] of [
      [1, false],
      [-1, false],
      [3, true],
      [-3, true],
    ] as const) {
      await bills({ analytics_shift: shift });
      const shifted = await billOf(company);
      expect([shifted.difference_percent, shifted.differs]).toEqual([String(shift), differs]);
      expect(shifted.ours).toEqual(exact.ours);
    }
    expect(await read(company, 'spend?by=country')).toEqual(spent);
    // on the credit line of a partner there are no amounts: messages are compared
    await bills({ is_on_credit_line: true });
    expect(await billOf(company)).toMatchObject({ bill: { amount: null, charged: 16 }, difference_percent: '0', differs: false });
    await bills();
  });

  test('is compared after each daily check: one event when it begins to differ, none of 1 %, and another one after it was as ours', async () => {
    await bills();
    const company = await fixture.campaigner();
    let checks = 0;
    const dailyCheck = async (): Promise<void> => {
      // its time of day is within the next 24 hours
      fixture.testApp.clock.advance(++checks > 1 ? 86_400_000 : 0);
      await checkAccounts(company.id);
      await checkAccounts(company.id);
      await fixture.testApp.drain({ disorder: { seed: checks, duplicate: 0.5, reorder: true } });
    };
    const published = () => publishedIn(fixture.testApp, 'spend.bill_differs', company.id);
    await dailyCheck();
    for (let nth = 0; nth < 12; nth++) {
      const body = { phone: `+49151234510${nth + 10}`, template_name: 'sale', variables: ['you'] };
      await fixture.testApp.call({ method: 'POST', path: '/api/v1/messages/template', token: company.tokens.member, body });
    }
    await fixture.deliverAll();
    await bills({ analytics_shift: 1 });
    await dailyCheck();
    expect(published()).toEqual([]);
    await bills({ analytics_shift: 3 });
    await dailyCheck();
    await dailyCheck();
    const [account] = [await billOf(company)];
    expect(published()).toEqual([
      {
        waba_id: account.waba_id,
        from: expect.any(String),
        to: expect.any(String),
        charged: 12,
        difference_percent: '3',
        at: expect.any(String),
      },
    ]);
    await bills();
    await dailyCheck();
    await bills({ analytics_shift: -4 });
    await dailyCheck();
    expect(published().map(({ difference_percent: percent }) => percent)).toEqual(['3', '-4']);
    await bills();
  });

  test('is null, with the reason, before the currency is known, and where the provider refuses', async () => {
    const company = await fixture.campaigner();
    expect(await billOf(company)).toMatchObject({ bill: null, reason: 'no_currency', difference_percent: null, differs: false });
    await recordNumberCheck({ companyId: company.id, id: 1 }, fixture.testApp.clock.now() + 1, { currency: 'EUR' });
    const nothing = { bill: { amount: { amount: '0', currency: 'EUR' }, charged: 0 }, difference_percent: '0' };
    expect(await billOf(company)).toMatchObject(nothing);
    unwrap(await rotateNumberSecrets(company.id, 1, { access_token: 'a token that the provider does not know' }));
    expect(await billOf(company)).toMatchObject({ bill: null, reason: 'refused', difference_percent: null, differs: false });
  });
});

test('a difference is in percent of ours, and says nothing of a few messages', () => {
  expect([differenceOf(0n, 0n), differenceOf(0n, 5n), differenceOf(10_000n, 10_200n), differenceOf(10_000n, 9_799n)]).toEqual([
    0,
    undefined,
    200,
    -201,
  ]);
  expect([percentText(102), percentText(-50), percentText(0)]).toEqual(['1.02', '-0.5', '0']);
  expect([isOtherBill(201, 10), isOtherBill(201, 11), isOtherBill(-201, 11), isOtherBill(200, 11), isOtherBill(undefined, 11)]).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
  const point = { isCharged: true, messages: 2, micros: 5n };
  expect(sumOfBill([point, { ...point, isCharged: false }, point])).toEqual({ micros: 10n, charged: 4 });
  expect(sumOfBill([point, { ...point, micros: undefined }])).toEqual({ micros: undefined, charged: 4 });
});
