import type { SendCost } from '../contract/cost.ts';
import { decimalText, type Micros } from './money.ts';
import type { Estimate } from './estimate.ts';
import { priceCategoryOf } from './price.ts';

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
