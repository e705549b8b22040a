import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prefixThatFits, shortOf, totalOf } from '../../functions/messaging/domain/allowance.ts';
import { limitedUntil } from '../../functions/messaging/domain/send-state.ts';
import { ceilingPeriods, type StoredSpendAccount } from '../../functions/spend/contract/spend-account.ts';
import {
  alertOf,
  changeAtPeriod,
  changeOfSettings,
  chargeKindOf,
  type CeilingSettings,
  countersOf,
  grantable,
  grantOf,
  hasSameMoney,
  isNewAlert,
  newSpendAccount,
  reserveOf,
  resetsAtMs,
  returnedTo,
  takenFrom,
  tightestCeiling,
} from '../../functions/spend/domain/spend-account.ts';

const at = Date.UTC(2026, 10, 29, 10);
const amount = fc.integer({ min: 0, max: 999_999_999_999_999 });
const settings: fc.Arbitrary<CeilingSettings> = fc.record({
  currency: fc.constantFrom('EUR', 'USD'),
  dayLimit: fc.option(amount, { nil: undefined }),
  monthLimit: fc.option(amount, { nil: undefined }),
  reservePercent: fc.integer({ min: 0, max: 100 }),
  stops: fc.constant(['marketing', 'utility', 'authentication']),
  unknownPrice: fc.constant('stop'),
  onReached: fc.constant('wait'),
}) as fc.Arbitrary<CeilingSettings>;
const nothing = { day: 0, month: 0 };
const accountOf = (given: CeilingSettings): StoredSpendAccount => newSpendAccount(1, given, nothing, at);
const apply = (account: StoredSpendAccount, { set, add }: ReturnType<typeof changeOfSettings>): StoredSpendAccount => {
  const next: Record<string, unknown> = { ...account };
  for (const [field, value] of Object.entries(set))
    if (value === undefined) delete next[field];
    else next[field] = value;
  for (const [field, by] of Object.entries(add)) next[field] = Number(next[field] ?? 0) + by;
  return next as StoredSpendAccount;
};
const kinds = fc.constantFrom('code' as const, 'other' as const);

describe('grants', () => {
  test('never exceed what is left, and leave the reserve to codes', () => {
    fc.assert(
      fc.property(settings, kinds, fc.array(fc.tuple(amount, amount, kinds), { maxLength: 8 }), (given, kind, requests) => {
        fc.pre(given.dayLimit !== undefined || given.monthLimit !== undefined);
        let account = accountOf(given);
        for (const [needed, ahead, of] of [...requests, [1, 1, kind] as const]) {
          const micros = grantOf(account, { needed, ahead, kind: of });
          if (micros === undefined) expect(needed).toBeGreaterThan(grantable(account, of));
          else {
            expect(micros).toBeGreaterThanOrEqual(needed);
            account = apply(account, { set: {}, add: takenFrom(account, micros, of) });
          }
        }
        for (const period of ceilingPeriods) {
          const counters = countersOf(account, period);
          if (!counters) continue;
          expect(counters.left).toBeGreaterThanOrEqual(0);
          expect(counters.left).toBeLessThanOrEqual(counters.limit);
        }
      }),
    );
  });

  test('for others stop at the reserve, and for codes at the ceiling', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 100 }), (limit, percent) => {
        const account = accountOf({
          currency: 'EUR',
          dayLimit: limit,
          monthLimit: undefined,
          reservePercent: percent,
          stops: [],
          unknownPrice: 'stop',
          onReached: 'wait',
        });
        expect(grantable(account, 'code')).toBe(limit);
        expect(grantable(account, 'other')).toBe(limit - reserveOf(limit, percent));
        expect(tightestCeiling(account, 'other')).toBe('day');
      }),
    );
  });

  test('that are returned make the account what it was', () => {
    fc.assert(
      fc.property(settings, kinds, amount, (given, kind, micros) => {
        const account = accountOf(given);
        const granted = apply(account, { set: {}, add: takenFrom(account, micros, kind) });
        expect(apply(granted, { set: {}, add: takenFrom(granted, -micros, kind, returnedTo(granted, '1:2026-11-29')) })).toEqual(account);
        expect(returnedTo(granted, '0:2026-11-29')).toEqual([]);
        expect(returnedTo(granted, '1:2026-10-31')).toEqual([]);
        expect(returnedTo(granted, '1:2026-11-28')).toEqual(given.monthLimit === undefined ? [] : ['month']);
      }),
    );
  });
});

