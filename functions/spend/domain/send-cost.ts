import type { SendCost } from '../contract/cost.ts';
import type { PriceCap } from '../contract/price-cap.ts';
import { decimalText, type Micros } from './money.ts';
import { estimate, type Estimate, type EstimateItem } from './estimate.ts';
import { priceCategoryOf } from './price.ts';
import { cappedPrice } from './price-cap.ts';

/** An estimate as the API shows it. `currency`: of its amounts; undefined where none is known, and so no amount is. */
export const toSendCost = (result: Estimate, category: string, currency: string | undefined): SendCost => {
  const amountOf = (micros: Micros | undefined): SendCost['estimate'] =>
    micros === undefined || currency === undefined ? null : { amount: decimalText(micros), currency };
  return {
    estimate: amountOf(result.amount),
    at_most: amountOf(result.atMost),
    known: result.known,
    unknown: result.unknown,
    category: priceCategoryOf(category) ?? null,
    countries: result.countries.map(({ country, recipients, price, amount, reason }) => ({
      country: country ?? null,
      recipients,
      price: price === undefined ? null : decimalText(price),
      amount: amount === undefined ? null : decimalText(amount),
      reason: reason ?? null,
    })),
    cards: result.cards,
  };
};

/** The cost of a send with a max price, in the currency of that price. */
export const cappedSendCost = (items: readonly EstimateItem[], category: string, cap: PriceCap): SendCost => {
  const currency = 'unknown' in cap ? undefined : cap.currency;
  return toSendCost(estimate(items, { priceOf: () => cappedPrice(cap, currency) }), category, currency);
};
