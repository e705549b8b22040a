import type { UnknownReason } from './card.ts';
import type { Micros } from './money.ts';
import { costOf, type FlatPrice, type Price, stepAt, tierOf } from './price.ts';

/** Recipients of one country; undefined: their country is not known. */
export interface EstimateItem {
  country: string | undefined;
  recipients: number;
}

export interface EstimateRow extends EstimateItem {
  /** Of one message, at the present tier; undefined: unknown. */
  price: Micros | undefined;
  amount: Micros | undefined;
  reason: UnknownReason | undefined;
}

export interface Estimate {
  /** What the recipients with a known price cost together; undefined: not one price is known. */
  amount: Micros | undefined;
  /** The same at list prices. */
  atMost: Micros | undefined;
  known: number;
  unknown: number;
  countries: EstimateRow[];
  /** The ids of the cards that priced them. */
  cards: string[];
}

/** How a number of messages is priced. */
export interface EstimatePrices {
  priceOf: (country: string | undefined) => Price | FlatPrice;
  /** Charged messages of the month so far, by `tierOf` the price; absent: not known, list prices. */
  sentIn?: (tier: string) => number | undefined;
  /** Messages that cost nothing as long as the number's free ones last: the lower bound has them at 0, where their price is known. */
  isFree?: boolean;
}

/**
 * What a send to these recipients costs, if each of them gets it: one row a country, one pass. Countries of one market share its tiers. The
 * sums are those of the rows, to the micro-unit; recipients without a price are counted, never priced at 0.
 */
export const estimate = (items: readonly EstimateItem[], { priceOf, sentIn, isFree = false }: EstimatePrices): Estimate => {
  const sentBy = new Map<string, number>();
  let atMost = 0n;
  const cards = new Set<string>();
  const countries = mergedByCountry(items).map(({ country, recipients }): EstimateRow => {
    const price = priceOf(country);
    if ('unknown' in price) return { country, recipients, price: undefined, amount: undefined, reason: price.unknown };
    if (!('card' in price)) {
      const amount = BigInt(recipients) * price.micros;
      atMost += amount;
      return { country, recipients, price: price.micros, amount, reason: undefined };
    }
    const tier = tierOf(price);
    const tierSent = sentBy.get(tier) ?? sentIn?.(tier);
    if (tierSent !== undefined) sentBy.set(tier, tierSent + recipients);
    cards.add(price.card);
    atMost += BigInt(recipients) * price.steps[0].micros;
    const charged = tierSent === undefined ? BigInt(recipients) * price.micros : costOf(price.steps, tierSent, recipients);
    const present = tierSent === undefined ? price.micros : stepAt(price.steps, tierSent + 1).micros;
    return { country, recipients, price: present, amount: isFree ? 0n : charged, reason: undefined };
  });
  const priced = countries.flatMap(({ amount }) => (amount === undefined ? [] : [amount]));
  const count = (isOne: (row: EstimateRow) => boolean): number =>
    countries.reduce((sum, row) => sum + (isOne(row) ? row.recipients : 0), 0);
  return {
    amount: priced.length === 0 ? undefined : priced.reduce((sum, amount) => sum + amount, 0n),
    atMost: priced.length === 0 ? undefined : atMost,
    known: count(({ amount }) => amount !== undefined),
    unknown: count(({ amount }) => amount === undefined),
    countries: countries.toSorted((a, b) => b.recipients - a.recipients || ((a.country ?? '') < (b.country ?? '') ? -1 : 1)),
    cards: [...cards],
  };
};

function mergedByCountry(items: readonly EstimateItem[]): EstimateItem[] {
  const merged = new Map<string | undefined, number>();
  for (const { country, recipients } of items) if (recipients > 0) merged.set(country, (merged.get(country) ?? 0) + recipients);
  return [...merged].map(([country, recipients]) => ({ country, recipients }));
}
