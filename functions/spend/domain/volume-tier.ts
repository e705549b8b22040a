import type { PostedTier, StoredVolumeTiers } from '../contract/volume-tier.ts';
import { priceCategoryOf } from './price.ts';

/** A month has a tier for each market and category of an account; what is beyond is not remembered. */
const maxTiers = 400;
const maxTextLength = 60;

/** The tiers of a month after one that was posted: of each the highest, since a month only goes up. Undefined: nothing new, or none of messages. */
export const withTier = (
  seen: StoredVolumeTiers | undefined,
  { companyId, wabaId }: { companyId: number; wabaId: string },
  { category, region, tier, month }: PostedTier,
): StoredVolumeTiers | undefined => {
  const start = Number(/^(\d{1,15}):/.exec(tier)?.[1]);
  const known = priceCategoryOf(category);
  if (known === undefined || !Number.isSafeInteger(start) || !/^\d{4}-\d{2}$/.test(month) || region.length > maxTextLength)
    return undefined;
  const key = [wabaId, known, regionKey(region)].join('/');
  const starts = seen?.starts ?? {};
  if (start <= (starts[key] ?? 0) || (starts[key] === undefined && Object.keys(starts).length >= maxTiers)) return undefined;
  return { companyId, month, starts: { ...starts, [key]: start }, rev: (seen?.rev ?? 0) + 1 };
};

const regionKey = (region: string): string => region.trim().toUpperCase().replaceAll('/', ' ');

/**
 * How many messages a portfolio has sent at least, of a category and to a region that is named by one of these names: a tier that was posted begins after
 * them. 0: none was posted.
 */
export const sentBeforeTier = (
  { starts }: Pick<StoredVolumeTiers, 'starts'>,
  { wabaIds, category, names }: { wabaIds: readonly string[]; category: string; names: Iterable<string> },
): number => {
  const keys = [...names].flatMap((name) => wabaIds.map((wabaId) => [wabaId, priceCategoryOf(category), regionKey(name)].join('/')));
  return Math.max(0, ...keys.map((key) => (starts[key] ?? 1) - 1));
};
