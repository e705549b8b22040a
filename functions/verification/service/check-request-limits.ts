import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { hourMs } from '../domain/prefix.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { callsInMinute, identifiersSince, reserveSourceCall, type Source, type SourceId, updateSource } from '../store/source.ts';
import { recordBlock } from './block-records.ts';
import type { Profile } from './profile.ts';
import { callLimitExceeded, rateHeaders } from './rate-limit.ts';

export interface RequestLimits {
  headers: Record<string, string>;
  /** Identifiers that the source address requested within the hour. */
  identifierCount: number;
  /** The source address requested too many identifiers, or is still blocked for it. */
  velocity?: Problem<'velocity_limit'>;
}

/**
 * Counts a call of /request and, for an address, the requested identifier, in one write before any decision; see
 * docs/decisions/verification-count-before-check.md. 1 WRU; when a block begins 2 more.
 */
export const checkRequestLimits = async (
  profile: Profile,
  credentialId: number,
  address: string,
  identifierHash: string | undefined,
  at: number,
): Promise<RequestLimits | Problem<'rate_limited'>> => {
  const { velocity } = profile.settings;
  const id: SourceId = { companyId: profile.companyId, profileId: profile.id, address };
  const until = Math.floor(at / 1_000) + Math.max(velocity.window_seconds, velocity.block_seconds, 3_600) + 3_600;
  const reserved = await reserveSourceCall(id, credentialId, identifierHash, at, until);
  if (!reserved.done) {
    const calls = reserved.current ? callsInMinute(reserved.current, credentialId, at) : 0;
    if (calls >= callsPerMinute) return callLimitExceeded(at);
    const blockedUntil = reserved.current?.blockedUntil ?? at;
    return { headers: rateHeaders(calls, at), identifierCount: 0, velocity: velocityExceeded(blockedUntil, at) };
  }
  const headers = rateHeaders(callsInMinute(reserved.item, credentialId, at), at);
  return { headers, ...(await checkVelocity(profile, id, reserved.item, identifierHash, at)) };
};

async function checkVelocity(
  profile: Profile,
  id: SourceId,
  source: Source,
  identifierHash: string | undefined,
  at: number,
): Promise<Omit<RequestLimits, 'headers'>> {
  const { velocity } = profile.settings;
  const { recent, expiredFields } = identifiersSince(source, at - velocity.window_seconds * 1_000, at);
  const identifierCount = identifiersSince(source, at - hourMs, at).recent;
  if (identifierHash === undefined || recent <= velocity.max_identifiers) {
    if (expiredFields.length > 10) await updateSource(id, {}, expiredFields.slice(0, 100));
    return { identifierCount };
  }
  const blockedUntil = at + velocity.block_seconds * 1_000;
  await recordBlock(profile, { subjectKind: 'ip', subject: id.address, shown: id.address, reason: 'velocity_limit', blockedUntil }, at);
  await updateSource(id, { blockedUntil }, expiredFields.slice(0, 100));
  return { identifierCount, velocity: velocityExceeded(blockedUntil, at) };
}

const velocityExceeded = (blockedUntil: number, at: number): Problem<'velocity_limit'> =>
  problem('velocity_limit', { retryAfterSeconds: secondsUntil(blockedUntil, at) });
