import type { Adjustment, CardMarket, CardPrice, PriceCategory } from '../contract/card.ts';
import { priceCategories } from '../contract/card.ts';
import { decimalText, microsOf, type Micros, shareOf } from './money.ts';

/** From which message of a month on a price holds; the first step is from 0. */
export interface PriceStep {
  from: number;
  micros: Micros;
}
/** At least one; ascending. */
export type PriceSteps = readonly [PriceStep, ...PriceStep[]];

/** Why there is no price. */
export type UnknownReason = 'no_currency' | 'no_country' | 'no_card' | 'no_market' | 'no_price' | 'category';

/** Prices of one currency from a day on, ready for look-ups. */
export interface RateSource {
  /** The id of the card. */
  card: string;
  owner: 'company' | 'operator';
  currency: string;
  /** The market that prices a country; undefined: none does. */
  marketOf: (country: string) => string | undefined;
  stepsOf: (market: string, category: PriceCategory) => PriceSteps | undefined;
}

/** The market that has no countries of its own prices those of no other market. */
const isForOthers = ({ countries }: CardMarket): boolean => countries.length === 0;

/** A card's markets, ready for look-ups: 47 markets take some ten microseconds. */
export const sourceOfCard = (card: Pick<RateSource, 'card' | 'owner' | 'currency'>, markets: readonly CardMarket[]): RateSource => {
  const byCountry = new Map(markets.flatMap(({ market, countries }) => countries.map((country): [string, string] => [country, market])));
  const byName = new Map(markets.map((each): [string, CardMarket] => [each.market, each]));
  const others = markets.find(isForOthers)?.market;
  return {
    ...card,
    marketOf: (country) => byCountry.get(country) ?? others,
    stepsOf: (market, category) => stepsOf(byName.get(market)?.[category] ?? null),
  };
};

const stepsOf = (price: CardPrice): PriceSteps | undefined => {
  if (price === null) return undefined;
  const steps = typeof price === 'string' ? [{ from: 0, price }] : price;
  const [first, ...more] = steps.flatMap(({ from, price: text }): PriceStep[] => {
    const micros = microsOf(text);
    return micros === undefined ? [] : [{ from, micros }];
  });
  return first && [first, ...more];
};

/** A company's adjustment over the operator's card: the factor of the currency and the percentage first, then the fixed part. */
export const adjustedSource = (
  card: Pick<RateSource, 'card' | 'owner' | 'currency'>,
  { factor = '1', percent = '0', fixed = {} }: Adjustment,
  base: RateSource,
): RateSource => {
  const numerator = (microsOf(factor) ?? 0n) * (100_000_000n + signedMicrosOf(percent));
  const adjusted = (category: PriceCategory, { from, micros }: PriceStep): PriceStep => ({
    from,
    micros: shareOf(micros, numerator, 100_000_000_000_000n) + (microsOf(fixed[category] ?? '0') ?? 0n),
  });
  return {
    ...card,
    marketOf: base.marketOf,
    stepsOf: (market, category) => {
      const steps = base.stepsOf(market, category);
      if (!steps) return undefined;
      const [first, ...more] = steps;
      return [adjusted(category, first), ...more.map((step) => adjusted(category, step))];
    },
  };
};

const signedMicrosOf = (text: string): Micros => (text.startsWith('-') ? -(microsOf(text.slice(1)) ?? 0n) : (microsOf(text) ?? 0n));

/** What is wrong with the markets of a card; undefined: nothing. */
export const cardProblem = (markets: readonly CardMarket[]): string | undefined => {
  const names = markets.map(({ market }) => market);
  const twice = names.find((name, nth) => names.indexOf(name) !== nth);
  if (twice !== undefined) return `The market ${twice} is in the card twice.`;
  const countries = markets.flatMap((each) => each.countries);
  const shared = countries.find((country, nth) => countries.indexOf(country) !== nth);
  if (shared !== undefined) return `The country ${shared} is in two markets.`;
  if (markets.filter(isForOthers).length > 1) return 'Only one market may have no countries: it prices those of no other market.';
  for (const each of markets) {
    for (const category of priceCategories) {
      const steps = each[category];
      if (typeof steps === 'string' || steps === null) continue;
      if (steps[0]?.from !== 0) return `The first tier of ${each.market}, ${category}, must be from 0.`;
      if (steps.some(({ from }, nth) => nth > 0 && from <= (steps[nth - 1]?.from ?? 0)))
        return `The tiers of ${each.market}, ${category}, must be in ascending order.`;
    }
  }
  return undefined;
};

/** The list price that holds from the first message on; null: none. */
export const listPrice = (steps: PriceSteps | undefined): string | null => (steps ? decimalText(steps[0].micros) : null);
