import { isIP } from 'node:net';
import { encodeVarints, decodeVarints } from './varint.ts';

/**
 * The networks of data centres, from which automated clients call. Identified by the first 24 bits of an IPv4 address and the first 48 of
 * an IPv6 address, the smallest ranges that are routed; see docs/decisions/data-centre-networks.md.
 */
export interface NetworkRanges {
  /** First and last /24 (IPv4) or /48 (IPv6) of each range, sorted, without overlap. */
  starts: readonly number[];
  ends: readonly number[];
  /** The autonomous system number of each range. */
  asns: readonly number[];
}
export interface DataCentres {
  ipv4: NetworkRanges;
  ipv6: NetworkRanges;
}

/** The autonomous system of the data centre that an address belongs to; undefined when it belongs to none that is known. */
export const asnOf = (address: string, { ipv4, ipv6 }: DataCentres): number | undefined => {
  const family = isIP(address);
  if (family === 0) return undefined;
  const { starts, ends, asns } = family === 4 ? ipv4 : ipv6;
  const range = networkRangeOf(address);
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= range) low = middle + 1;
    else high = middle;
  }
  return low > 0 && range <= (ends[low - 1] ?? -1) ? asns[low - 1] : undefined;
};

/** The first 24 bits of an IPv4 address, the first 48 of an IPv6 one. */
export const networkRangeOf = (address: string): number => {
  const isV4 = isIP(address) === 4;
  // an IPv6 address with an IPv4 tail has its last two groups there; they are not needed
  const parts = isV4 ? address.split('.') : (address.split('::')[0]?.split(':').filter(Boolean) ?? []);
  const [a = 0, b = 0, c = 0] = parts.map((part) => Number.parseInt(part, isV4 ? 10 : 16));
  return isV4 ? a * 65_536 + b * 256 + c : a * 2 ** 32 + b * 65_536 + c;
};

/** The file format: the number of ranges; then for each the distance from the one before, its length, and its autonomous system. */
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
