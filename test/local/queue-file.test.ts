import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shrinkQueueFile } from '../../lib/local/queue-file.ts';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'switchboard-queue-file-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const messages = 200;

/** A file of 20 MB, of which so many messages stay. */
const fileWith = (left: number): string => {
  const file = join(folder, `${left}.db`);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT)');
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?)');
  for (let id = 0; id < messages; id++) insert.run(id, 'x'.repeat(100_000));
  database.prepare('DELETE FROM messages WHERE id >= ?').run(left);
  database.close();
  return file;
};
const idsIn = (file: string): unknown[] => {
  const database = new DatabaseSync(file);
  const rows = database.prepare('SELECT id FROM messages ORDER BY id').all();
  database.close();
  return rows.map(({ id }) => id);
};

test('a queue file that is mostly free shrinks, and keeps what waits', () => {
  const file = fileWith(3);
  expect(statSync(file).size).toBeGreaterThan(16_000_000);
  shrinkQueueFile(file);
  expect(statSync(file).size).toBeLessThan(1_000_000);
  expect(idsIn(file)).toEqual([0, 1, 2]);
});

test('one that is mostly used stays as it is', () => {
  const file = fileWith(150);
  const { size } = statSync(file);
  shrinkQueueFile(file);
  expect(statSync(file).size).toBe(size);
});

test('none at all is no error', () => {
  expect(() => shrinkQueueFile(join(folder, 'none.db'))).not.toThrow();
});
