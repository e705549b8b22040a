import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { chargesOf } from '../../usage/contract/charges.ts';
import { utcDayOf } from '../../usage/contract/count.ts';
import { listUsageOfMonths } from '../../usage/service.ts';
import type { SendCost } from '../contract/cost.ts';
import type { Tariff } from '../contract/price-cap.ts';
import { estimate, type EstimateItem } from '../domain/estimate.ts';
import { isKnown, priceCategoryOf, priceOf } from '../domain/price.ts';
import { cappedSendCost, toSendCost } from '../domain/send-cost.ts';
import { chargedByTier } from '../domain/spend.ts';
import { listRateCurrencies } from './currencies.ts';
import { listRateSources } from './rate-cards.ts';
import { rateDayOf } from './rate-day.ts';
import { listChargeCurrencies, loadPrices } from './spend-prices.ts';
import { sentBeforePostedTiers } from './volume-tiers.ts';

export interface SendToEstimate extends Tariff {
  /** By country. */
  items: readonly EstimateItem[];
  /** The currency of the business account; undefined: not known yet. */
  currency: string | undefined;
}

/**
 * What a send costs today. 1 to 1.5 RRU for each card; where the account's currency is not known, more to find the only one that has a card; where
 * a price has tiers, what the month has counted: 0.5 RRU per 4 KB of its days.
 */
export const estimateSend = async (companyId: number, { items, category, cap, currency: given }: SendToEstimate): Promise<SendCost> => {
  if (cap) return cappedSendCost(items, category, cap);
  const known = given === undefined ? await listRateCurrencies(companyId) : [given];
  const [currency] = known.length === 1 ? known : [];
  if (known.length > 1) return toSendCost(estimate(items, { priceOf: () => ({ unknown: 'no_currency' }) }), category, undefined);
  const sources = currency === undefined ? [] : await listRateSources(companyId, currency, await rateDayOf(companyId));
  const prices = (country: string | undefined) => priceOf(sources, { country, category });
  const hasTiers = items.map(({ country }) => prices(country)).some((price) => isKnown(price) && price.steps.length > 1);
  const [charged, posted] =
    currency !== undefined && hasTiers
      ? await Promise.all([
          chargedThisMonth(companyId, currency, category),
          sentBeforePostedTiers({ companyId, currency, category, items, priceOf: prices }),
        ])
      : [];
  return toSendCost(
    estimate(items, {
      priceOf: prices,
      isFree: category.toLowerCase() === 'service',
      ...(charged ? { sentIn: (tier: string) => Math.max(charged.get(tier) ?? 0, posted?.get(tier) ?? 0) } : {}),
    }),
    category,
    currency,
  );
};

/**
 * What the tiers of a category have counted since the first of the month, as `getSpend` counts them: messages of this company alone. The provider counts
 * those of its portfolio: where it has posted a tier that begins later, that holds.
 */
async function chargedThisMonth(companyId: number, currency: string, category: string): Promise<ReadonlyMap<string, number>> {
  const today = utcDayOf(now());
  const [used, currencies] = await Promise.all([listUsageOfMonths(companyId, { from: today, to: today }), listChargeCurrencies(companyId)]);
  if (isProblem(used)) throw new Error('The present day is no range.');
  const prices = await loadPrices(companyId, currencies, { from: used.days[0]?.date ?? today, to: today });
  return chargedByTier(
    used.days.map(({ date, cells }) => ({ date, charges: chargesOf(cells) })),
    { currency, category: priceCategoryOf(category) ?? category },
    prices,
  );
}
