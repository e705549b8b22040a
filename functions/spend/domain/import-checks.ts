import { type CardMarket, priceCategories } from '../contract/card.ts';
import type { StoredRateCard } from '../contract/stored.ts';
import { type PriceSteps, sourceOfCard } from './card.ts';
import { decimalText } from './money.ts';
import { daysBetween } from './rate-card.ts';

/** A price that moved further within one card is more likely a wrong column or currency than a new price. */
export const mostTimes = 5n;
/** The provider changes prices each quarter: an older card is likely out of date. */
export const oldAfterDays = 100;

/** Why a card of the provider may be wrong, beside the one before it: markets that are gone, prices that moved too far. */
export const importDoubts = (before: readonly CardMarket[], after: readonly CardMarket[]): string[] => {
  const [was, is] = [before, after].map((markets) => sourceOfCard({ card: '', owner: 'operator', currency: '' }, markets));
  return before.flatMap(({ market }) => {
    if (!after.some((each) => each.market === market)) return [`The market ${market} is gone.`];
    return priceCategories.flatMap((category) => {
      const [from, to] = [was?.stepsOf(market, category), is?.stepsOf(market, category)];
      return from && to && isFar(from, to)
        ? [`The price of ${market}, ${category}, moves from ${decimalText(from[0].micros)} to ${decimalText(to[0].micros)}.`]
        : [];
    });
  });
};

const isFar = ([{ micros: from }]: PriceSteps, [{ micros: to }]: PriceSteps): boolean => to > mostTimes * from || from > mostTimes * to;

export interface RateFinding {
  level: 'ok' | 'doubtful';
  message: string;
  remedy?: string;
}

/** The state of the operator's cards on a day: the newest in force of each currency, and whether it is old. */
export const rateFindings = (cards: readonly Pick<StoredRateCard, 'id' | 'currency' | 'effectiveFrom'>[], day: string): RateFinding[] => {
  const byCurrency = Map.groupBy(cards, ({ currency }) => currency);
  if (byCurrency.size === 0)
    return [{ level: 'doubtful', message: 'No rate card was imported: what messages cost is unknown.', remedy: 'rates import.' }];
  return [...byCurrency].map(([currency, ofCurrency]): RateFinding => {
    const inForce = ofCurrency.filter(({ effectiveFrom }) => effectiveFrom <= day).at(-1);
    if (!inForce)
      return {
        level: 'doubtful',
        message: `No rate card in ${currency} is in force yet; ${ofCurrency[0]?.id ?? ''} is coming.`,
        remedy: 'rates import, of the prices of today.',
      };
    const age = daysBetween(inForce.effectiveFrom, day);
    return age > oldAfterDays
      ? {
          level: 'doubtful',
          message: `The rate card ${inForce.id} is ${age} days old; the provider changes its prices each quarter.`,
          remedy: 'rates import, of the newest card.',
        }
      : { level: 'ok', message: `The rate card ${inForce.id} is in force.` };
  });
};
