import * as fc from 'fast-check';
import { type CardMarket, type CardPrice, priceCategories } from '../../functions/spend/contract/card.ts';
import { decimalText } from '../../functions/spend/domain/money.ts';

/** A market whose categories all have one price, or those given. */
export const marketOf = (market: string, countries: readonly string[], prices: CardPrice | Partial<CardMarket>): CardMarket => {
  const same = typeof prices === 'string' || prices === null || Array.isArray(prices) ? prices : null;
  return {
    market,
    countries: [...countries],
    ...Object.fromEntries(priceCategories.map((category) => [category, same])),
    ...(typeof prices === 'object' && prices !== null && !Array.isArray(prices) ? prices : {}),
  } as CardMarket;
};

/** Countries that the drawn cards price, and some that they may not. */
export const drawnCountries = ['DE', 'FR', 'IN', 'US', 'BR', 'ID', 'NG', 'LI', 'VA', 'JP'] as const;

const drawnPrice = fc.bigInt({ min: 1n, max: 3_000_000_000n }).map(decimalText);
const drawnTiers = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 2, max: 5_000 }), { maxLength: 4 }), fc.array(drawnPrice, { minLength: 5, maxLength: 5 }))
  .map(([bounds, prices]) => [0, ...bounds.toSorted((a, b) => a - b)].map((from, nth) => ({ from, price: prices[nth] ?? '1' })));
const anyPrice: fc.Arbitrary<CardPrice> = fc.oneof(drawnPrice, drawnTiers, fc.constant(null));

/** Markets of one or several countries each, some countries in none, with or without a market for all others. */
export const drawnMarkets: fc.Arbitrary<CardMarket[]> = fc
  .tuple(
    fc.shuffledSubarray([...drawnCountries], { minLength: 1, maxLength: 8 }),
    fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    fc.boolean(),
  )
  .chain(([countries, ends, hasOthers]) => {
    const groups: string[][] = [[]];
    for (const [nth, country] of countries.entries()) {
      groups.at(-1)?.push(country);
      if (ends[nth] && nth < countries.length - 1) groups.push([]);
    }
    const all = hasOthers ? [...groups, []] : groups;
    return fc.array(fc.tuple(...priceCategories.map(() => anyPrice)), { minLength: all.length, maxLength: all.length }).map((prices) =>
      all.map((own, nth) => ({
        ...marketOf(`M${nth}`, own, null),
        ...Object.fromEntries(priceCategories.map((category, place) => [category, prices[nth]?.[place] ?? null])),
      })),
    );
  });
