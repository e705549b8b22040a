import { isIPv6 } from 'node:net';

/** The network of an address as logs name it: enough to trace an attack to its provider, too little to identify a household. */
export const sourceNetworkOf = (address: string): string => {
  const network = networkOf(address);
  if (network.endsWith('::/64')) return `${network.split(':').slice(0, 3).join(':')}::/48`;
  const parts = network.split('.');
  return parts.length === 4 ? `${parts.slice(0, 3).join('.')}.0/24` : 'unknown';
};

/** The network that rate limits count: an IPv4 address, or the /64 of an IPv6 address, because a subscriber gets a whole /64. */
export const networkOf = (address: string): string => {
  // the test for IPv6 compiles a long expression, for nothing where there is no colon
  if (!address.includes(':') || address.includes('.') || !isIPv6(address)) return address;
  const [start = '', end = ''] = address.split('::');
  const left = start.split(':').filter(Boolean);
  const right = end.split(':').filter(Boolean);
  const groups = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};
