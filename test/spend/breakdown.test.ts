import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PriceCategory, priceCategories } from '../../functions/spend/contract/card.ts';
import { type SpendFigures, spendBreakdowns } from '../../functions/spend/contract/spend.ts';
import { sourceOfCard } from '../../functions/spend/domain/card.ts';
import { microsOf } from '../../functions/spend/domain/money.ts';
import {
  breakdown,
  chargesWithin,
  figuresOf,
  priceCharges,
  type SpendPrices,
  spendColumns,
  spendLine,
} from '../../functions/spend/domain/spend.ts';
import { chargesOf } from '../../functions/usage/contract/charges.ts';
import { drawnMarkets, marketOf } from './cards.ts';
import { drawnCells } from './charges.ts';

/** Every way to look at what was spent shows the same amounts. */

const dates = ['2026-11-29', '2026-11-30', '2026-12-01'];
const drawnDays = fc.array(drawnCells, { minLength: 3, maxLength: 3 });
const daysOf = (cells: readonly Record<string, number>[]) =>
  cells.map((each, nth) => ({ date: dates[nth] ?? '', charges: chargesOf(each) }));
type Drawn = Parameters<typeof sourceOfCard>[1];
/** Number 1 is charged in EUR, number 2 in USD; number 3 and what is of none in EUR. */
const pricesOf = (markets: Drawn): SpendPrices => ({
  currencyOf: (numberId) => ({ currency: numberId === 2 ? 'USD' : 'EUR' }),
  sourcesOf: (currency) => [sourceOfCard({ card: `2026-10-01-${currency}-1`, owner: 'operator', currency }, markets)],
});
const sumOf = (all: readonly SpendFigures[]) => {
  const amounts: Record<string, bigint> = {};
  const counts = { messages: 0, charged: 0, free: 0, unknown: 0 };
  for (const each of all) {
    for (const { amount, currency } of each.amounts) amounts[currency] = (amounts[currency] ?? 0n) + bigOf(amount);
    for (const name of ['messages', 'charged', 'free', 'unknown'] as const) counts[name] += each[name];
  }
  return { amounts, counts };
};
/** `microsOf` takes prices, which are short; a sum may be long. */
const bigOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
};

