import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../shared/table/entity.ts';

/**
 * Items and queue messages as a version of the product stored them, for later versions to read. With RECORD_GOLDEN=<version> the test apps of a
 * run add what their tables and queues held, a few of each kind: docs/decisions/stored-data.md.
 */
export type Golden = Record<string, Record<string, unknown>[]>;

const folder = join(import.meta.dirname, '../golden');

export const goldenFile = (version: string, what: 'items' | 'messages'): string => join(folder, version, `${what}.json`);

/** Binary values are base64 text in a file. */
export const readGolden = (version: string, what: 'items' | 'messages'): Golden => {
  const file = goldenFile(version, what);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8'), withBytes) as Golden) : {};
};

/** Adds what differs in its attributes from what is there: at most three of a kind, each as small as was seen. */
export const recordGolden = (what: 'items' | 'messages', seen: Golden): void => {
  const version = process.env['RECORD_GOLDEN'];
  if (!version) return;
  const golden = readGolden(version, what);
  for (const [kind, values] of Object.entries(seen)) {
    const known = new Map((golden[kind] ?? []).map((value) => [attributesOf(value), value]));
    for (const value of values) {
      const size = written(value).length;
      const former = known.get(attributesOf(value));
      if (size <= largest && (former ? size < written(former).length : known.size < most)) known.set(attributesOf(value), value);
    }
    golden[kind] = [...known.values()];
  }
  mkdirSync(join(folder, version), { recursive: true });
  const lines = Object.entries(golden)
    .filter(([, values]) => values.length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, values]) => `${JSON.stringify(kind)}: [\n${values.map((value) => ` ${written(value)}`).join(',\n')}\n]`);
  writeFileSync(goldenFile(version, what), `{\n${lines.join(',\n')}\n}\n`);
};

/** The kind of a stored item. Some were written without one, or with an attribute of that name in its place: they are known by their key. */
export const kindOf = (item: Record<string, unknown>): string => {
  const places = registry.filter(({ example }) => isLike(String(item['pk']), example.pk) && isLike(String(item['sk']), example.sk));
  return (places.find(({ name }) => name === item['kind']) ?? places[0])?.name ?? String(item['kind']);
};

const isLike = (key: string, example: string): boolean =>
  new RegExp(
    `^${example
      .split(/<[^>]*>/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+')}$`,
  ).test(key);

const most = 3;
const largest = 3_000;

const attributesOf = (value: Record<string, unknown>): string => Object.keys(value).toSorted().join();

const written = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (each instanceof Uint8Array ? { $bytes: Buffer.from(each).toString('base64') } : each));

const withBytes = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && '$bytes' in value ? Uint8Array.from(Buffer.from(String(value.$bytes), 'base64')) : value;
