import type { LimitClass } from '../contract/route.ts';
import type { Problem } from '../contract/problems.ts';
import { now } from '../runtime/clock.ts';
import { processMap } from '../runtime/memory.ts';
import { addressLimited, countAddressRequest, type RateState } from './credential.ts';
import { networkOf } from './network.ts';
import { windowOf } from './window.ts';

/**
 * Refused credentials are counted by address (decision G12): after 60 in a minute the address gets 429 for secrets that are not
 * valid, without a write in processes that know it. Receivers have a count of their own, because the providers that post to all companies have few addresses.
 */
export type RefusalClass = Extract<LimitClass, 'refused_credentials' | 'refused_receivers'>;

interface Limited {
  problem: Problem<'rate_limited'>;
  rate: RateState;
}

/** By class and network: the minute in which it has used up its refusals. */
const limitedIn = processMap<string, number>();
const maxNetworks = 10_000;
const keyOf = (limit: RefusalClass, address: string): string => `${limit} ${networkOf(address)}`;

/** The problem of an address that this process knows to be beyond the limit. */
export const refusalsLimit = (limit: RefusalClass, address: string): Limited | undefined => {
  const at = now();
  return limitedIn.get(keyOf(limit, address)) === windowOf(at) ? addressLimited(limit, at) : undefined;
};

/**
 * Counts a refused credential, 1 WRU. A problem when the address was beyond the limit already. Texts that cannot be a token are refused
 * without the table (G14): the first ten of a minute are counted in the process only, and written with the eleventh.
 */
export const countRefusedCredential = async (limit: RefusalClass, address: string, isWellFormed: boolean): Promise<Limited | undefined> => {
  const window = windowOf(now());
  const key = keyOf(limit, address);
  const held = malformedIn.get(key);
  const malformed = isWellFormed ? 0 : 1 + (held?.window === window ? held.count : 0);
  if (malformed > 0) putLast(malformedIn, key, { window, count: malformed });
  if (malformed > 0 && malformed <= uncountedMalformed) return undefined;
  const { rate, problem } = await countAddressRequest(address, limit, malformed === uncountedMalformed + 1 ? malformed : 1);
  if (rate.remaining === 0) putLast(limitedIn, key, window);
  return problem && { problem, rate };
};

const uncountedMalformed = 10;
/** By class and network: texts that cannot be a token. */
const malformedIn = processMap<string, { window: number; count: number }>();

/** The oldest entry is the first, and leaves when there are too many. */
function putLast<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  if (entries.size >= maxNetworks) entries.delete(entries.keys().next().value ?? '');
  entries.set(key, value);
}
