import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { breakerMinimum, countedWithin, countryPrefix, hourMs, isPumping } from '../domain/prefix.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { getPrefix, getProofs, type PrefixId, reservePrefixRequest, updatePrefix } from '../store/prefix.ts';
import { recordBlock } from './block-records.ts';
import type { Profile } from './profile.ts';

/** Counts a request of a phone prefix, then decides whether the prefix is pumping. 1 WRU; from the thirtieth in the hour on also 0.5 RRU. */
export const checkPrefix = async (profile: Profile, prefix: string, at: number): Promise<Problem<'fraud_blocked'> | undefined> => {
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix };
  const reserved = await reservePrefixRequest(id, at);
  if (!reserved.done) return fraudBlocked(reserved.current?.blockedUntil ?? at, at);
  const requested = countedWithin(reserved.item, at);
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

/** What a prefix requested and proved within the hour, for the risk score. 1 RRU. */
export const getPrefixCounts = async (profile: Profile, prefix: string, at: number): Promise<{ requested: number; proven: number }> => {
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix };
  const [requested, proven] = await Promise.all([getPrefix(id), getProofs(id)]);
  return { requested: countedWithin(requested, at), proven: countedWithin(proven, at) };
};

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
