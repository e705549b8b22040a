import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  asnOf,
  networkRangeOf,
  type NetworkRanges,
  encodeDataCentres,
  decodeDataCentres,
} from '../../functions/verification/domain/data-centre.ts';
import { getDataCentreAsn } from '../../functions/verification/service/data-centres.ts';

test.each([
  ['3.5.140.1', 16_509],
  ['159.89.1.1', 14_061],
  ['88.198.0.1', 24_940],
  ['2a01:4f8::1', 24_940],
  ['2600:1f18:1234:5678::1', 14_618],
  ['2606:4700::1', undefined],
  ['84.56.1.1', undefined],
  ['73.1.1.1', undefined],
  ['192.0.2.1', undefined],
  ['2001:db8::1', undefined],
  ['::1', undefined],
  ['not an address', undefined],
])('%s is of %s', async (address, asn) => expect(await getDataCentreAsn(address)).toBe(asn));

const networks = fc
  .array(fc.tuple(fc.nat({ max: 2 ** 24 }), fc.nat({ max: 300 }), fc.nat()), { maxLength: 40 })
  .map((given): NetworkRanges => {
    const all: { start: number; end: number; asn: number }[] = [];
    for (const [gap, more, asn] of given) {
      const start = (all.at(-1)?.end ?? -1) + 1 + gap;
      all.push({ start, end: start + more, asn });
    }
    return { starts: all.map(({ start }) => start), ends: all.map(({ end }) => end), asns: all.map(({ asn }) => asn) };
  });

test('what is packed is read back, and every block of a network is found in it, none beside it', () =>
  fc.assert(
    fc.property(networks, networks, (ipv4, ipv6) => {
      expect(decodeDataCentres(encodeDataCentres({ ipv4, ipv6 }))).toEqual({ ipv4, ipv6 });
      const inside = { starts: [10, 20], ends: [12, 20], asns: [1, 2] };
      const found = [9, 10, 11, 12, 13, 20, 21].map((block) => asnOf(`0.0.${block}.7`, { ipv4: inside, ipv6 }));
      expect(found).toEqual([undefined, 1, 1, 1, undefined, 2, undefined]);
    }),
  ));

test('a block is the first 24 bits of one family, the first 48 of the other', () => {
  expect(networkRangeOf('1.2.3.4')).toBe(0x010203);
  expect(networkRangeOf('2001:db8:7::1')).toBe(0x20010db80007);
  expect(networkRangeOf('2001:db8::7')).toBe(0x20010db80000);
});
