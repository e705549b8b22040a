import { hourMs } from '../../../shared/runtime/clock.ts';
import { bucketMs, isCountryPumping } from './prefix.ts';

/**
 * Attempts and verified codes of a profile within the hour, in buckets of ten minutes: whether codes are tried at many identifiers at once,
 * which no budget of one identifier notices. Beside them, by country, the requests with a public key (`rDE`) and the verified ones (`pDE`).
 */
export interface CodeRate {
  attempts: number;
  verified: number;
}
export type RateKind = 'a' | 'v' | `r${string}` | `p${string}`;
const fieldPattern = /^([av]|[rp][A-Z]{2}):(\d+)$/;
const field = (kind: RateKind, bucket: number) => `${kind}:${bucket}` as const;
const bucketOf = (at: number): number => Math.floor(at / bucketMs);
const bucketsAnHour = hourMs / bucketMs;

/** The row with more of one kind, without the buckets that no hour counts any more. */
export const withCodeCount = <R extends Record<string, unknown>>(row: R, kind: RateKind, by: number, at: number): R => {
  const current = Object.fromEntries(
    Object.entries(row).filter(([name]) => {
      const bucket = fieldPattern.exec(name)?.[2];
      return bucket === undefined || Number(bucket) >= bucketOf(at) - bucketsAnHour;
    }),
  );
  const name = field(kind, bucketOf(at));
  return { ...current, [name]: Number(row[name] ?? 0) + by } as R;
};

export const rateOf = (row: Readonly<Record<string, unknown>> | undefined, at: number): CodeRate => {
  return { attempts: countOf(row, 'a', at), verified: countOf(row, 'v', at) };
};

const countOf = (row: Readonly<Record<string, unknown>> | undefined, kind: RateKind, at: number): number =>
  Array.from({ length: bucketsAnHour + 1 }, (_, back) => Number(row?.[field(kind, bucketOf(at) - back)] ?? 0)).reduce((a, b) => a + b, 0);

/** The countries of which public keys request many codes and verify few. */
export const pumpedCountries = (row: Readonly<Record<string, unknown>> | undefined, at: number): Set<string> => {
  const requested = Object.keys(row ?? {}).flatMap((name) => /^r([A-Z]{2}):/.exec(name)?.[1] ?? []);
  return new Set(requested.filter((country) => isCountryPumping(countOf(row, `r${country}`, at), countOf(row, `p${country}`, at))));
};

/** At least a hundred wrong codes within the hour, and more than three for each right one; usually it is one for three. */
export const isSprayed = ({ attempts, verified }: CodeRate): boolean => attempts - verified >= 100 && attempts - verified > 3 * verified;

/** Characters that a code has more while wrong codes are frequent. */
export const longerCodeLength = (length: number): number => Math.min(10, length + 2);
