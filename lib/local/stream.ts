import { shardOf } from '../../shared/table/schema.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type Deliveries, pause } from './deliveries.ts';
import { matchesPattern } from './event-pattern.ts';
import type { Expiry } from './expiry.ts';
import { type JsonObject, numberOf, objectOf, textOf } from './json.ts';
import { newShard, StreamShard, type StreamMapping } from './stream-shard.ts';
import { account, region } from './template.ts';
import type { TableFile } from './table-file.ts';

/** What a stream looks like: a new table on AWS has about four shards, each replaced after some four hours. */
export interface StreamShape {
  shards: number;
  /** After so many records a shard ends and another takes its place. */
  recordsPerShard: number;
}

export const streamShape: StreamShape = { shards: 4, recordsPerShard: 2_000 };

export interface StreamOptions {
  file: TableFile;
  checkpoint: Checkpoint;
  /** The emulator's. */
  streamArn: string;
  expiry: Expiry;
  deliveries: Deliveries;
  /** The product's time minus the emulator's, ms. */
  clockOffset: () => number;
  shape: StreamShape;
  /** Gets each record as it is read, before any function. */
  onRecord?: (record: JsonObject) => void;
}

/**
 * Feeds a function from the change stream. The emulator has one shard; its records are dealt out by partition key, so that those of one
 * item keep their order while shards run side by side. A shard's checkpoint moves when a batch is done with, so nothing is skipped
 * whenever the process stops.
 */
