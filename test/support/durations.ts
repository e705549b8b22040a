import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const path = join(import.meta.dirname, 'durations.json');
const recorded = z.object({ files: z.record(z.string(), z.number()), suites: z.record(z.string(), z.number()) });

/** Shorter ones are not worth a line: started last, they delay no run. */
const worthALineSeconds = 2;

/** How long test files and suites took, in seconds, in the last run with `RECORD_DURATIONS=1` (`npm test`, `npm run test:product`, `npm run test:all`). */
export const durations = recorded.parse(JSON.parse(readFileSync(path, 'utf8')));

/** Orders what is named, the longest first. What has no duration goes first: it may be long. */
export const longestFirst = <Item>(items: readonly Item[], secondsOf: (item: Item) => number | undefined): Item[] =>
  items.toSorted((a, b) => (secondsOf(b) ?? Infinity) - (secondsOf(a) ?? Infinity) || 0);

/** Writes what a run took in place of what it took before, and forgets files that are gone. Does nothing unless `RECORD_DURATIONS` is set. */
export const recordDurations = (kind: 'files' | 'suites', seconds: Readonly<Record<string, number>>): void => {
  if (!process.env['RECORD_DURATIONS']) return;
  const { files, suites } = recorded.parse(JSON.parse(readFileSync(path, 'utf8')));
  const now = { files, suites, [kind]: { ...(kind === 'files' ? files : suites), ...rounded(seconds) } };
  const isThere = ([file]: [string, number]): boolean => existsSync(join(import.meta.dirname, '../..', file));
  const sorted = { files: inOrder(now.files, isThere), suites: inOrder(now.suites) };
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
};

const rounded = (seconds: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, Math.round(value)]));

const inOrder = (seconds: Record<string, number>, isListed: (entry: [string, number]) => boolean = () => true): Record<string, number> =>
  Object.fromEntries(
    Object.entries(seconds)
      .filter((entry) => entry[1] >= worthALineSeconds && isListed(entry))
      .toSorted(([nameA, a], [nameB, b]) => b - a || nameA.localeCompare(nameB)),
  );
