import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Smaller files are left alone. */
const leastBytes = 16_000_000;

/**
 * Frees the disk space of messages that are gone: SQLite keeps it for later ones, and after a large campaign that is most of the file. Called
 * before the queue emulator opens the file.
 */
export const shrinkQueueFile = (file: string): void => {
  if (!existsSync(file) || statSync(file).size < leastBytes) return;
  const database = new DatabaseSync(file);
  try {
    if (2 * pragma(database, 'freelist_count') > pragma(database, 'page_count')) database.exec('VACUUM');
  } finally {
    database.close();
  }
};

const pragma = (database: DatabaseSync, name: 'freelist_count' | 'page_count'): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
