import { BlockList, isIP } from 'node:net';

/** Whether an address is in a list of addresses and networks (`10.0.0.0/8`, `2001:db8::/32`). */
export const isInNetworks = (ip: string, networks: readonly string[]): boolean => {
  const family = isIP(ip);
  if (family === 0) return false;
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  return list.check(ip, family === 6 ? 'ipv6' : 'ipv4');
};

export const isNetwork = (value: string): boolean => addNetwork(new BlockList(), value);

/** Whether all addresses of a network are in one of the others. */
export const isWithinNetworks = (network: string, others: readonly string[]): boolean => {
  const [address = '', length] = partsOf(network);
  return others.some((other) => Number(partsOf(other)[1]) <= Number(length) && isInNetworks(address, [other]));
};

function addNetwork(list: BlockList, network: string): boolean {
  const [address, bits] = partsOf(network);
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(bits)) return false;
  const length = Number(bits);
  if (length > (family === 6 ? 128 : 32)) return false;
  list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
  return true;
}

/** An address alone is the network of itself. */
function partsOf(network: string): [address: string, bits: string] {
  const [address = '', bits] = network.split('/');
  return [address, bits ?? (isIP(address) === 6 ? '128' : '32')];
}
