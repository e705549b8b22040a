import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { hourMs } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { breakerMinimum, countedWithin, countryPrefix, isPumping, prefixOf } from '../domain/prefix.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { getProofs, type PrefixCounts, type PrefixId, reservePrefixRequest, updatePrefix } from '../store/prefix.ts';
import { recordBlock } from './block-records.ts';
import type { VerificationRequest } from './build-request.ts';
import type { CompleteProfile } from './profile.ts';

/**
 * Until when calls with a public key are slowed for the phone number: its prefix, or its country at this profile, is being pumped, or this
 * request shows it. `counts`: of the requests before, counted from the change stream and so at most two seconds old (rule V15). From the
 * thirtieth number in the hour on 0.5 RRU. A breaker stops no server of the company.
 */
export const openBreakerUntil = async (
  { profile, identifier, country, isTrusted, at }: Pick<VerificationRequest, 'profile' | 'identifier' | 'country' | 'isTrusted' | 'at'>,
  counts: PrefixCounts | undefined,
  pumped: ReadonlySet<string>,
): Promise<number | undefined> => {
  if (identifier.kind !== 'phone' || isTrusted) return undefined;
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix: prefixOf(identifier.value) };
  const openUntil = counts?.blockedUntil ?? 0;
  if (openUntil > at) return openUntil;
  if (country !== undefined && pumped.has(country)) return at + hourMs / 6;
  const requested = countedWithin(counts, at) + 1;
  if (requested < breakerMinimum) return undefined;
  const proven = countedWithin(await getProofs(id), at);
  if (!isPumping(requested, proven)) return undefined;
  await openBreaker(profile, id, { blockedUntil: at + hourMs, reason: 'prefix_conversion' }, at);
  return at + hourMs;
};

/** Applies the hourly limit of a country, where the profile has one: public keys and servers of the company have one each. 1 WRU. */
export const checkCountryLimit = async ({
  profile,
  identifier,
  country,
  isTrusted,
  at,
}: Pick<VerificationRequest, 'profile' | 'identifier' | 'country' | 'isTrusted' | 'at'>): Promise<Problem<'fraud_blocked'> | undefined> => {
  const maxPerHour = profile.settings.countries.max_per_hour;
  if (identifier.kind !== 'phone' || maxPerHour === null || country === undefined) return undefined;
  const id: PrefixId = { companyId: profile.companyId, profileId: profile.id, prefix: countryPrefix(country, isTrusted) };
  const reserved = await reservePrefixRequest(id, at);
  if (!reserved.done) return fraudBlocked(reserved.current?.blockedUntil ?? at, at);
  // blocked until the oldest bucket of the hour has passed
  if (countedWithin(reserved.item, at) <= maxPerHour) return undefined;
  await openBreaker(profile, id, { blockedUntil: at + hourMs / 6, reason: 'country_cap' }, at);
  return fraudBlocked(at + hourMs / 6, at);
};

/** Verified requests of a prefix within the hour, for the risk score. 0.5 RRU. */
export const countProofs = async (profile: CompleteProfile, prefix: string, at: number): Promise<number> =>
  countedWithin(await getProofs({ companyId: profile.companyId, profileId: profile.id, prefix }), at);

async function openBreaker(
  profile: CompleteProfile,
  id: PrefixId,
  { blockedUntil, reason }: { blockedUntil: number; reason: string },
  at: number,
): Promise<void> {
  const shown = id.prefix.startsWith('P') ? `+${id.prefix.slice(1)}…` : id.prefix.slice(1);
  await recordBlock(profile, { subjectKind: 'prefix', subject: id.prefix, shown, reason, blockedUntil }, at);
  await updatePrefix(id, { blockedUntil });
  metric('CodeAbuse', 'Count', 1, {}, { code: reason });
}

export const fraudBlocked = (blockedUntil: number, at: number): Problem<'fraud_blocked'> =>
  problem('fraud_blocked', { retryAfterSeconds: secondsUntil(blockedUntil, at) });
