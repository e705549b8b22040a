import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { type JsonObject, objectOf, parseJson } from './json.ts';

/**
 * What dynoxide 1.2.1 leaves out around its change stream, closed through its SQLite file. This is its private schema: the
 * version is pinned, and test/local holds it.
 */
export interface TableFile {
  /** The newest sequence number of a table's stream, 0 when it has none. A few microseconds: polled instead of the API. */
  lastSequence(table: string): number;
  /** The stream records after a sequence number, in order, in GetRecords' form but for region, clock and size. */
  streamPage(table: string, after: number, limit: number): JsonObject[];
  /** The keys of items whose time to live is over at `now` (epoch seconds), the longest expired first. Microseconds, whatever the table's size. */
  expiredKeys(table: string, now: number, limit: number): JsonObject[];
  /**
   * Removes the oldest stream records up to a sequence number, `atMost` of them; the newest one stays, as the next number is counted from it.
   * Whether more are left up to there.
   */
  trimStream(table: string, upTo: number, atMost: number): boolean;
  close(): void;
}

export interface ExpiringTable {
  name: string;
  ttlAttribute: string;
  keyNames: string[];
}

export const openTableFile = (file: string, expiring: readonly ExpiringTable[]): TableFile => {
  const writer = new DatabaseSync(file, { timeout: 5000 });
  // without this index every write scans the whole stream for its last number
  writer.exec('CREATE INDEX IF NOT EXISTS _local_stream_sequence ON _stream_records(table_name, CAST(sequence_number AS INTEGER))');
  // the emulator's own sweep reads every item: seconds in which it answers nothing, where a table has a gigabyte
  for (const table of expiring)
    writer.exec(
      `CREATE INDEX IF NOT EXISTS "_local_expiry_${table.name}" ON "${table.name}"(${endOf(table)}) WHERE ${endOf(table)} IS NOT NULL`,
    );
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const newest = reader.prepare('SELECT MAX(CAST(sequence_number AS INTEGER)) AS last FROM _stream_records WHERE table_name = ?');
  const page = reader.prepare(
    `SELECT event_name, keys_json, new_image, old_image, sequence_number, created_at, user_identity FROM _stream_records
     WHERE table_name = ?1 AND CAST(sequence_number AS INTEGER) > ?2 ORDER BY CAST(sequence_number AS INTEGER) LIMIT ?3`,
  );
  const oldest = reader.prepare('SELECT MIN(CAST(sequence_number AS INTEGER)) AS first FROM _stream_records WHERE table_name = ?');
  const trim = writer.prepare(
    `DELETE FROM _stream_records WHERE table_name = ?1 AND CAST(sequence_number AS INTEGER) <= ?2
     AND CAST(sequence_number AS INTEGER) < (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = ?1)`,
  );
  const expired = new Map(expiring.map((table) => [table.name, reader.prepare(expiredQuery(table))]));
  const lastSequence = (table: string): number => Number(newest.get(table)?.last ?? 0);
  return {
    lastSequence,
    streamPage: (table, after, limit) => page.all(table, after, limit).map(recordOf),
    expiredKeys: (table, now, limit) =>
      (expired.get(table)?.all(now, limit) ?? []).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, parsed(value)])),
      ),
    trimStream: (table, upTo, atMost) => {
      const end = Math.min(upTo, lastSequence(table) - 1);
      const partEnd = Math.min(end, Number(oldest.get(table)?.first ?? 0) + atMost - 1);
      trim.run(table, partEnd);
      return partEnd < end;
    },
    close: () => {
      reader.close();
      writer.close();
    },
  };
};

/** Keys of a table's items that end before ?1, at most ?2. */
export const expiredQuery = (table: ExpiringTable): string => {
  const keys = table.keyNames.map((name) => `item_json -> '$."${name}"' AS "${name}"`);
  const where = `${endOf(table)} IS NOT NULL AND ${endOf(table)} < ?1`;
  return `SELECT ${keys.join(', ')} FROM "${table.name}" WHERE ${where} ORDER BY ${endOf(table)} LIMIT ?2`;
};

/** When an item ends, as its index has it. */
const endOf = ({ ttlAttribute }: ExpiringTable): string => `CAST(item_json ->> '$."${ttlAttribute}".N' AS INTEGER)`;

const recordOf = (row: Record<string, SQLOutputValue>): JsonObject => {
  const part = (name: string, column: string): JsonObject => (row[column] === null ? {} : { [name]: parsed(row[column]) });
  const sequence = String(row['sequence_number']);
  return {
    eventID: sequence,
    eventName: String(row['event_name']),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    ...part('userIdentity', 'user_identity'),
    dynamodb: {
      Keys: parsed(row['keys_json']),
      ...part('NewImage', 'new_image'),
      ...part('OldImage', 'old_image'),
      SequenceNumber: sequence,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
      ApproximateCreationDateTime: Number(row['created_at']),
    },
  };
};

const parsed = (text: SQLOutputValue | undefined): JsonObject => objectOf(parseJson(String(text)));
