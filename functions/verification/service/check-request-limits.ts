import { windowEndSeconds } from '../../../shared/access/window.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { hourMs } from '../domain/prefix.ts';
import { callsInMinute, updateSource, reserveSourceCall, identifiersSince, type Source, type SourceId } from '../store/source.ts';
import type { Profile } from './caller.ts';
import { recordBlock } from './block-records.ts';

/** The headers of the limit (decision V16), as they stand after `used` calls; undefined: beyond it. */
export const rateHeaders = (used: number | undefined, at: number): Record<string, string> => ({
  'x-ratelimit-limit': String(callsPerMinute),
  'x-ratelimit-remaining': String(Math.max(0, callsPerMinute - (used ?? callsPerMinute))),
  'x-ratelimit-reset': String(windowEndSeconds(at)),
});

export const tooManyCalls = (at: number): Problem<'rate_limited'> =>
  problem('rate_limited', {
    message: `More than ${callsPerMinute} requests a minute.`,
    retryAfterSeconds: Math.max(1, Math.ceil(windowEndSeconds(at) - at / 1_000)),
    headers: rateHeaders(undefined, at),
  });

export interface RequestLimits {
  headers: Record<string, string>;
  /** Identifiers that the address asked for within the hour. */
  identifiers: number;
  /** Too many of them, or blocked for it before. */
  velocity?: Problem<'velocity_limit'>;
}

/**
 * Counts a call of /request and, for an address, the identifier it asks for: both before anything is decided, in one write (V15, V16).
 * `person` undefined: there is nobody to note. 1 WRU; at the moment of a block 2 more.
 */
export const checkRequestLimits = async (
  profile: Profile,
  credentialId: number,
  address: string,
  person: string | undefined,
  at: number,
): Promise<RequestLimits | Problem<'rate_limited'>> => {
  const { velocity } = profile.settings;
  const id: SourceId = { companyId: profile.companyId, profileId: profile.id, address };
  const until = Math.floor(at / 1_000) + Math.max(velocity.window_seconds, velocity.block_seconds, 3_600) + 3_600;
  const noted = await reserveSourceCall(id, credentialId, person, at, until);
  if (!noted.done) {
    const calls = noted.current ? callsInMinute(noted.current, credentialId, at) : 0;
    if (calls >= callsPerMinute) return tooManyCalls(at);
    const blockedUntil = noted.current?.blockedUntil ?? at;
    return { headers: rateHeaders(calls, at), identifiers: 0, velocity: velocityExceeded(blockedUntil, at) };
  }
  const headers = rateHeaders(callsInMinute(noted.item, credentialId, at), at);
  return { headers, ...(await checkVelocity(profile, id, noted.item, person, at)) };
};

async function checkVelocity(
  profile: Profile,
  id: SourceId,
  source: Source,
  person: string | undefined,
  at: number,
): Promise<Omit<RequestLimits, 'headers'>> {
  const { velocity } = profile.settings;
  const { fresh, stale } = identifiersSince(source, at - velocity.window_seconds * 1_000, at);
  const identifiers = identifiersSince(source, at - hourMs, at).fresh;
  if (person === undefined || fresh <= velocity.max_identifiers) {
    if (stale.length > 10) await updateSource(id, {}, stale.slice(0, 100));
    return { identifiers };
  }
  const blockedUntil = at + velocity.block_seconds * 1_000;
  await recordBlock(profile, { kind: 'ip', subject: id.address, shown: id.address, reason: 'velocity_limit', blockedUntil }, at);
  await updateSource(id, { blockedUntil }, stale.slice(0, 100));
  return { identifiers, velocity: velocityExceeded(blockedUntil, at) };
}

const velocityExceeded = (blockedUntil: number, at: number): Problem<'velocity_limit'> =>
  problem('velocity_limit', { retryAfterSeconds: secondsUntil(blockedUntil, at) });