describe('other settings', () => {
  test('leave spent what is spent, and begin anew in another currency or after no ceiling', () => {
    fc.assert(
      fc.property(settings, settings, fc.integer({ min: 0, max: 1_000_000 }), (before, after, micros) => {
        const account = accountOf(before);
        const spent = apply(account, { set: {}, add: takenFrom(account, micros, 'other') });
        const next = apply(spent, changeOfSettings(spent, after, nothing, at));
        const isAnew = before.currency !== after.currency || (before.dayLimit === undefined && before.monthLimit === undefined);
        expect(next.rev).toBe(2);
        expect(next.began).toBe(isAnew ? 2 : 1);
        for (const period of ceilingPeriods) {
          const [was, is] = [countersOf(spent, period), countersOf(next, period)];
          if (!is) continue;
          const stays = was !== undefined && !isAnew;
          expect(is.limit - is.left).toBe(stays ? micros : 0);
          expect(is.left - is.leftForOthers).toBe(reserveOf(is.limit, after.reservePercent));
        }
      }),
    );
  });
});

test('a new day fills the day, a new month both, and time that goes back nothing', () => {
  fc.assert(
    fc.property(settings, amount, (given, micros) => {
      const account = accountOf(given);
      const spent = apply(account, { set: {}, add: takenFrom(account, micros, 'other') });
      expect(changeAtPeriod(spent, at - 86_400_000)).toBeUndefined();
      expect(changeAtPeriod(spent, at)).toBeUndefined();
      const nextDay = apply(spent, changeAtPeriod(spent, at + 86_400_000) ?? { set: {}, add: {} });
      expect(countersOf(nextDay, 'day')?.left).toBe(given.dayLimit);
      expect(countersOf(nextDay, 'month')?.left).toBe(countersOf(spent, 'month')?.left);
      const nextMonth = apply(spent, changeAtPeriod(spent, at + 2 * 86_400_000) ?? { set: {}, add: {} });
      expect(countersOf(nextMonth, 'month')?.left).toBe(given.monthLimit);
    }),
  );
  const december = { day: '2026-12-31', month: '2026-12' };
  expect([resetsAtMs(december, 'day'), resetsAtMs(december, 'month')]).toEqual([Date.UTC(2027, 0, 1), Date.UTC(2027, 0, 1)]);
});

test('the messages that an amount pays for are the longest prefix', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { maxLength: 30 }), fc.integer({ min: -10, max: 20_000 }), (prices, micros) => {
      const count = prefixThatFits(prices, micros);
      if (count > 0) expect(totalOf(prices.slice(0, count))).toBeLessThanOrEqual(micros);
      if (count < prices.length) expect(totalOf(prices.slice(0, count + 1))).toBeGreaterThan(micros);
    }),
  );
});

test('an account is the same while no money moved and no setting changed, whatever else it says', () => {
  const account = accountOf({
    currency: 'EUR',
    dayLimit: 9,
    monthLimit: 90,
    reservePercent: 0,
    stops: [],
    unknownPrice: 'stop',
    onReached: 'wait',
  });
  const granted = { ...account, dayLeft: 4, dayLeftForOthers: 4, 'n:1': 5 };
  const isSame = (change: object) => [hasSameMoney(granted, { ...granted, ...change }), hasSameMoney({ ...granted, ...change }, granted)];
  for (const same of [{}, { dayReached: '2026-11-29', monthReached: '2026-11', updatedAt: at + 1 }, { noticeLeft: 3 }])
    expect(isSame(same)).toEqual([true, true]);
  for (const moved of [
    { dayLeft: 5 },
    { dayLeftForOthers: 5 },
    { monthLeft: 5 },
    { monthLeftForOthers: undefined },
    { 'n:1': 6 },
    { 'n:2': 0 },
    { rev: 2 },
    { began: 2 },
    { day: '2026-11-30' },
  ])
    expect(isSame(moved), JSON.stringify(moved)).toEqual([false, false]);
  // granted to one number and returned by another one between two reads
  const { 'n:1': _, ...returned } = granted;
  expect(hasSameMoney(granted, { ...returned, 'n:2': 5 })).toBe(false);
});

