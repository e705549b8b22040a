import type { CardInput, CardMarket } from '../../functions/spend/contract/card.ts';

/**
 * The prices of the simulated provider, in two currencies: made up, so that no one takes them for the provider's, and with all that a card can
 * have: a group of countries, tiers, a price that is not published, a market for all others.
 */
export const simulatorCards = (nowMs: number): CardInput[] => [
  { currency: 'EUR', effective_from: quarterOf(nowMs), source: 'The simulator of the local environment', markets: markets(1) },
  { currency: 'USD', effective_from: quarterOf(nowMs), source: 'The simulator of the local environment', markets: markets(1.1) },
];

/** Prices change with a quarter. */
const quarterOf = (nowMs: number): string => {
  const date = new Date(nowMs);
  return new Date(Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / 3) * 3, 1)).toISOString().slice(0, 10);
};

const markets = (factor: number): CardMarket[] => {
  const price = (euro: number): string => String(Number((euro * factor).toFixed(4)));
  const row = (
    market: string,
    countries: string,
    [marketing, utility, international]: readonly [marketing: number, utility: number, international?: number],
  ): CardMarket => ({
    market,
    countries: countries === '' ? [] : countries.split(' '),
    marketing: price(marketing),
    utility: [
      { from: 0, price: price(utility) },
      { from: 1_001, price: price(utility * 0.9) },
      { from: 10_001, price: price(utility * 0.8) },
    ],
    authentication: price(utility),
    authentication_international: international === undefined ? null : price(international),
    service: price(utility),
  });
  return [
    row('Germany', 'DE', [0.1, 0.04]),
    row('France', 'FR', [0.08, 0.03]),
    row('United Kingdom', 'GB', [0.05, 0.02]),
    row('India', 'IN', [0.01, 0.002, 0.03]),
    row('Indonesia', 'ID', [0.04, 0.02, 0.12]),
    row('Brazil', 'BR', [0.06, 0.008]),
    row('North America', 'CA US', [0.02, 0.004]),
    row('Rest of Western Europe', 'AT BE CH DK FI IE NO PT SE', [0.06, 0.02]),
    row('Rest of Latin America', 'BO CR DO EC GT HN HT JM NI PA PR PY SV UY VE', [0.07, 0.01]),
    row('Other', '', [0.05, 0.01]),
  ];
};
