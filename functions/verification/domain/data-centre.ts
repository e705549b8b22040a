import { isIP } from 'node:net';
import { encodeVarints, decodeVarints } from './varint.ts';

/**
 * The networks of data centres (decision V13): machines live there, people hardly. Told apart by the first 24 bits of an IPv4 address and
 * the first 48 of an IPv6 one, the smallest parts that the internet routes.
 */
export interface NetworkRanges {
  /** First and last block of each, sorted, none within another. */
  starts: readonly number[];
  ends: readonly number[];
  /** Whose each is: the number of an autonomous system. */
  asns: readonly number[];
}
export interface DataCentres {
  ipv4: NetworkRanges;
  ipv6: NetworkRanges;
}

/** Whose data centre an address lies in; undefined: it is in none that is known. */
export const asnOf = (address: string, { ipv4, ipv6 }: DataCentres): number | undefined => {
  const family = isIP(address);
  if (family === 0) return undefined;
  const { starts, ends, asns } = family === 4 ? ipv4 : ipv6;
  const block = networkRangeOf(address);
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= block) low = middle + 1;
    else high = middle;
  }
  return low > 0 && block <= (ends[low - 1] ?? -1) ? asns[low - 1] : undefined;
};

/** The first 24 bits of an IPv4 address, the first 48 of an IPv6 one. */
export const networkRangeOf = (address: string): number => {
  const isV4 = isIP(address) === 4;
  // an address that ends in dots has its last two groups there, which are not looked at
  const parts = isV4 ? address.split('.') : (address.split('::')[0]?.split(':').filter(Boolean) ?? []);
  const [a = 0, b = 0, c = 0] = parts.map((part) => Number.parseInt(part, isV4 ? 10 : 16));
  return isV4 ? a * 65_536 + b * 256 + c : a * 2 ** 32 + b * 65_536 + c;
};

/** As a file: how many there are; then of each the blocks since the one before it, the blocks it has beyond its first, and whose it is. */
export const encodeDataCentres = ({ ipv4, ipv6 }: DataCentres): Buffer => encodeVarints([ipv4, ipv6].flatMap(toNumbers));

export const decodeDataCentres = (bytes: Uint8Array): DataCentres => {
  const numbers = decodeVarints(bytes);
  const after = 1 + 3 * (numbers[0] ?? 0);
  return { ipv4: toNetworkRanges(numbers.slice(1, after)), ipv6: toNetworkRanges(numbers.slice(after + 1)) };
};

function toNumbers({ starts, ends, asns }: NetworkRanges): number[] {
  const each = starts.flatMap((start, nth) => [start - (ends[nth - 1] ?? 0), (ends[nth] ?? start) - start, asns[nth] ?? 0]);
  return [starts.length, ...each];
}

function toNetworkRanges(numbers: readonly number[]): NetworkRanges {
  const [starts, ends, asns]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < numbers.length; at += 3) {
    const start = (ends.at(-1) ?? 0) + (numbers[at] ?? 0);
    starts.push(start);
    ends.push(start + (numbers[at + 1] ?? 0));
    asns.push(numbers[at + 2] ?? 0);
  }
  return { starts, ends, asns };
}
