import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkRangeOf, type NetworkRanges, encodeDataCentres } from '../../functions/verification/domain/data-centre.ts';

/**
 * Whose machines are for rent to everybody, and who serves hardly any people from the same networks. Left out on purpose: those through
 * which people reach the internet as well (Cloudflare, Apple's relay, Google's own network, Zscaler).
 */
const hosts: Readonly<Record<string, readonly number[]>> = {
  'Alibaba Cloud': [37_963, 45_102],
  'Amazon Web Services': [8_987, 14_618, 16_509],
  ColoCrossing: [36_352],
  Contabo: [40_021, 51_167],
  DataCamp: [60_068, 212_238],
  DigitalOcean: [14_061, 62_567],
  'FranTech (BuyVM)': [53_667],
  GleSYS: [42_708],
  'Google Cloud': [396_982],
  Hetzner: [24_940, 212_317, 213_230],
  Hivelocity: [29_802],
  Hostinger: [47_583],
  Hostwinds: [54_290],
  'Huawei Cloud': [55_990, 136_907],
  'IBM Cloud': [36_351],
  InterServer: [19_318],
  IONOS: [8_560],
  Leaseweb: [28_753, 30_633, 59_253, 60_781, 394_380, 395_954],
  'Linode (Akamai)': [63_949],
  M247: [9_009],
  'Microsoft Azure': [8_075],
  Multacom: [35_916],
  Namecheap: [22_612],
  netcup: [197_540],
  'Oracle Cloud': [31_898],
  OVHcloud: [16_276, 35_540],
  Psychz: [40_676],
  QuadraNet: [8_100],
  Scaleway: [12_876],
  'Tencent Cloud': [45_090, 132_203],
  UpCloud: [202_053],
  Vultr: [20_473],
  WorldStream: [49_981],
};
const wanted = new Set(Object.values(hosts).flat());

/** The file of functions/verification/domain/data-centre.ts, from the lists of the package `@ip-location-db/asn` in a folder. */
export const dataCentresFrom = (folder: string): Buffer =>
  encodeDataCentres({ ipv4: networksIn(join(folder, 'asn-ipv4.csv')), ipv6: networksIn(join(folder, 'asn-ipv6.csv')) });

function networksIn(file: string): NetworkRanges {
  const found = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(',', 3))
    .filter(([, , asn]) => wanted.has(Number(asn)))
    .map(([first = '', last = '', asn]) => ({ start: networkRangeOf(first), end: networkRangeOf(last), asn: Number(asn) }))
    .toSorted((a, b) => a.start - b.start);
  const merged: typeof found = [];
  for (const each of found) {
    const before = merged.at(-1);
    // where two share a block it is the first one's; what follows without a gap and is the same one's is one network
    const start = before ? Math.max(each.start, before.end + 1) : each.start;
    if (start > each.end) continue;
    if (before && before.asn === each.asn && before.end + 1 === start) before.end = each.end;
    else merged.push({ ...each, start });
  }
  return { starts: merged.map(({ start }) => start), ends: merged.map(({ end }) => end), asns: merged.map(({ asn }) => asn) };
}