export class StreamReader {
  readonly mapping: StreamMapping;
  readonly #parts: StreamOptions;
  readonly #shards: readonly StreamShard[];
  /** The places of the shards that the last process had, which may have been another number of shards. */
  readonly #doneBefore: readonly number[];
  #readUpTo: number;
  #savedAt = 0;
  #unsaved: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(mapping: StreamMapping, parts: StreamOptions) {
    this.mapping = mapping;
    this.#parts = parts;
    const stored = parts.checkpoint.shards();
    this.#doneBefore = stored.map(({ sequence }) => sequence);
    this.#readUpTo = Math.min(...(stored.length > 0 ? this.#doneBefore : [0]));
    // as functions see it: with the region and account of everything else
    const streamArn = parts.streamArn.replace(/^arn:aws:dynamodb:[^:]*:[^:]*:/, `arn:aws:dynamodb:${region}:${account}:`);
    this.#shards = Array.from({ length: parts.shape.shards }, (_, index) => {
      const known = stored.length === parts.shape.shards ? stored[index] : undefined;
      return new StreamShard(
        mapping,
        {
          deliveries: parts.deliveries,
          streamArn,
          recordsPerShard: parts.shape.recordsPerShard,
          save: (isRepeatable) => this.#save(isRepeatable),
        },
        known?.shardId ? known : newShard(this.#readUpTo),
      );
    });
  }

  start(): void {
    void this.#work();
  }

  stop(): void {
    this.#stopped = true;
    for (const shard of this.#shards) shard.stop();
    if (this.#unsaved) this.#saveNow();
  }

  /** Records not yet done with. */
  behind(): number {
    const unread = Math.max(0, this.#parts.file.lastSequence(this.mapping.table) - this.#readUpTo);
    return unread + this.#waiting();
  }

  /** So much is undone, for so long, that what writes still more should stand back. A batch that fails again and again is not much. */
  isFarBehind(): boolean {
    const oldest = Math.min(...this.#shards.map((shard) => shard.waitingSince ?? Infinity));
    return Date.now() / 1_000 - oldest > longSeconds && this.behind() > manyRecords;
  }

  /** Up to which sequence number the stream may be trimmed. */
  doneUpTo(): number {
    return Math.min(...this.#shards.map((shard) => (shard.waiting > 0 ? shard.progress.sequence : this.#readUpTo)));
  }

  #waiting(): number {
    return this.#shards.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  async #work(): Promise<void> {
    let quietSince = performance.now();
    while (!this.#stopped) {
      try {
        const isUnread = this.#parts.file.lastSequence(this.mapping.table) > this.#readUpTo;
        const isPageFull = isUnread && this.#waiting() < mostWaiting && this.#read() === pageSize;
        if (isPageFull) await pause(0);
        else if (isUnread) await pause(5);
        // a look into the file costs microseconds, so the answer to a write starts within milliseconds
        else await pause(performance.now() - quietSince < 2000 ? 5 : 25);
        if (this.#waiting() > 0) quietSince = performance.now();
        for (const shard of this.#shards) shard.wake();
      } catch {
        await pause(200); // the emulator is ending or busy; nothing was read
      }
    }
  }

  /** Reads one page, from the emulator's file, and deals it out; returns its length. */
  #read(): number {
    const records = this.#parts.file.streamPage(this.mapping.table, this.#readUpTo, pageSize);
    for (const raw of records) {
      const { Keys, SequenceNumber, ApproximateCreationDateTime } = objectOf(raw.dynamodb);
      const sequence = Number(textOf(SequenceNumber) ?? 0);
      const partition = Object.values(objectOf(objectOf(Keys).pk))
        .map(textOf)
        .join('');
      this.#parts.onRecord?.(raw);
      const isDone = sequence <= (this.#doneBefore[shardOf(partition, Math.max(1, this.#doneBefore.length))] ?? 0);
      if (!isDone) {
        const record = this.#streamRecord(raw);
        const fits = this.mapping.filters.length === 0 || this.mapping.filters.some((filter) => matchesPattern(filter, record));
        this.#shards[shardOf(partition, this.#shards.length)]?.add({
          record,
          sequence,
          fits,
          writtenAt: numberOf(ApproximateCreationDateTime) ?? 0,
        });
      }
      this.#readUpTo = sequence;
    }
    return records.length;
  }

  /**
   * Each save replaces a file, which may wait for the disk; a batch takes less. So progress is saved a moment later, and once a second where
   * the function got none of the records: after a kill, records of that moment come again, as any may.
   */
  #save(isRepeatable: boolean): void {
    if (isRepeatable && performance.now() - this.#savedAt < 1_000) return;
    this.#unsaved ??= setTimeout(() => this.#saveNow(), saveDelayMs);
  }

  /** A shard without waiting records is done with everything that was read. */
  #saveNow(): void {
    clearTimeout(this.#unsaved);
    this.#unsaved = undefined;
    this.#savedAt = performance.now();
    const progress = this.#shards.map((shard) => ({
      ...shard.progress,
      sequence: shard.waiting > 0 ? shard.progress.sequence : Math.max(shard.progress.sequence, this.#readUpTo),
    }));
    this.#parts.checkpoint.save(progress);
  }

  #streamRecord(record: JsonObject): JsonObject {
    const { expiry, clockOffset } = this.#parts;
    const change = objectOf(record.dynamodb);
    const swept = record.eventName === 'REMOVE' && (expiry.wasSwept(objectOf(change.Keys)) || record.userIdentity !== undefined);
    const { userIdentity: _, ...plain } = record;
    return {
      ...plain,
      awsRegion: region,
      eventSourceARN: this.#shards[0]?.streamArn ?? '',
      ...(swept ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
      dynamodb: {
        ...change,
        ApproximateCreationDateTime: (numberOf(change.ApproximateCreationDateTime) ?? 0) + Math.round(clockOffset() / 1000),
      },
    };
  }
}

const saveDelayMs = 500;
/** The thread that reads a page answers no request meanwhile: some milliseconds. */
const pageSize = 100;

/** What is shown follows two changes, one after the other: it is at most about twice as far behind. */
const longSeconds = 5;

/** More than one shard's batch. */
const manyRecords = 1_000;

/** Records that are read ahead of the shards. */
const mostWaiting = 2_000;
