import { priceCategories, type PriceCategory } from '../contract/card.ts';
import type { PriceSteps, RateSource, UnknownReason } from './card.ts';
import type { Micros } from './money.ts';

/** The price of one message: known, or unknown with the reason. Nothing in the product turns an unknown price into 0. */
export type Price = KnownPrice | UnknownPrice;
/** A price of no card, without tiers. */
export interface FlatPrice {
  micros: Micros;
}
export interface KnownPrice extends FlatPrice {
  /** The id of the card. */
  card: string;
  owner: RateSource['owner'];
  market: string;
  steps: PriceSteps;
}
export interface UnknownPrice {
  unknown: UnknownReason;
}

/** The category of a price, from the word that the provider or a template has for it; undefined: no card prices it. */
export const priceCategoryOf = (word: string): PriceCategory | undefined => {
  const given = word.toLowerCase().replaceAll('-', '_');
  return priceCategories.find((category) => category === given);
};

/** How far a look-up came: of several sources without a price, the reason of the one that came furthest is named. */
const progress = { category: 0, no_currency: 0, no_country: 0, no_card: 1, no_market: 2, no_price: 3 } as const satisfies Record<
  UnknownReason,
  number
>;

/**
 * The price of a message to a country, from the first source that has one: the company's own rates, then the operator's card. `sent`: how many
 * charged messages of the market and category the month has already, for tiers; undefined: the list price.
 */
export const priceOf = (
  sources: readonly RateSource[],
  { country, category, sent }: { country: string | undefined; category: string; sent?: number | undefined },
): Price => {
  const known = priceCategoryOf(category);
  if (!known) return { unknown: 'category' };
  if (country === undefined) return { unknown: 'no_country' };
  let reason: UnknownReason = 'no_card';
  for (const source of sources) {
    const market = source.marketOf(country);
    const steps = market === undefined ? undefined : source.stepsOf(market, known);
    if (market !== undefined && steps)
      return { micros: stepAt(steps, (sent ?? 0) + 1).micros, card: source.card, owner: source.owner, market, steps };
    const own = market === undefined ? 'no_market' : 'no_price';
    if (progress[own] > progress[reason]) reason = own;
  }
  return { unknown: reason };
};

/** Whether a price is known; narrows to it. */
export const isKnown = (price: Price): price is KnownPrice => 'micros' in price;

/** What the tiers of a price count together: the market of a card, for one category and month. */
export const tierOf = ({ owner, market }: Pick<KnownPrice, 'owner' | 'market'>): string => `${owner}|${market}`;

/** The step of the nth message of a month, from 1. */
export const stepAt = (steps: PriceSteps, nth: number): PriceSteps[number] => steps.findLast(({ from }) => from <= nth) ?? steps[0];

/** What `count` messages cost after `sent` others of the month: each at the price of its own step. */
export const costOf = (steps: PriceSteps, sent: number, count: number): Micros => {
  let total = 0n;
  for (const [nth, { from, micros }] of steps.entries()) {
    const first = Math.max(from, sent + 1, 1);
    const next = steps[nth + 1]?.from;
    const last = Math.min(next === undefined ? Infinity : next - 1, sent + count);
    if (last >= first) total += BigInt(last - first + 1) * micros;
  }
  return total;
};
