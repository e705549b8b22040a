import { windowEndSeconds } from '../../../shared/access/window.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { type RateId, reserveCall } from '../store/rate.ts';

/** Reserves one of the calls of this minute: the rate limit headers of the response, or the refusal with the same headers. 1 WRU. */
export const limitCallRate = async (id: RateId): Promise<{ headers: Record<string, string> } | Problem<'rate_limited'>> => {
  const at = now();
  const used = await reserveCall(id, at);
  return used === undefined ? callLimitExceeded(at) : { headers: rateHeaders(used, at) };
};

/** The rate limit headers after `used` calls of this minute; `undefined` when the limit is exceeded. */
export const rateHeaders = (used: number | undefined, at: number): Record<string, string> => ({
  'x-ratelimit-limit': String(callsPerMinute),
  'x-ratelimit-remaining': String(Math.max(0, callsPerMinute - (used ?? callsPerMinute))),
  'x-ratelimit-reset': String(windowEndSeconds(at)),
});

export const callLimitExceeded = (at: number): Problem<'rate_limited'> =>
  problem('rate_limited', {
    message: `More than ${callsPerMinute} requests a minute.`,
    retryAfterSeconds: Math.max(1, Math.ceil(windowEndSeconds(at) - at / 1_000)),
    headers: rateHeaders(undefined, at),
  });
