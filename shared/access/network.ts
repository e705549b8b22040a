import { isIPv6 } from 'node:net';

/** The network that rate limits count: an IPv4 address, or the /64 of an IPv6 address, because a subscriber gets a whole /64. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [start = '', end = ''] = address.split('::');
  const left = start.split(':').filter(Boolean);
  const right = end.split(':').filter(Boolean);
  const groups = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};
