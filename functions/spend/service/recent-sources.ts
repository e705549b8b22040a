import { now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import type { RateSource } from '../domain/card.ts';
import { listRateCurrencies } from './currencies.ts';
import { listRateSources } from './rate-cards.ts';
import { rateDayOf } from './rate-day.ts';

/** Where the prices of today come from, in the memory of a process. The cards of a day change with an import alone. */

const sourcesAgeMs = 600_000;
const maxRemembered = 1_000;

interface Remembered<T> {
  found: readonly T[];
  readAt: number;
}
const sources = processMap<string, Remembered<RateSource>>();
const currencies = processMap<number, Remembered<string>>();

/** `noneAgeMs`: for how long a process goes by that there is nothing; by default a first card holds at once. */
export interface RecentOptions {
  noneAgeMs?: number;
}

/** The sources of today's prices in a currency. 1 to 1.5 RRU for each card, every ten minutes. */
export const getRecentSources = (companyId: number, currency: string, options: RecentOptions = {}): Promise<readonly RateSource[]> =>
  remembered(sources, `${companyId}:${currency}`, options, async () => listRateSources(companyId, currency, await rateDayOf(companyId)));

/** The currencies that have a card for the company. 1 RRU or more for each, every ten minutes. */
export const getRecentCurrencies = (companyId: number, options: RecentOptions = {}): Promise<readonly string[]> =>
  remembered(currencies, companyId, options, () => listRateCurrencies(companyId));

async function remembered<K, T>(
  memory: Map<K, Remembered<T>>,
  key: K,
  { noneAgeMs = 0 }: RecentOptions,
  read: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const known = memory.get(key);
  const ageMs = known && Math.abs(now() - known.readAt);
  if (known && ageMs !== undefined && ageMs < (known.found.length > 0 ? sourcesAgeMs : noneAgeMs)) return known.found;
  const found = await read();
  if (memory.size >= maxRemembered) memory.clear();
  memory.set(key, { found, readAt: now() });
  return found;
}
