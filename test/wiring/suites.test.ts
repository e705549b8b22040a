import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leftOutRuns } from '../support/product-runs.ts';
import { suitesOf } from '../support/suites.ts';
import { crashAtMissedPoints, struckIn } from '../support/missed-points.ts';
import { sourceFiles } from './imports.ts';

const root = join(import.meta.dirname, '../..');
const suites = suitesOf('4');
/** Files that some suite runs at more than the size of `npm test`. */
const atSize = new Set(suites.filter(({ env }) => 'RUN_SIZE' in env || 'SEEDS' in env).flatMap(({ files }) => files));

const runSizeFile = 'test/support/run-size.ts';
const files = sourceFiles('test').filter(({ path }) => !path.startsWith('test/support/'));
const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** What a helper exports that has a size: `whereShared` of test/contract/fixture.ts. */
const sizedNamesIn = (text: string): string[] =>
  text.split(/^(?=export )/m).flatMap((part) => {
    const name = /^export (?:const|(?:async )?function\*?) (\w+)/.exec(part)?.[1];
    return name !== undefined && /\b(runSize|isFullSize)\(/.test(part) ? [name] : [];
  });
const sizedHelpers = files
  .filter(({ path, loaded }) => !isTest(path) && loaded.includes(runSizeFile))
  .flatMap(({ path, text }) => sizedNamesIn(text).map((name) => ({ path, name })));

const sizedTests = files
  .filter(
    ({ path, loaded, text }) =>
      isTest(path) &&
      (loaded.includes(runSizeFile) ||
        sizedHelpers.some((helper) => loaded.includes(helper.path) && new RegExp(`\\b${helper.name}\\b`).test(text))),
  )
  .map(({ path }) => path);

describe('the thorough tests', () => {
  test('run every test file that has a full size at that size', () => {
    expect(sizedTests.length).toBeGreaterThan(30);
    expect(sizedTests.filter((path) => !atSize.has(path))).toEqual([]);
  });

  test('run every test file that npm test leaves out', () => {
    const isLeftOut = (path: string): boolean => leftOutRuns.some((pattern) => matchesGlob(path, pattern));
    const leftOut = files.map(({ path }) => path).filter(isLeftOut);
    expect(leftOut.length).toBeGreaterThan(leftOutRuns.length);
    const run = new Set(suites.flatMap((suite) => suite.files));
    expect(leftOut.filter((path) => !run.has(path))).toEqual([]);
  });

  test('see a size that a helper gives to its test file', () => {
    expect(sizedHelpers.map(({ name }) => name)).toContain('whereShared');
    expect(sizedTests).toEqual(expect.arrayContaining(['test/contract/access.test.ts', 'test/flows/laptop.test.ts']));
    expect(sizedNamesIn('export const a = 1;\nexport const b = () => runSize(1, 2);\nexport const c = 3;\n')).toEqual(['b']);
  });

  test('name only files that are there', () => {
    expect(suites.flatMap((suite) => suite.files).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('the fault suites', () => {
  const sources = suites
    .filter(({ injectsFaults }) => injectsFaults)
    .map(({ name, files: [path], isMutated }) => ({ name, isMutated, text: files.find((file) => file.path === path)?.text ?? '' }));

  test('run on the product as it is: none puts something in the place of a module of it', () => {
    expect(sources.length).toBeGreaterThan(9);
    expect(sources.filter(({ text }) => text === '' || text.includes('vi.mock(')).map(({ name }) => name)).toEqual([]);
  });

  test('name the conditions by which they hold, where they are run once more without these', () => {
    expect(sources.filter(({ isMutated, text }) => isMutated !== text.includes('holdsBy(')).map(({ name }) => name)).toEqual([]);
  });
});

describe('points that no suite struck', () => {
  const runOf = (name: string, reached: readonly string[], struck: readonly string[]) => ({
    name,
    reached: new Set(reached),
    struck: new Set(struck),
  });

  test('are sought by a suite that passed them, until they are struck; what another suite struck is not', async () => {
    const runs = [runOf('a', ['1', '2'], ['1']), runOf('b', ['2', '3', '4'], ['2'])];
    const rerun: unknown[] = [];
    await crashAtMissedPoints(runs, (run, sought) => {
      rerun.push([run.name, sought]);
      return Promise.resolve(new Set([sought[0] ?? '', 'of another turn']));
    });
    expect(rerun).toEqual([
      ['b', ['3', '4']],
      ['b', ['4']],
    ]);
    expect([...struckIn(runs)].toSorted()).toEqual(['1', '2', '3', '4']);
  });

  test('stay missed when three more runs did not strike them', async () => {
    const runs = [runOf('a', ['1'], [])];
    let count = 0;
    await crashAtMissedPoints(runs, () => Promise.resolve(new Set(++count > 3 ? ['1'] : [])));
    expect([count, struckIn(runs).size]).toEqual([3, 0]);
  });
});
