import type { SendCost } from '../contract/cost.ts';
import { estimate, type EstimateItem } from '../domain/estimate.ts';
import { priceOf } from '../domain/price.ts';
import { toSendCost } from '../domain/send-cost.ts';
import { listRateCurrencies } from './currencies.ts';
import { listRateSources } from './rate-cards.ts';
import { rateDayOf } from './rate-day.ts';

export interface SendToEstimate {
  /** By country. */
  items: readonly EstimateItem[];
  /** Of the template, or `service`. */
  category: string;
  /** The currency of the business account; undefined: not known yet. */
  currency: string | undefined;
}

/** What a send costs today. 1 to 1.5 RRU for each card; where the account's currency is not known, more to find the only one that has a card. */
export const estimateSend = async (companyId: number, { items, category, currency: given }: SendToEstimate): Promise<SendCost> => {
  const known = given === undefined ? await listRateCurrencies(companyId) : [given];
  const [currency] = known.length === 1 ? known : [];
  if (known.length > 1) return toSendCost(estimate(items, { priceOf: () => ({ unknown: 'no_currency' }) }), category, undefined);
  const sources = currency === undefined ? [] : await listRateSources(companyId, currency, await rateDayOf(companyId));
  return toSendCost(
    estimate(items, { priceOf: (country) => priceOf(sources, { country, category }), isFree: category.toLowerCase() === 'service' }),
    category,
    currency,
  );
};
