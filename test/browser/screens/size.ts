import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { languages } from '../../../console/text/text.ts';
import { consoleFolders } from '../../../lib/console/config.ts';

const root = join(import.meta.dirname, '../../..');
const built = join(root, consoleFolders.built);
const assets = readdirSync(join(built, 'assets'));
const textOf = (name: string): string => readFileSync(join(built, 'assets', name), 'utf8');
const size = (name: string): number => gzipSync(textOf(name), { level: 9 }).length;

/** Chunks that a chunk needs before it runs. */
const importsOf = (name: string): string[] =>
  [...textOf(name).matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, each]) => each ?? '');

const withImports = (names: readonly string[]): Set<string> => {
  const all = new Set<string>();
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    importsOf(name).forEach(add);
  };
  names.forEach(add);
  return all;
};

const entries = [...readFileSync(join(built, 'index.html'), 'utf8').matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name]) => name ?? '');
const chunksOf = (...sources: readonly RegExp[]): string[] =>
  assets.filter((name) => name.endsWith('.js') && sources.some((each) => each.test(name)));
/** What the inbox needs: entry, frame, list, the place of a thread, and their texts in one language. */
const firstPageIn = (language: string): Set<string> =>
  withImports([...entries, ...chunksOf(/^inbox-/, /^none-/, /^thread-/, new RegExp(`^text-${language}-(first-page|inbox)-`))]);
const firstPage = firstPageIn('de');

describe('the built console', () => {
  test.each(languages)(
    'needs at most 180 KB of compressed script for its first page, the inbox with a thread, in %s and no other language',
    (language) => {
      const needed = [...firstPageIn(language)];
      expect(entries.length).toBeGreaterThan(0);
      expect(needed.length).toBeGreaterThan(5);
      expect(needed.flatMap((name) => /^text-[a-z]{2}-/.exec(name) ?? [])).toEqual([`text-${language}-`, `text-${language}-`]);
      const sum = needed.reduce((total, name) => total + size(name), 0);
      expect(sum).toBeLessThanOrEqual(180 * 1024);
    },
  );

  test('has no other chunk of more than 70 KB', () => {
    const others = assets.filter((name) => name.endsWith('.js') && !firstPage.has(name));
    expect(others.filter((name) => size(name) > 70 * 1024)).toEqual([]);
  });

  test('has at most 20 KB of styles', () => {
    const sum = assets.filter((name) => name.endsWith('.css')).reduce((total, name) => total + size(name), 0);
    expect(sum).toBeGreaterThan(1_000);
    expect(sum).toBeLessThanOrEqual(20 * 1024);
  });

  test('has nothing of the phone simulator, which is in the folder of the laptop', () => {
    const controls = /timeout_after_accept|provider\/inbound|hold_statuses/;
    const local = readdirSync(join(root, consoleFolders.builtForLaptop)).filter((name) => name.endsWith('.js'));
    expect(local.some((name) => controls.test(readFileSync(join(root, consoleFolders.builtForLaptop, name), 'utf8')))).toBe(true);
    expect(assets.filter((name) => controls.test(textOf(name)))).toEqual([]);
    expect(readdirSync(built)).not.toContain('local');
  });
});
