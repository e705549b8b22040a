import type { LimitClass } from '../contract/route.ts';
import type { Problem } from '../contract/problems.ts';
import { now } from '../runtime/clock.ts';
import { addressLimited, countAddressRequest, type RateState } from './credential.ts';
import { networkOf } from './network.ts';
import { windowOf } from './window.ts';

/**
 * Refused credentials are counted by address (decision G12): after 60 in a minute the address gets 429, without a call to the table in
 * processes that know it. Receivers have a count of their own, because the providers that post to all companies have few addresses.
 */
export type RefusalClass = Extract<LimitClass, 'refused_credentials' | 'refused_receivers'>;

interface Limited {
  problem: Problem<'rate_limited'>;
  rate: RateState;
}

/** By class and network: the minute in which it has used up its refusals. */
const limitedIn = new Map<string, number>();
const maxNetworks = 10_000;
const keyOf = (limit: RefusalClass, address: string): string => `${limit} ${networkOf(address)}`;

/** The problem of an address that this process knows to be beyond the limit. */
export const refusalsLimit = (limit: RefusalClass, address: string): Limited | undefined => {
  const at = now();
  return limitedIn.get(keyOf(limit, address)) === windowOf(at) ? addressLimited(limit, at) : undefined;
};

/** Counts a refused credential, 1 WRU. A problem when the address was beyond the limit already. */
export const countRefusal = async (limit: RefusalClass, address: string): Promise<Limited | undefined> => {
  const window = windowOf(now());
  const { rate, problem } = await countAddressRequest(address, limit);
  if (rate.remaining === 0) {
    // the oldest entry is the first
    if (limitedIn.size >= maxNetworks) limitedIn.delete(limitedIn.keys().next().value ?? '');
    limitedIn.delete(keyOf(limit, address));
    limitedIn.set(keyOf(limit, address), window);
  }
  return problem && { problem, rate };
};
