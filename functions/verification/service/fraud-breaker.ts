import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { breakerMinimum, countedWithin, countryPrefix, hourMs, isPumping } from '../domain/prefix.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { getProofs, type PrefixCounts, type PrefixId, reservePrefixRequest, updatePrefix } from '../store/prefix.ts';
import { recordBlock } from './block-records.ts';
import type { Profile } from './profile.ts';

/**
 * Whether a phone prefix is blocked, or this request of it shows that it is pumping. `counts`: of the requests before, counted from the
 * change stream and so at most two seconds old (rule V15). From the thirtieth in the hour on 0.5 RRU.
 */
export const checkPrefix = async (
  profile: Profile,
  prefix: string,
  counts: PrefixCounts | undefined,
  at: number,
): Promise<Problem<'fraud_blocked'> | undefined> => {
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix };
  if ((counts?.blockedUntil ?? 0) > at) return fraudBlocked(counts?.blockedUntil ?? at, at);
  const requested = countedWithin(counts, at) + 1;
  if (requested < breakerMinimum) return undefined;
  const proven = countedWithin(await getProofs(id), at);
  return isPumping(requested, proven) ? openBreaker(profile, id, at + hourMs, 'prefix_conversion', at) : undefined;
};

/** Applies the hourly limit of a country, where the profile has one. 1 WRU. */
export const checkCountry = async (
  profile: Profile,
  country: string | undefined,
  at: number,
): Promise<Problem<'fraud_blocked'> | undefined> => {
  const maxPerHour = profile.settings.countries.max_per_hour;
  if (maxPerHour === null || country === undefined) return undefined;
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix: countryPrefix(country) };
  const reserved = await reservePrefixRequest(id, at);
  if (!reserved.done) return fraudBlocked(reserved.current?.blockedUntil ?? at, at);
  // blocked until the oldest bucket of the hour has passed
  return countedWithin(reserved.item, at) > maxPerHour ? openBreaker(profile, id, at + hourMs / 6, 'country_cap', at) : undefined;
};

/** Verified requests of a prefix within the hour, for the risk score. 0.5 RRU. */
export const countProofs = async (profile: Profile, prefix: string, at: number): Promise<number> =>
  countedWithin(await getProofs({ companyId: profile.companyId, profileId: profile.id, prefix }), at);

async function openBreaker(
  profile: Profile,
  id: PrefixId,
  blockedUntil: number,
  reason: string,
  at: number,
): Promise<Problem<'fraud_blocked'>> {
  const shown = id.prefix.startsWith('P') ? `+${id.prefix.slice(1)}…` : id.prefix.slice(1);
  await recordBlock(profile, { subjectKind: 'prefix', subject: id.prefix, shown, reason, blockedUntil }, at);
  await updatePrefix(id, { blockedUntil });
  metric('BreakerTrips', 'Count', 1, {}, { code: reason });
  return fraudBlocked(blockedUntil, at);
}

const fraudBlocked = (blockedUntil: number, at: number): Problem<'fraud_blocked'> =>
  problem('fraud_blocked', { retryAfterSeconds: secondsUntil(blockedUntil, at) });
