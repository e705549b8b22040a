import type { Checkpoints } from '../../shared/events/projection.ts';

/**
 * The stream delivers at least once; projections count each record once. A projected row keeps, for each shard, the last sequence number
 * applied and the hour of that record (`<sequence>@<hours since 1970>`). A record at or below the checkpoint of its shard is applied already.
 */

/** A record's position in the stream. Sequence numbers have up to 40 digits and grow within a shard. */
export interface StreamPosition {
  shardId: string;
  sequence: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

export const isNew = (checkpoints: Checkpoints, { shardId, sequence }: Omit<StreamPosition, 'writtenAt'>): boolean => {
  const [applied] = (checkpoints[checkpointName(shardId)] ?? '').split('@');
  return !applied || BigInt(sequence) > BigInt(applied);
};

/** The stream keeps records for 24 hours, so a checkpoint of 30 hours ago protects against nothing; dropping it keeps rows small. */
const checkpointTtlHours = 30;

export const withCheckpoint = (checkpoints: Checkpoints, { shardId, sequence, writtenAt }: StreamPosition): Checkpoints => {
  const hour = Math.floor(writtenAt / 3_600_000);
  const recent = Object.entries(checkpoints).filter(([, checkpoint]) => Number(checkpoint.split('@')[1]) >= hour - checkpointTtlHours);
  return { ...Object.fromEntries(recent), [checkpointName(shardId)]: `${sequence}@${hour}` };
};

const checkpointName = (shardId: string): string => shardId.replace(/^shardId-0*/, '');

/** The attributes in which two rows differ; a removed one is undefined. */
export const changedAttributes = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, after[field]]),
  );
