/**
 * The prefix breaker against SMS pumping: of a prefix (a phone number without its last four digits) many numbers are requested and few
 * verified. Requests with a public key count, each number once an hour. Counted in buckets of ten minutes, of which the last seven make the
 * hour. Times are epoch milliseconds.
 */
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

/** Beyond so many numbers each request counts: the breaker has long opened. */
const maxNumbers = 100;
const numberField = /^n:/;

/** The row with one more number, which counts once an hour, however often it is requested. */
export const withNumber = <R extends Record<string, unknown>>(row: R, identifierHash: string, at: number): R => {
  const name = `n:${identifierHash.slice(0, 10)}`;
  const since = at - bucketsAnHour * bucketMs;
  const current = Object.fromEntries(Object.entries(row).filter(([field, when]) => !numberField.test(field) || Number(when) > since)) as R;
  if (current[name] !== undefined) return current;
  const counted = withIncrement(current, at);
  return Object.keys(current).filter((field) => numberField.test(field)).length < maxNumbers ? { ...counted, [name]: at } : counted;
};

/** The prefix that a phone number is counted by. */
export const prefixOf = (e164: string): string => `P${e164.slice(1, -4)}`;
/** Requests of a country by public keys, and those by servers of the company, which public keys do not use up. */
export const countryPrefix = (country: string, isTrusted: boolean): string => `${isTrusted ? 'S' : 'L'}${country}`;

/** Whether the breaker of a prefix opens: at least 30 numbers were requested, fewer than a tenth verified. */
export const isPumping = (requested: number, proven: number): boolean => requested >= breakerMinimum && proven < requested * 0.1;
/** Whether that of a country opens for a profile: a ring that spreads over prefixes stays below their minimum. */
export const isCountryPumping = (requested: number, proven: number): boolean => requested >= 100 && proven < requested * 0.1;
export const breakerMinimum = 30;

/** Whether a prefix raises the risk score: at least 20 requests, fewer than three tenths of them verified. */
export const isSuspicious = (requested: number, proven: number): boolean => requested >= 20 && proven < requested * 0.3;
