import { dayMs } from '../../../shared/runtime/clock.ts';

/** Decision V33: how long after an attempt the next one comes, seconds. Eleven attempts, about 69 hours. */
export const retryDelaysSeconds = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400] as const;
export const maxDeliveryAttempts = retryDelaysSeconds.length + 1;

const jitter = 0.1;
const maxDelayMs = dayMs;

/**
 * When to try again after `attempts` attempts, epoch milliseconds; undefined: that was the last. `chance` (0 to 1) spreads by a tenth
 * either way. A receiver that names its own time (Retry-After) gets it, up to a day, but not sooner than planned.
 */
export const nextDeliveryAttemptAt = (attempts: number, nowMs: number, chance: number, retryAfterMs?: number): number | undefined => {
  const wait = retryDelaysSeconds[attempts - 1];
  if (wait === undefined) return undefined;
  const planned = wait * 1_000 * (1 - jitter + 2 * jitter * chance);
  return nowMs + Math.round(Math.min(maxDelayMs * (1 + jitter), Math.max(planned, Math.min(retryAfterMs ?? 0, maxDelayMs))));
};

/** Retry-After in seconds or as a date; undefined when it is neither. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
};

/** An endpoint is disabled when every attempt has failed for this long. */
export const failingLimitMs = 5 * dayMs;

/** An endpoint that responds more slowly than this, or fails, belongs to the queue class of failing endpoints. */
export const slowResponseMs = 3_000;
