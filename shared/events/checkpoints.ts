import { createHash } from 'node:crypto';
import { hourMs } from '../runtime/clock.ts';

/**
 * The stream delivers at least once; projected rows and event logs take each record once. Such an item stores a checkpoint for each shard that
 * wrote to it lately: the last sequence number applied. A shard confirms in an item of its own up to which record it is done; then others need
 * its checkpoint no longer. So an item's size does not depend on how many shards there are or were: docs/decisions/projections-from-the-stream.md
 */

/** A record's position in the stream. Sequence numbers have up to 40 digits and grow within a shard. */
export interface StreamPosition {
  shardId: string;
  sequence: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

interface Checkpoint {
  sequence: bigint;
  /** Hours since 1970. */
  hour: number;
}

/** How a kind of item stores a checkpoint. */
interface CheckpointForm<Stored> {
  read: (stored: Stored) => Checkpoint;
  write: (checkpoint: Checkpoint) => Stored;
  /** The value that the name `*` has, where checkpoints were dropped. */
  droppedValue: Stored;
  /** Reads a checkpoint of before 2026-11-23, stored by the id of the shard without its zeros. */
  readEarlier?: (stored: Stored) => Checkpoint;
}

/** A shard's name in checkpoints and in the key of its own item. */
export const shardName = (shardId: string): string => createHash('sha256').update(shardId).digest('base64url').slice(0, 8);

const nameLength = shardName('').length;

/** An item with more checkpoints than this drops those of shards that have confirmed. A new table has four shards. */
export const maxCheckpoints = 4;

/** The name that marks an item that has dropped checkpoints: a shard without one may have confirmed. */
const dropped = '*';

/** The stream keeps records for 24 hours, so a checkpoint of 30 hours ago protects against nothing. */
const checkpointTtlHours = 30;

const checkpointsStoredAs = <Stored>({ read, write, droppedValue, readEarlier }: CheckpointForm<Stored>) => {
  type Checkpoints = Readonly<Record<string, Stored>>;

  /** The last record of a shard that the item contains, as far as the item itself shows. */
  const checkpointOf = (checkpoints: Checkpoints, shardId: string): bigint | undefined => {
    const own = checkpoints[shardName(shardId)];
    if (own !== undefined) return read(own).sequence;
    const earlier = checkpoints[earlierName(shardId)];
    return earlier === undefined ? undefined : readEarlier?.(earlier).sequence;
  };

  return {
    /** Whether only the shard's own item shows which of its records this item contains. */
    needsConfirmation: (checkpoints: Checkpoints, shardId: string): boolean =>
      checkpoints[dropped] !== undefined && checkpointOf(checkpoints, shardId) === undefined,

    /** @param confirmed up to which record the shard is done, where the item needs it */
    isNew: (checkpoints: Checkpoints, { shardId, sequence }: Omit<StreamPosition, 'writtenAt'>, confirmed?: bigint): boolean => {
      const last = checkpointOf(checkpoints, shardId) ?? (checkpoints[dropped] === undefined ? undefined : confirmed);
      return last === undefined || BigInt(sequence) > last;
    },

    /** The checkpoints after the item took a record, without those of too long ago. */
    withCheckpoint: (checkpoints: Checkpoints, { shardId, sequence, writtenAt }: StreamPosition): Record<string, Stored> => {
      const hour = Math.floor(writtenAt / hourMs);
      const recent = Object.entries(checkpoints).filter(
        ([name, stored]) => name !== earlierName(shardId) && (name === dropped || read(stored).hour >= hour - checkpointTtlHours),
      );
      return { ...Object.fromEntries(recent), [shardName(shardId)]: write({ sequence: BigInt(sequence), hour }) };
    },

    /** The names of other shards in an item that has more checkpoints than it should, the shard's own included. */
    surplusShards: (checkpoints: Checkpoints, shardId: string): string[] => {
      const others = Object.keys(checkpoints).filter((name) => name !== dropped && name !== shardName(shardId));
      return others.length < maxCheckpoints ? [] : others.filter((name) => name.length === nameLength);
    },

    /** The checkpoints without those of shards that have confirmed as much. */
    withoutConfirmed: (checkpoints: Checkpoints, confirmed: ReadonlyMap<string, bigint>): Checkpoints => {
      const left = Object.entries(checkpoints).filter(([name, stored]) => {
        const upTo = confirmed.get(name);
        return upTo === undefined || read(stored).sequence > upTo;
      });
      return left.length === Object.keys(checkpoints).length ? checkpoints : { ...Object.fromEntries(left), [dropped]: droppedValue };
    },
  };
};

/** What is read and changed of an item's checkpoints. */
export type CheckpointRules<Stored> = ReturnType<typeof checkpointsStoredAs<Stored>>;

const earlierName = (shardId: string): string => shardId.replace(/^shardId-0*/, '');

/** Of rows: `<sequence, base 36>@<hour>`, as short as possible because every row has several. */
export const rowCheckpoints = checkpointsStoredAs<string>({
  read: (stored) => parseText(stored, 36n),
  write: ({ sequence, hour }) => `${sequence.toString(36)}@${hour}`,
  droppedValue: '',
  readEarlier: (stored) => parseText(stored, 10n),
});

/** Of items of the event log. */
export const logCheckpoints = checkpointsStoredAs<{ sequence: string; hour: number }>({
  read: ({ sequence, hour }) => ({ sequence: BigInt(sequence), hour }),
  write: ({ sequence, hour }) => ({ sequence: String(sequence), hour }),
  droppedValue: { sequence: '0', hour: 0 },
});

function parseText(stored: string, base: bigint): Checkpoint {
  const [digits = '0', hour] = stored.split('@');
  const sequence = Array.from(digits).reduce((sum, digit) => sum * base + BigInt(Number.parseInt(digit, 36)), 0n);
  return { sequence, hour: Number(hour) };
}
