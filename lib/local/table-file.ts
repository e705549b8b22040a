import { DatabaseSync } from 'node:sqlite';

/**
 * What dynoxide 1.2.1 leaves out around its change stream, closed through its SQLite file. This is its private schema: the
 * version is pinned, and test/local holds it.
 */
export interface TableFile {
  /** The newest sequence number of a table's stream, 0 when it has none. A few microseconds: polled instead of the API. */
  lastSequence(table: string): number;
  /** Removes stream records up to a sequence number; the newest one stays, as the next number is counted from it. */
  trimStream(table: string, upTo: number): void;
  close(): void;
}

export const openTableFile = (file: string): TableFile => {
  const writer = new DatabaseSync(file, { timeout: 5000 });
  // without this index every write scans the whole stream for its last number
  writer.exec('CREATE INDEX IF NOT EXISTS _local_stream_sequence ON _stream_records(table_name, CAST(sequence_number AS INTEGER))');
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const newest = reader.prepare('SELECT MAX(CAST(sequence_number AS INTEGER)) AS last FROM _stream_records WHERE table_name = ?');
  const trim = writer.prepare(
    `DELETE FROM _stream_records WHERE table_name = ?1 AND CAST(sequence_number AS INTEGER) <= ?2
     AND CAST(sequence_number AS INTEGER) < (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = ?1)`,
  );
  return {
    lastSequence: (table) => Number(newest.get(table)?.last ?? 0),
    trimStream: (table, upTo) => void trim.run(table, upTo),
    close: () => {
      reader.close();
      writer.close();
    },
  };
};
