import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { listBusinessNumbers } from '../../account/service/numbers.ts';
import type { PostedTier } from '../contract/volume-tier.ts';
import type { EstimateItem } from '../domain/estimate.ts';
import { type FlatPrice, type Price, tierOf } from '../domain/price.ts';
import { periodsAt } from '../domain/spend-account.ts';
import { sentBeforeTier, withTier } from '../domain/volume-tier.ts';
import { getVolumeTiers, putVolumeTiers } from '../store/volume-tier.ts';

/** Stores a tier that the provider posts. Repeated, late or out of order it changes nothing. 1 RRU, and 1 WRU for one that is new. */
export const recordVolumeTier = (companyId: number, wabaId: string, posted: PostedTier): Promise<void> =>
  retryOnConflict(maxConflicts, async () => {
    const seen = await getVolumeTiers(companyId, posted.month, { consistent: true });
    const next = withTier(seen, { companyId, wabaId }, posted);
    if (!next) return undefined;
    return (await putVolumeTiers(next)).done ? undefined : conflict;
  });

interface TieredSend {
  companyId: number;
  currency: string;
  category: string;
  items: readonly EstimateItem[];
  priceOf: (country: string | undefined) => Price | FlatPrice;
}

/**
 * How many messages of the present month the provider has counted at least, by `tierOf` the price, where it has posted a tier for an account that is charged
 * in the currency. It names a market as its card does, or by its only country. 0.5 RRU, and 0.5 where there are any.
 */
export const sentBeforePostedTiers = async ({
  companyId,
  currency,
  category,
  items,
  priceOf,
}: TieredSend): Promise<ReadonlyMap<string, number>> => {
  const tiers = await getVolumeTiers(companyId, periodsAt(now()).month);
  if (!tiers) return new Map();
  const numbers = await listBusinessNumbers(companyId);
  const wabaIds = [...new Set(numbers.flatMap(({ currency: of, wabaId }) => (of === currency ? [wabaId] : [])))];
  const names = new Map<string, Set<string>>();
  for (const { country } of items) {
    const price = priceOf(country);
    if ('unknown' in price || !('card' in price)) continue;
    const tier = tierOf(price);
    const own = names.get(tier) ?? new Set([price.market]);
    if (country !== undefined) own.add(country).add(countryNames.of(country) ?? country);
    names.set(tier, own);
  }
  return new Map([...names].map(([tier, of]) => [tier, sentBeforeTier(tiers, { wabaIds, category, names: of })]));
};

const countryNames = new Intl.DisplayNames('en', { type: 'region' });