describe('what was spent', () => {
  test('of codes alone, and of one profile, has no message in it, and the prices that they have among all', () => {
    const markets = [marketOf('All', [], { authentication: '0.05' })];
    const day = { '$/1/-/ar/DE': 7, 'c$/0a0b0c0d/DE': 2, 'c$/0a0b0c0d/-': 1, 'c$/0e0f0a0b/FR': 4 };
    const charges = priceCharges(daysOf([day]), pricesOf(markets));
    const within = (query: Parameters<typeof chargesWithin>[1]) => {
      const { messages, amounts, unknown } = figuresOf(chargesWithin(charges, query));
      return [messages, amounts[0]?.amount, unknown];
    };
    expect(within({})).toEqual([14, '0.65', 1]);
    expect(within({ only: 'codes' })).toEqual([7, '0.3', 1]);
    expect(within({ profile_id: '0a0b0c0d-1111-4111-8111-111111111111' })).toEqual([3, '0.1', 1]);
    expect(within({ only: 'codes', profile_id: '0a0b0c0e-1111-4111-8111-111111111111' })).toEqual([0, undefined, 0]);
  });

  test('adds up to the micro-unit by day, country, category, number, campaign, credential and profile, each currency for itself', () => {
    fc.assert(
      fc.property(drawnMarkets, drawnDays, (markets, cells) => {
        const charges = priceCharges(daysOf(cells), pricesOf(markets));
        const [first, ...others] = spendBreakdowns.map((by) => breakdown(charges, by, dates));
        for (const { totals, rows, without_price: without } of [first, ...others].flatMap((each) => each ?? [])) {
          expect(totals).toEqual(first?.totals);
          expect(sumOf(rows)).toEqual(sumOf([totals]));
          for (const row of rows) expect(sumOf(row.categories)).toEqual(sumOf([row]));
          expect(without.reduce((sum, { messages }) => sum + messages, 0)).toBe(totals.unknown);
          expect(totals.charged + totals.free + totals.unknown).toBe(totals.messages);
        }
        const [date, amount, currency, messages] = (['date', 'amount', 'currency', 'messages'] as const).map((name) =>
          spendColumns.indexOf(name),
        );
        const lines = charges.map(spendLine);
        const csv: Record<string, bigint> = {};
        for (const line of lines) {
          const [of, text] = [line[currency ?? 0] ?? '', line[amount ?? 0] ?? ''];
          if (text !== '') csv[of] = (csv[of] ?? 0n) + bigOf(text);
        }
        expect(csv).toEqual(sumOf([first?.totals].flatMap((each) => each ?? [])).amounts);
        expect(lines.reduce((sum, line) => sum + Number(line[messages ?? 0]), 0)).toBe(first?.totals.messages);
        expect(lines.every((line) => dates.includes(line[date ?? 0] ?? ''))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('is never 0 for a price that is removed: its messages are unknown, and are in no amount', () => {
    fc.assert(
      fc.property(drawnMarkets, drawnDays, fc.constantFrom(...priceCategories), fc.nat(), (drawn, cells, category, place) => {
        const markets = drawn.map((each, nth) => (nth === place % drawn.length ? { ...each, [category]: null } : each));
        const prices = pricesOf(markets);
        const charges = priceCharges(daysOf(cells), prices);
        for (const charge of charges) {
          if (charge.type !== 'regular') continue;
          const [source] = prices.sourcesOf('EUR', charge.date);
          const market = charge.country === undefined ? undefined : source?.marketOf(charge.country);
          const isPriced =
            market !== undefined &&
            (priceCategories as readonly string[]).includes(charge.category) &&
            source?.stepsOf(market, charge.category as PriceCategory) !== undefined;
          expect(charge.state).toBe(isPriced ? 'charged' : 'unknown');
          if (isPriced) expect(charge.amount?.micros).toBeGreaterThan(0n);
          else {
            expect(charge.amount).toBeUndefined();
            expect(spendLine(charge)[spendColumns.indexOf('amount')]).toBe('');
          }
        }
        const without = charges.filter(({ state }) => state === 'unknown');
        for (const row of breakdown(without, 'country', dates).rows) expect(row.amounts).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('counts the tiers of a month, across its days and whatever number sent, and begins again with the next', () => {
    const markets = [
      marketOf('Germany', ['DE'], {
        utility: [
          { from: 0, price: '0.04' },
          { from: 101, price: '0.03' },
        ],
      }),
    ];
    const cells = [{ '$/1/-/ur/DE': 90 }, { '$/1/-/ur/DE': 5, '$/3/c7/ur/DE': 10 }, { '$/1/-/ur/DE': 10 }];
    const priced = priceCharges(daysOf(cells), pricesOf(markets)).map(({ amount }) => amount?.micros);
    expect(priced).toEqual([90n * 40_000n, 5n * 40_000n, 5n * 40_000n + 5n * 30_000n, 10n * 40_000n]);
    // what another part counted and this one takes away
    const taken = priceCharges(daysOf([{ '$/1/-/ur/DE': 104, '$/2x': 1 }, { '$/0/o/ur/DE': -6 }, {}]), pricesOf(markets));
    expect(taken.map(({ amount }) => amount?.micros)).toEqual([100n * 40_000n + 4n * 30_000n, -(2n * 40_000n + 4n * 30_000n)]);
  });

  test('has the amount that the provider posted in place of the card’s, and what is free at 0', () => {
    const cells = [{ '$/1/c3/mp/DE': 2, 'a/1/c3/m/DE/EUR': 70_000, '$/1/-/sf/DE': 5 }];
    const markets = [marketOf('Germany', ['DE'], { marketing: '0.1', service: '0.04' })];
    const { totals, rows } = breakdown(priceCharges(daysOf(cells), pricesOf(markets)), 'campaign', dates);
    expect(totals).toEqual({ amounts: [{ amount: '0.07', currency: 'EUR' }], messages: 7, charged: 2, free: 5, unknown: 0 });
    expect(rows.map(({ key, amounts, messages }) => [key, amounts[0]?.amount, messages])).toEqual([
      ['3', '0.07', 2],
      [null, '0', 5],
    ]);
    expect(microsOf('0.07')).toBe(70_000n);
  });
});
