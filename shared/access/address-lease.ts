import type { Problem } from '../contract/problems.ts';
import { type LimitClass, limits } from '../contract/route.ts';
import { now } from '../runtime/clock.ts';
import { processMap } from '../runtime/memory.ts';
import { pattern } from '../table/pattern.ts';
import { addressLimited, addressLimitEntity, type RateState } from './credential.ts';
import { networkOf } from './network.ts';
import { countInWindow, windowEndSeconds, windowOf } from './window.ts';

/**
 * The limit of an address beside the limit of its credential, counted in leases of at most 20 calls by each process (rule V16). A lease
 * begins with two and grows, so that an office behind one address, whose calls meet many processes, does not use up its minute by leases
 * that it does not need. The limit itself is exact: what all processes lease never exceeds it.
 */
interface Lease {
  window: number;
  left: number;
  /** Of the next one. */
  size: number;
  /** The minute is used up. */
  isExhausted: boolean;
  /** The next one is being counted: calls of the moment wait for it, in place of leasing apart. */
  renewal?: Promise<void> | undefined;
}
const leases = processMap<string, Lease>();
const maxLeases = 10_000;
const [firstSize, maxSize] = [2, 20];

/** Counts a call of an address; with a problem beyond the limit of the minute. 1 WRU a lease. */
export const countLeasedAddressRequest = async (
  address: string,
  limit: LimitClass,
): Promise<{ problem: Problem<'rate_limited'>; rate: RateState } | undefined> => {
  const at = now();
  const network = networkOf(address);
  const key = `${limit} ${network}`;
  const held = leases.get(key);
  const lease = held?.window === windowOf(at) ? held : { window: windowOf(at), left: 0, size: firstSize, isExhausted: false };
  if (lease !== held) {
    if (leases.size >= maxLeases) leases.clear();
    leases.set(key, lease);
  }
  while (lease.left === 0 && !lease.isExhausted) {
    lease.renewal ??= renew(lease, network, limit, at).finally(() => (lease.renewal = undefined));
    await lease.renewal;
  }
  if (lease.left === 0) return addressLimited(limit, at);
  lease.left--;
  return undefined;
};

async function renew(lease: Lease, network: string, limit: LimitClass, at: number): Promise<void> {
  for (const calls of [lease.size, 1]) {
    if (!(await leaseAddressRequests(network, limit, calls, at))) continue;
    lease.left += calls;
    lease.size = Math.min(maxSize, lease.size * 2);
    return;
  }
  lease.isExhausted = true;
}

/** Counts calls of a network within its limit of the minute; false: it has fewer left. */
const leaseAddressRequests = pattern(
  { question: 'calls of an address, counted ahead for a process', entity: 'address-limit', by: 'UpdateItem', units: '1 WRU' },
  async (address: string, limit: LimitClass, calls: number, at: number): Promise<boolean> => {
    const count = countInWindow(limit, limits[limit].perMinute - calls + 1, at, calls);
    const until = windowEndSeconds(at) + 3_600;
    const id = { address, limit };
    return (await addressLimitEntity.change(id, { ...count.change, set: { ...id, until, ttl: until } }, count.condition)).done;
  },
);
