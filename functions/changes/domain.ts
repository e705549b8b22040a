/**
 * Exactly once under at-least-once delivery: a summary row remembers, for each shard of the stream, the last sequence number folded in
 * and the hour in which that record was written (`<sequence>@<hours since 1970>`). A record at or below its shard's mark has been counted.
 */
export type Checkpoints = Readonly<Record<string, string>>;

/** A record's place in the stream. Sequence numbers are numbers of up to 40 digits and grow within a shard. */
export interface StreamPosition {
  shardId: string;
  sequence: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

export const isNew = (checkpoints: Checkpoints, { shardId, sequence }: Omit<StreamPosition, 'writtenAt'>): boolean => {
  const [counted] = (checkpoints[checkpointName(shardId)] ?? '').split('@');
  return !counted || BigInt(sequence) > BigInt(counted);
};

/** The stream keeps a record for 24 hours: what a mark of 30 hours ago guards against can no longer come. Rows stay small by it. */
const checkpointTtlHours = 30;

export const withCheckpoint = (checkpoints: Checkpoints, { shardId, sequence, writtenAt }: StreamPosition): Checkpoints => {
  const hour = Math.floor(writtenAt / 3_600_000);
  const kept = Object.entries(checkpoints).filter(([, mark]) => Number(mark.split('@')[1]) >= hour - checkpointTtlHours);
  return { ...Object.fromEntries(kept), [checkpointName(shardId)]: `${sequence}@${hour}` };
};

const checkpointName = (shardId: string): string => shardId.replace(/^shardId-0*/, '');

/** The fields in which two rows differ, as a change: what is gone is undefined. */
export const changedAttributes = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, after[field]]),
  );
