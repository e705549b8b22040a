import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { tableName } from '../shared/table/client.ts';
import { tableSchema } from '../shared/table/schema.ts';
import { itemToWire, type WireValue } from '../shared/table/wire.ts';

/**
 * Puts of many new items into the emulator's own file, beside the emulator, in transactions of a thousand: through its API each item is a transaction
 * that waits for the disk, and three million of them take hours. Nothing of it goes into the change stream. The layout is dynoxide's own (1.2.1, as
 * lib/local/table-file.ts has it); `check` holds it against an item that the emulator wrote.
 */
export interface DirectWriter {
  put: (items: readonly Record<string, unknown>[]) => void;
  /** Throws unless the item, which the emulator has put, lies in the file as this writer puts it. */
  check: (key: { pk: string; sk: string }) => void;
  close: () => void;
}

interface Row {
  pk: string;
  sk: string;
  item_json: string;
  item_size: number;
}

export const openDirectWriter = (file: string): DirectWriter => {
  const database = new DatabaseSync(file, { timeout: 30_000 });
  database.exec('PRAGMA synchronous=OFF');
  const table = tableName();
  const base = database.prepare(`INSERT OR REPLACE INTO "${table}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)`);
  const indexes = Object.entries(tableSchema.indexes).map(([name, index]) => ({
    ...index,
    insert: database.prepare(`INSERT OR REPLACE INTO "${table}::gsi::${name}" VALUES (?, ?, ?, ?, ?)`),
  }));
  return {
    put: (items) => {
      database.exec('BEGIN IMMEDIATE');
      for (const item of items) putOne(base, indexes, itemToWire(item));
      database.exec('COMMIT');
    },
    check: ({ pk, sk }) => {
      const read = database.prepare(`SELECT pk, sk, item_json, item_size FROM "${table}" WHERE pk = ? AND sk = ?`);
      const row = read.get(keyText(pk), keyText(sk)) as unknown as Row | undefined;
      if (row === undefined) throw new Error(`The emulator has no item ${pk}, ${sk}.`);
      const item = JSON.parse(row.item_json) as Record<string, WireValue>;
      if (sizeOf(item) !== row.item_size)
        throw new Error(`The emulator counts ${row.item_size} bytes of an item, this writer ${sizeOf(item)}.`);
      for (const [name, { partitionKey, sortKey }] of Object.entries(tableSchema.indexes)) {
        const found = database
          .prepare(`SELECT gsi_pk, gsi_sk FROM "${table}::gsi::${name}" WHERE table_pk = ? AND table_sk = ?`)
          .get(row.pk, row.sk);
        const wanted = [textOf(item, partitionKey), textOf(item, sortKey)].map((text) => (text === undefined ? undefined : keyText(text)));
        if (found?.['gsi_pk'] !== wanted[0] || found?.['gsi_sk'] !== wanted[1]) throw new Error(`The index ${name} has another key.`);
      }
    },
    close: () => database.close(),
  };
};

interface Index {
  partitionKey: string;
  sortKey: string;
  projection: string;
  insert: StatementSync;
}

function putOne(base: StatementSync, indexes: readonly Index[], item: Record<string, WireValue>): void {
  const [pk, sk] = [keyText(textOf(item, 'pk') ?? ''), keyText(textOf(item, 'sk') ?? '')];
  const json = JSON.stringify(item);
  base.run(pk, sk, json, sizeOf(item));
  for (const { partitionKey, sortKey, projection, insert } of indexes) {
    const [indexPk, indexSk] = [textOf(item, partitionKey), textOf(item, sortKey)];
    if (indexPk === undefined || indexSk === undefined) continue;
    const keys = Object.fromEntries(Object.entries(item).filter(([name]) => ['pk', 'sk', partitionKey, sortKey].includes(name)));
    insert.run(keyText(indexPk), keyText(indexSk), pk, sk, projection === 'ALL' ? json : JSON.stringify(keys));
  }
}

/** Keys lie with their type before them. */
const keyText = (text: string): string => `S:${text}`;

const textOf = (item: Record<string, WireValue>, name: string): string | undefined => item[name]?.['S'] as string | undefined;

/** Bytes that an item is billed as: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
const sizeOf = (item: Record<string, WireValue>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

function valueSize(value: WireValue): number {
  const [[type, inner] = ['NULL', true]] = Object.entries(value);
  if (type === 'S') return Buffer.byteLength(inner as string);
  if (type === 'N') return numberSize(inner as string);
  if (type === 'B') return Buffer.from(inner as string, 'base64').length;
  if (type === 'BOOL' || type === 'NULL') return 1;
  if (type === 'L') return 3 + (inner as WireValue[]).reduce((sum, each) => sum + 1 + valueSize(each), 0);
  return (
    3 +
    Object.entries(inner as Record<string, WireValue>).reduce((sum, [name, each]) => sum + 1 + Buffer.byteLength(name) + valueSize(each), 0)
  );
}

/** One byte for two significant digits, and one. */
const numberSize = (text: string): number =>
  Math.ceil(text.replace(/^-/, '').replace(/0+$/, '').length / 2) + (text.startsWith('-') ? 2 : 1);
