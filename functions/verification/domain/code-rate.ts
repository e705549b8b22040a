import { bucketMs, hourMs } from './prefix.ts';

/**
 * Attempts and verified codes of a profile within the hour, in buckets of ten minutes: whether codes are tried at many identifiers at once,
 * which no budget of one identifier notices.
 */
export interface CodeRate {
  attempts: number;
  verified: number;
}
type RateField = `${'a' | 'v'}:${number}`;
const field = (kind: 'a' | 'v', bucket: number): RateField => `${kind}:${bucket}`;
const bucketOf = (at: number): number => Math.floor(at / bucketMs);
const bucketsAnHour = hourMs / bucketMs;

/** The row with more of one kind, without the buckets that no hour counts any more. */
export const withCount = <R extends Record<string, unknown>>(row: R, kind: 'a' | 'v', by: number, at: number): R => {
  const current = Object.fromEntries(
    Object.entries(row).filter(([name]) => !/^[av]:\d+$/.test(name) || Number(name.slice(2)) >= bucketOf(at) - bucketsAnHour),
  );
  const name = field(kind, bucketOf(at));
  return { ...current, [name]: Number(row[name] ?? 0) + by } as R;
};

export const rateOf = (row: Readonly<Record<string, unknown>> | undefined, at: number): CodeRate => {
  const sum = (kind: 'a' | 'v'): number =>
    Array.from({ length: bucketsAnHour + 1 }, (_, back) => Number(row?.[field(kind, bucketOf(at) - back)] ?? 0)).reduce((a, b) => a + b, 0);
  return { attempts: sum('a'), verified: sum('v') };
};

/** At least a hundred wrong codes within the hour, and more than three for each right one; usually it is one for three. */
export const isSprayed = ({ attempts, verified }: CodeRate): boolean => attempts - verified >= 100 && attempts - verified > 3 * verified;

/** Characters that a code has more while wrong codes are frequent. */
export const longerCodeLength = (length: number): number => Math.min(10, length + 2);
