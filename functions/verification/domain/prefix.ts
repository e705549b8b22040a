/**
 * The prefix breaker against SMS pumping: a prefix (a phone number without its last four digits) that requests many codes and verifies
 * few is blocked. Counted in buckets of ten minutes, of which the last seven make the hour. Times are epoch milliseconds.
 */
export const hourMs = 3_600_000;
export const bucketMs = 600_000;
const bucketsAnHour = 7;

const bucketOf = (at: number): number => Math.floor(at / bucketMs);
type BucketField = `b:${number}`;
const field = (bucket: number): BucketField => `b:${bucket}`;

export const bucketField = (at: number): BucketField => field(bucketOf(at));

/** The fields of the hour before the last. A row expires two hours after its last count, so it has no older ones. */
export const expiredBucketFields = (at: number): BucketField[] =>
  Array.from({ length: 12 }, (_, back) => field(bucketOf(at) - bucketsAnHour - back));

export const isBucketField = (name: string): name is BucketField => name.startsWith('b:');

/** The sum of a row's buckets of the last hour. */
export const countedWithin = (row: Readonly<Record<string, unknown>> | undefined, at: number): number =>
  Array.from({ length: bucketsAnHour }, (_, back) => Number(row?.[field(bucketOf(at) - back)] ?? 0)).reduce((sum, count) => sum + count, 0);

/** The row with one more count, without its expired buckets. */
export const withIncrement = <R extends Record<string, unknown>>(row: R, at: number): R => {
  const current = Object.fromEntries(
    Object.entries(row).filter(([name]) => !isBucketField(name) || Number(name.slice(2)) > bucketOf(at) - bucketsAnHour),
  );
  return { ...current, [bucketField(at)]: Number(row[bucketField(at)] ?? 0) + 1 } as R;
};

/** The prefix that a phone number is counted by. */
export const prefixOf = (e164: string): string => `P${e164.slice(1, -4)}`;
export const countryPrefix = (country: string): string => `L${country}`;

/** Whether a prefix is blocked for an hour: at least 30 requests, fewer than a tenth of them verified. */
export const isPumping = (requested: number, proven: number): boolean => requested >= breakerMinimum && proven < requested * 0.1;
export const breakerMinimum = 30;

/** Whether a prefix raises the risk score: at least 20 requests, fewer than three tenths of them verified. */
export const isSuspicious = (requested: number, proven: number): boolean => requested >= 20 && proven < requested * 0.3;
