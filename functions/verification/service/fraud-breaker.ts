import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { breakerMinimum, countedWithin, countryPrefix, hourMs, isPumping } from '../domain/prefix.ts';
import { updatePrefix, reservePrefixRequest, getPrefix, getProofs, type PrefixId } from '../store/prefix.ts';
import { recordBlock } from './block-records.ts';
import type { Profile } from './caller.ts';

/** Counts a request for its prefix, then decides (V15). 1 WRU; from the thirtieth in the hour on also 0.5 RRU. */
export const checkPrefix = async (profile: Profile, prefix: string, at: number): Promise<Problem<'fraud_blocked'> | undefined> => {
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix };
  const counted = await reservePrefixRequest(id, at);
  if (!counted.done) return fraudBlocked(counted.current?.blockedUntil ?? at, at);
  const asked = countedWithin(counted.item, at);
  if (asked < breakerMinimum) return undefined;
  const proven = countedWithin(await getProofs(id), at);
  return isPumping(asked, proven) ? openBreaker(profile, id, at + hourMs, 'prefix_conversion', at) : undefined;
};

/** The hourly cap of a country, where the profile has one: 1 WRU. */
export const checkCountry = async (
  profile: Profile,
  country: string | undefined,
  at: number,
): Promise<Problem<'fraud_blocked'> | undefined> => {
  const cap = profile.settings.countries.max_per_hour;
  if (cap === null || country === undefined) return undefined;
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix: countryPrefix(country) };
  const counted = await reservePrefixRequest(id, at);
  if (!counted.done) return fraudBlocked(counted.current?.blockedUntil ?? at, at);
  // until the oldest bucket of the hour is left behind
  return countedWithin(counted.item, at) > cap ? openBreaker(profile, id, at + hourMs / 6, 'country_cap', at) : undefined;
};

/** The hour of a prefix, for a CAPTCHA by risk. 1 RRU. */
export const getPrefixCounts = async (profile: Profile, prefix: string, at: number): Promise<{ asked: number; proven: number }> => {
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix };
  const [asked, proven] = await Promise.all([getPrefix(id), getProofs(id)]);
  return { asked: countedWithin(asked, at), proven: countedWithin(proven, at) };
};

async function openBreaker(
  profile: Profile,
  id: PrefixId,
  blockedUntil: number,
  reason: string,
  at: number,
): Promise<Problem<'fraud_blocked'>> {
  const shown = id.prefix.startsWith('P') ? `+${id.prefix.slice(1)}…` : id.prefix.slice(1);
  await recordBlock(profile, { kind: 'prefix', subject: id.prefix, shown, reason, blockedUntil }, at);
  await updatePrefix(id, { blockedUntil });
  return fraudBlocked(blockedUntil, at);
}

const fraudBlocked = (blockedUntil: number, at: number): Problem<'fraud_blocked'> =>
  problem('fraud_blocked', { retryAfterSeconds: secondsUntil(blockedUntil, at) });
