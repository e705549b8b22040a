import { createHash } from 'node:crypto';
import type { Checkpoints } from '../../shared/events/projection.ts';

/**
 * The stream delivers at least once; projections count each record once. A projected row stores a checkpoint for each shard that wrote to it
 * lately: the last sequence number applied. A shard confirms in an item of its own up to which record it is done; then rows need its
 * checkpoint no longer. So a row's size does not depend on how many shards there are or were: docs/decisions/projections-from-the-stream.md
 */

/** A record's position in the stream. Sequence numbers have up to 40 digits and grow within a shard. */
export interface StreamPosition {
  shardId: string;
  sequence: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** A shard's name in a row's checkpoints and in the key of its own item. */
export const shardName = (shardId: string): string => createHash('sha256').update(shardId).digest('base64url').slice(0, 8);

/** As many rows are written to side by side where all shards count the same. */
const partCount = 16;

/** Which part of a row in parts a shard writes to. */
export const partOf = (shardId: string): number => createHash('sha256').update(shardId).digest().readUInt16BE(0) % partCount;

/** A row with more checkpoints than this drops those of shards that have confirmed. A new table has four shards. */
export const maxCheckpoints = 4;

/** Marks a row that has dropped checkpoints: a shard without one may have confirmed. */
const dropped = '*';

/** The last record of a shard that the row contains, as far as the row itself shows. */
const checkpointOf = (checkpoints: Checkpoints, shardId: string): bigint | undefined => {
  const own = checkpoints[shardName(shardId)];
  if (own !== undefined) return sequenceOf(own);
  // rows of before 2026-11-23: `<sequence>@<hours since 1970>` by the id without its zeros
  const earlier = checkpoints[earlierName(shardId)];
  return earlier === undefined ? undefined : BigInt(earlier.split('@')[0] ?? '0');
};

/** Whether only the shard's own item shows which of its records the row contains. */
export const needsConfirmation = (checkpoints: Checkpoints, shardId: string): boolean =>
  checkpoints[dropped] !== undefined && checkpointOf(checkpoints, shardId) === undefined;

/** @param confirmed up to which record the shard is done, where the row needs it */
export const isNew = (checkpoints: Checkpoints, { shardId, sequence }: Omit<StreamPosition, 'writtenAt'>, confirmed?: bigint): boolean => {
  const last = checkpointOf(checkpoints, shardId) ?? (checkpoints[dropped] === undefined ? undefined : confirmed);
  return last === undefined || BigInt(sequence) > last;
};

/** The stream keeps records for 24 hours, so a checkpoint of 30 hours ago protects against nothing. */
const checkpointTtlHours = 30;

export const withCheckpoint = (checkpoints: Checkpoints, { shardId, sequence, writtenAt }: StreamPosition): Checkpoints => {
  const hour = Math.floor(writtenAt / 3_600_000);
  const recent = Object.entries(checkpoints).filter(
    ([name, checkpoint]) => name !== earlierName(shardId) && (name === dropped || hourOf(checkpoint) >= hour - checkpointTtlHours),
  );
  return { ...Object.fromEntries(recent), [shardName(shardId)]: `${BigInt(sequence).toString(36)}@${hour}` };
};

/** The names of other shards in a row that has more checkpoints than it should, the shard's own included. */
export const surplusShards = (checkpoints: Checkpoints, shardId: string): string[] => {
  const others = Object.keys(checkpoints).filter((name) => name !== dropped && name !== shardName(shardId));
  return others.length < maxCheckpoints ? [] : others.filter((name) => name.length === nameLength);
};

export const withoutConfirmed = (checkpoints: Checkpoints, confirmed: ReadonlyMap<string, bigint>): Checkpoints => {
  const left = Object.entries(checkpoints).filter(([name, checkpoint]) => {
    const upTo = confirmed.get(name);
    return upTo === undefined || sequenceOf(checkpoint) > upTo;
  });
  return left.length === Object.keys(checkpoints).length ? checkpoints : { ...Object.fromEntries(left), [dropped]: '' };
};

const nameLength = shardName('').length;

const earlierName = (shardId: string): string => shardId.replace(/^shardId-0*/, '');

const hourOf = (checkpoint: string): number => Number(checkpoint.split('@')[1]);

const sequenceOf = (checkpoint: string): bigint => fromBase36(checkpoint.split('@')[0] ?? '0');

const fromBase36 = (digits: string): bigint =>
  Array.from(digits).reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
