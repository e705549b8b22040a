import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { ceilingsOf, type Ceilings, moveToMidMonth } from '../ceilings/fixture.ts';
import { putCeilings } from '../../functions/spend/service/spend-accounts.ts';
import { provideAllowance } from '../../functions/messaging/service/allowances.ts';
import { getAllowances } from '../../functions/messaging/store/pace.ts';
import { defaultCeilings } from '../../functions/spend/contract/spend-account.ts';

/** Ceilings against those who would get around them: other amounts, other roles, other companies. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  moveToMidMonth(testApp);
  company = await newCompany({ roles: ['owner', 'admin', 'member', 'viewer'] });
});
afterAll(() => testApp.stop());

describe('ceilings', () => {
  test('are set by administrators and owners alone, and read by every role', async () => {
    const { call } = ceilingsOf(testApp, company);
    for (const role of ['member', 'viewer'] as const) {
      const refused = await call('PUT', { currency: 'EUR', day: '1' }, company.tokens[role]);
      expect(refused.status, role).toBe(403);
      expect((await call('GET', undefined, company.tokens[role])).status).toBe(200);
    }
    for (const role of ['admin', 'owner'] as const)
      expect((await call('PUT', { currency: 'EUR', day: '1' }, company.tokens[role])).status).toBe(200);
  });

  test('of no amount below 0, beyond nine digits or of another notation', async () => {
    const { call, get } = ceilingsOf(testApp, company);
    const before = await get();
    const wrong: unknown[] = ['-1', '-0.000001', '1e9', '1000000000', '0.0000001', 'NaN', 'Infinity', ' 5', '', 5, -5, true, {}];
    for (const field of ['day', 'month'])
      for (const amount of wrong)
        expect((await call('PUT', { currency: 'EUR', [field]: amount })).status, `${field} ${String(amount)}`).toBe(422);
    for (const body of [
      { code_reserve_percent: -1 },
      { code_reserve_percent: 101 },
      { code_reserve_percent: 1.5 },
      { stops: ['replies'] },
      { stops: 'marketing' },
      { unknown_price: 'free' },
      { on_reached: 'send' },
      { currency: 'eur', day: '1', month: '1' },
      { left: '1000' },
      { company_id: 1 },
    ])
      expect((await call('PUT', body)).status, JSON.stringify(body)).toBe(422);
    expect(await get()).toEqual(before);
  });

  test('of a company are not those of another', async () => {
    const other = await newCompany();
    const [mine, theirs] = [ceilingsOf(testApp, company), ceilingsOf(testApp, other)];
    await mine.set({ currency: 'EUR', day: '77' });
    expect(await theirs.get()).toMatchObject({ currency: null, day: null });
    await theirs.set({ currency: 'USD', month: '5' });
    expect(await mine.get()).toMatchObject({ currency: 'EUR', day: { limit: '77', left: '77' } });
  });

  attack(
    'a ceiling is removed and set again to spend it twice with what numbers were granted before',
    [
      {
        in: 'functions/spend/domain/spend-account.ts',
        replace: "export const allowancePeriod = ({ began, day }: Pick<StoredSpendAccount, 'began' | 'day'>): string => `${began}:${day}`;",
        by: "export const allowancePeriod = ({ day }: Pick<StoredSpendAccount, 'began' | 'day'>): string => `1:${day}`;",
      },
    ],
    async () => {
      const fresh = await newCompany();
      const settings = { ...defaultCeilings, stops: [...defaultCeilings.stops], reservePercent: 0, currency: 'EUR', monthLimit: undefined };
      await putCeilings(fresh.id, { ...settings, dayLimit: 1_000_000 });
      const number = { companyId: fresh.id, id: 1, ratePerSecond: 80 };
      expect(
        await provideAllowance(number, { kind: 'other', prices: [600_000], seen: await getAllowances(fresh.id, number.id) }),
      ).toMatchObject({ count: 1 });
      // the process that set them died before it called the allowance in
      await putCeilings(fresh.id, { ...settings, dayLimit: undefined });
      await putCeilings(fresh.id, { ...settings, dayLimit: 1_000_000 });
      const left: Ceilings = await ceilingsOf(testApp, fresh).get();
      expect(left.day?.left).toBe('1');
    },
  );
});
