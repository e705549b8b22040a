/**
 * The prefix breaker (decision V15): a number less its last four digits that asks for many codes and proves few is somebody pumping
 * messages. Counted in buckets of ten minutes; the last seven of them are the hour. Times are epoch milliseconds.
 */
export const hourMs = 3_600_000;
const bucketMs = 600_000;
const bucketsAnHour = 7;

const bucketOf = (at: number): number => Math.floor(at / bucketMs);
type BucketField = `b:${number}`;
const field = (bucket: number): BucketField => `b:${bucket}`;

export const bucketField = (at: number): BucketField => field(bucketOf(at));

/** The fields of the hour before the last: a row lives two hours after its last count, so there are no older ones. */
export const expiredBucketFields = (at: number): BucketField[] =>
  Array.from({ length: 12 }, (_, back) => field(bucketOf(at) - bucketsAnHour - back));

export const isBucketField = (name: string): name is BucketField => name.startsWith('b:');

/** What was counted in a row within the last hour. */
export const countedWithin = (row: Readonly<Record<string, unknown>> | undefined, at: number): number =>
  Array.from({ length: bucketsAnHour }, (_, back) => Number(row?.[field(bucketOf(at) - back)] ?? 0)).reduce((sum, count) => sum + count, 0);

/** A row with one more count, the old ones left out. */
export const withIncrement = <R extends Record<string, unknown>>(row: R, at: number): R => {
  const fresh = Object.fromEntries(
    Object.entries(row).filter(([name]) => !isBucketField(name) || Number(name.slice(2)) > bucketOf(at) - bucketsAnHour),
  );
  return { ...fresh, [bucketField(at)]: Number(row[bucketField(at)] ?? 0) + 1 } as R;
};

/** The group of numbers that a number is counted with. */
export const prefixOf = (e164: string): string => `P${e164.slice(1, -4)}`;
export const countryPrefix = (country: string): string => `L${country}`;

/** Whether a prefix is to be shut for an hour: at least 30 asked for, fewer than a tenth proven. */
export const isPumping = (asked: number, proven: number): boolean => asked >= breakerMinimum && proven < asked * 0.1;
export const breakerMinimum = 30;

/** Whether a prefix makes a CAPTCHA due (V13): at least 20 asked for, fewer than three tenths proven. */
export const isSuspicious = (asked: number, proven: number): boolean => asked >= 20 && proven < asked * 0.3;
