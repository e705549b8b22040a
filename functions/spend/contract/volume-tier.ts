import * as z from 'zod';

export const volumeTiersEntityName = 'volume-tiers';

/**
 * The volume tiers of a month that the provider has posted for the business accounts of a company. It counts the messages of a whole portfolio, which this
 * company may send a part of.
 */
export const storedVolumeTiers = z.object({
  companyId: z.int(),
  /** `2026-12`, in which the tiers hold. */
  month: z.string(),
  /** By `<account>/<category>/<region>`: the message of the month with which the highest tier begins. */
  starts: z.record(z.string(), z.int()),
  rev: z.int(),
});
export type StoredVolumeTiers = z.output<typeof storedVolumeTiers>;

/** A tier as the provider posts it (`volume_tier_info`): UTILITY, India, `25000001:50000000`, 2026-12. */
export interface PostedTier {
  category: string;
  region: string;
  tier: string;
  month: string;
}
