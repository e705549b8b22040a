/** The simulator's one file. Written in WAL mode: what was committed survives a killed process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Opens or creates `provider.db` in the folder. */
export function openDatabase(folder: string): DatabaseSync {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'provider.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
  database.exec(tables);
  // files of before typing indicators, charges, free entry points and max prices were recorded
  addColumn(database, 'receipts', 'typing', 'INTEGER NOT NULL DEFAULT 0');
  addColumn(database, 'messages', 'pricing_type', "TEXT NOT NULL DEFAULT 'regular'");
  addColumn(database, 'messages', 'cost', 'TEXT');
  addColumn(database, 'people', 'entry_at', 'INTEGER NOT NULL DEFAULT 0');
  return database;
}

function addColumn(database: DatabaseSync, table: string, column: string, type: string): void {
  const columns = database.prepare(`PRAGMA table_info(${table})`).all();
  if (!columns.some(({ name }) => name === column)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
}

/**
 * `planned` and `posted` are sets of bits, one per status: a message is finished when they are equal, and only the others are indexed.
 * `seq` is the order of acceptance.
 */
const tables = `
CREATE TABLE IF NOT EXISTS numbers (id TEXT PRIMARY KEY, doc TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS templates (id TEXT PRIMARY KEY, doc TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS blocked_names (waba_id TEXT, name TEXT, until INTEGER NOT NULL, PRIMARY KEY (waba_id, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS media (id TEXT PRIMARY KEY, doc TEXT NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, doc TEXT NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS people (
  phone_number_id TEXT, user TEXT, inbound_at INTEGER NOT NULL DEFAULT 0, marketing_stopped INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (phone_number_id, user)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
  seq INTEGER PRIMARY KEY, wamid TEXT NOT NULL, phone_number_id TEXT NOT NULL, recipient TEXT NOT NULL, type TEXT NOT NULL,
  category TEXT NOT NULL, reference TEXT, payload TEXT NOT NULL, at INTEGER NOT NULL, version TEXT NOT NULL, error INTEGER,
  planned INTEGER NOT NULL, posted INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS receipts (
  seq INTEGER PRIMARY KEY, phone_number_id TEXT NOT NULL, wamid TEXT NOT NULL, at INTEGER NOT NULL, typing INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS clicks (seq INTEGER PRIMARY KEY, wamid TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS messages_unfinished ON messages (seq) WHERE planned <> posted;
CREATE TABLE IF NOT EXISTS updates (id INTEGER PRIMARY KEY, phone_number_id TEXT NOT NULL, due_at INTEGER NOT NULL, doc TEXT NOT NULL);
`;