test('what is short is named: the ceiling of the campaign, the day, the allowance; what is never refused needs the day alone', () => {
  const state = { period: '1:2026-11-29', allowance: 5, codeAllowance: 9, budgetOf: (id: number) => (id === 7 ? 3 : undefined) };
  const company = (kind: 'code' | 'other' | 'counted', micros: number, period = state.period) => ({
    company: { kind, micros, period, currency: 'EUR' },
  });
  const campaign = (id: number, micros: number) => ({ campaign: { id, micros, limit: 0, currency: 'EUR' } });
  expect(shortOf(state, { ...company('other', 5), ...campaign(7, 3) })).toBeUndefined();
  expect(shortOf(state, campaign(7, 4))).toBe('campaign');
  expect(shortOf(state, campaign(8, 0))).toBe('campaign');
  expect(shortOf(state, company('other', 1, '1:2026-11-30'))).toBe('period');
  expect(shortOf(state, company('other', 6))).toBe('allowance');
  expect(shortOf(state, company('code', 6))).toBeUndefined();
  expect(shortOf(state, company('counted', 600))).toBeUndefined();
});

test('codes of either category take from the reserve; what ceilings do not stop is counted', () => {
  const stops = ['marketing', 'authentication'] as const;
  const kindOf = (category: string) => chargeKindOf({ stops: [...stops] }, category);
  expect(['MARKETING', 'utility', 'authentication', 'authentication-international', 'service'].map(kindOf)).toEqual([
    'other',
    'counted',
    'code',
    'code',
    'counted',
  ]);
});

test('each share is an alert once a period and ceiling; a refusal is 100 %', () => {
  const account = accountOf({
    currency: 'EUR',
    dayLimit: 1_000,
    monthLimit: undefined,
    reservePercent: 10,
    stops: [],
    unknownPrice: 'stop',
    onReached: 'wait',
  });
  const spent = (micros: number) => alertOf({ ...account, dayLeft: 1_000 - micros }, 'day');
  expect([0, 499, 500, 799, 800, 999, 1_000].map((micros) => spent(micros)?.percent)).toEqual([0, 0, 50, 50, 80, 80, 100]);
  expect(alertOf({ ...account, dayReached: account.day }, 'day')?.percent).toBe(100);
  expect(isNewAlert(spent(500), spent(499))).toBe(false);
  expect(isNewAlert(spent(500), spent(500))).toBe(false);
  expect(isNewAlert(spent(500), spent(800))).toBe(true);
  expect(isNewAlert(spent(900), alertOf({ ...account, day: '2026-11-30', dayLeft: 500 }, 'day'))).toBe(true);
  expect(alertOf(account, 'month')).toBeUndefined();
});

test('a message that a ceiling does not allow waits for the next period, a day at most', () => {
  const dueAtMs = at;
  const midnight = Date.UTC(2026, 10, 30);
  expect(limitedUntil({ limitedSince: undefined, dueAtMs }, midnight, at)).toBe(midnight);
  expect(limitedUntil({ limitedSince: at, dueAtMs: midnight }, midnight + 86_400_000, midnight)).toBe(at + 86_400_000);
  expect(limitedUntil({ limitedSince: at, dueAtMs: midnight }, midnight, at + 86_400_000)).toBeUndefined();
});
