import { dayMs } from '../runtime/clock.ts';

/**
 * The versions of the provider's API, oldest first, with the day on which each ends; undefined: not announced. A call with an ended version is served by
 * the oldest live one, and the answer's header `facebook-api-version` says so.
 * https://developers.facebook.com/docs/graph-api/changelog/versions/ (read 2026-10-29; the end of v26.0 follows from the rule of two years)
 */
const ends: readonly (readonly [version: string, end: string | undefined])[] = [
  ['v19.0', '2026-05-21'],
  ['v20.0', '2026-09-24'],
  ['v21.0', '2027-01-21'],
  ['v22.0', '2027-05-20'],
  ['v23.0', '2027-10-08'],
  ['v24.0', '2028-02-18'],
  ['v25.0', '2028-07-29'],
  ['v26.0', '2028-11-04'],
  ['v27.0', undefined],
];

/** The version to move to from one that ends. */
export const currentVersion = 'v25.0';
/** The header of the provider's answers with the version that served the call. */
export const versionHeader = 'facebook-api-version';

/** The day on which a version ends, in ISO form; undefined: not known, as for those older or newer than the table. */
export const versionEnd = (version: string): string | undefined => ends.find(([each]) => each === version)?.[1];

/** Whether a version has ended at a time, epoch milliseconds. Versions older than the table have; of newer ones nothing is known. */
export const hasEnded = (version: string, at: number): boolean => {
  const end = versionEnd(version);
  if (end !== undefined) return Date.parse(end) <= at;
  return isOlder(version, ends[0]?.[0] ?? version);
};

/** Whole days until a version ends, rounded up; undefined: no end is known. */
export const daysUntilEnd = (version: string, at: number): number | undefined => {
  const end = versionEnd(version);
  return end === undefined ? undefined : Math.ceil((Date.parse(end) - at) / dayMs);
};

/** The version that serves a call of this one: the oldest live one in place of one that has ended. */
export const servedVersion = (version: string, at: number): string => {
  if (!hasEnded(version, at)) return version;
  return ends.find(([each]) => !hasEnded(each, at))?.[0] ?? version;
};

/** Whether the provider has had a version of this name: others are paths that it does not know. */
export const isKnownVersion = (version: string): boolean =>
  /^v[1-9]\d*\.\d+$/.test(version) && !isOlder(ends.at(-1)?.[0] ?? version, version);

const isOlder = (version: string, than: string): boolean => Number(version.slice(1)) < Number(than.slice(1));
