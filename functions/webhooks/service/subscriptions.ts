import { now } from '../../../shared/runtime/clock.ts';
import { setting } from '../../../shared/runtime/env.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import type { Subscription } from '../domain/subscription.ts';
import { getSubscriptions } from '../store/subscriptions.ts';

/**
 * The subscriptions by company; a worker reads them again when they are older than WEBHOOK_CACHE_MS. A company's events so cost one read
 * every few seconds in each worker. No event is lost: a request that changes endpoints waits that long (`waitForSubscriptionCaches`).
 */
export const cachedSubscriptionsOf = async (companyIds: readonly number[]): Promise<ReadonlyMap<number, readonly Subscription[]>> => {
  const at = readClocks();
  const lifeMs = Number(setting('WEBHOOK_CACHE_MS'));
  const unknown = companyIds.filter((id) => !isFresh(cache.get(id), at, lifeMs));
  if (unknown.length > 0) {
    const found = new Map((await getSubscriptions(unknown)).map(({ companyId, endpoints }) => [companyId, endpoints]));
    if (cache.size > maxCachedCompanies) cache.clear();
    // as old as the moment before the question
    for (const id of unknown) cache.set(id, { at, endpoints: found.get(id) ?? [] });
  }
  return new Map(companyIds.map((id) => [id, cache.get(id)?.endpoints ?? []]));
};

/** Until no worker believes anything older than now; a tenth longer, because timers and clocks are not exact. */
export const waitForSubscriptionCaches = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 1.1 * Number(setting('WEBHOOK_CACHE_MS'))));

interface CachedSubscriptions {
  at: ClockReading;
  endpoints: readonly Subscription[];
}
const cache = processMap<number, CachedSubscriptions>();
const maxCachedCompanies = 20_000;

/** By two clocks: one may be moved, the other may stand still while a worker is frozen. The greater age counts. */
interface ClockReading {
  wall: number;
  running: number;
}
const readClocks = (): ClockReading => ({ wall: now(), running: performance.now() });

function isFresh(held: CachedSubscriptions | undefined, at: ClockReading, lifeMs: number): held is CachedSubscriptions {
  return held !== undefined && Math.max(at.wall - held.at.wall, at.running - held.at.running) < lifeMs;
}
