/**
 * Exactly once under at-least-once delivery: a summary row remembers, for each shard of the stream, the last sequence number folded in.
 * A record at or below its shard's mark has been counted.
 */
export type Marks = Readonly<Record<string, string>>;

/** Sequence numbers are numbers of up to 40 digits. */
export const isAfter = (sequence: string, mark: string | undefined): boolean => mark === undefined || BigInt(sequence) > BigInt(mark);

/** Shards live for hours and their numbers only grow: the oldest marks belong to shards that have ended. */
const keptMarks = 32;

export const withMark = (marks: Marks, shardId: string, sequence: string): Marks => {
  const entries = Object.entries({ ...marks, [shardId]: sequence });
  if (entries.length <= keptMarks) return Object.fromEntries(entries);
  return Object.fromEntries(entries.sort(([, a], [, b]) => (BigInt(a) < BigInt(b) ? 1 : -1)).slice(0, keptMarks));
};

/** The fields in which two rows differ, as a change: what is gone is undefined. */
export const difference = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, after[field]]),
  );
