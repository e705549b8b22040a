import { hourMs } from '../../../shared/runtime/clock.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { bombingBlockMs, secondsUntil } from '../domain/request-budget.ts';
import {
  callsInMinute,
  identifiersSince,
  refusal,
  requestsOf,
  reserveSourceCall,
  type RequestSource,
  type SourceCall,
  type SourceId,
  updateSource,
} from '../store/source.ts';
import { type BlockSubject, recordBlock, recordIdentifierBlock } from './block-records.ts';
import type { CompleteProfile } from './profile.ts';
import { callLimitExceeded, rateHeaders } from './rate-limit.ts';

export interface RequestLimits {
  headers: Record<string, string>;
  /** Identifiers that the source address requested within the hour. */
  identifierCount: number;
  /** The source address requested too many identifiers, or is still blocked for it. */
  velocity?: Problem<'velocity_limit'>;
  /** The source address requested this identifier too often, or is still refused for it. */
  bombing?: Problem<'otp_bombing'>;
}

/**
 * Counts a call of /request and, for an address, the requested identifier, in one write before any decision; see
 * docs/decisions/verification-count-before-check.md. 1 WRU; when a block begins 2 more.
 */
export const checkRequestLimits = async (
  profile: CompleteProfile,
  credentialId: number,
  address: string,
  counted: { identifierHash: string | undefined; requested: BlockSubject | undefined },
  at: number,
): Promise<RequestLimits | Problem<'rate_limited'>> => {
  const { identifierHash } = counted;
  const { velocity, bombing } = profile.settings;
  const requested = counted.requested && { ...counted.requested, windowMs: bombing.window_seconds * 1_000 };
  const id: SourceId = { companyId: profile.companyId, profileId: profile.id, address };
  const until =
    Math.floor(at / 1_000) + Math.max(velocity.window_seconds, velocity.block_seconds, 4 * bombing.block_seconds, 86_400) + 3_600;
  const reserved = await reserveSourceCall(id, credentialId, { identifierHash, requested }, at, until);
  if (!reserved.done) {
    const calls = reserved.current ? callsInMinute(reserved.current, credentialId, at) : 0;
    if (calls >= callsPerMinute) return callLimitExceeded(at);
    const blockedUntil = reserved.current?.blockedUntil ?? at;
    return { headers: rateHeaders(calls, at), identifierCount: 0, velocity: velocityExceeded(blockedUntil, at) };
  }
  const headers = rateHeaders(callsInMinute(reserved.item, credentialId, at), at);
  return {
    headers,
    ...(await checkVelocity(profile, id, reserved.item, identifierHash, at)),
    ...(requested ? await checkBombing(profile, id, { source: reserved.item, requested }, at) : {}),
  };
};

/** A source that requests one identifier again and again is refused for it; other sources are not (V15). */
async function checkBombing(
  profile: CompleteProfile,
  id: SourceId,
  { source, requested }: { source: RequestSource; requested: NonNullable<SourceCall['requested']> & BlockSubject },
  at: number,
): Promise<Pick<RequestLimits, 'bombing'>> {
  const { count, refusedUntil, refusals } = requestsOf(source, requested, at);
  const refused = (untilMs: number) => ({ bombing: problem('otp_bombing', { retryAfterSeconds: secondsUntil(untilMs, at) }) });
  if (refusedUntil > at) return refused(refusedUntil);
  if (count <= profile.settings.bombing.max_requests) return {};
  const untilMs = at + bombingBlockMs(profile.settings, refusals);
  await recordIdentifierBlock(profile, requested, { reason: 'otp_bombing', blockedUntil: untilMs, address: id.address }, at);
  await updateSource(id, refusal(requested.identifierHash, untilMs, refusals + 1), []);
  return refused(untilMs);
}

async function checkVelocity(
  profile: CompleteProfile,
  id: SourceId,
  source: RequestSource,
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
