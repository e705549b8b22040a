import { isDeepStrictEqual } from 'node:util';
import { awsCall, dynamodb, streams } from '../../lib/local/aws-call.ts';
import { listOf, objectOf, textOf } from '../../lib/local/json.ts';
import type { StreamFunction } from '../../shared/contract/context.ts';
import { fromWire } from '../../shared/table/wire.ts';
import { shardOf } from '../../shared/table/schema.ts';
import type { TestClock } from './clock.ts';
import type { StoredRecord } from './emulators.ts';
import { chance, type Drained, type DrainOptions, failureIds, type Worker } from './delivery.ts';
import { type Random, seeded } from './random.ts';

export interface StreamSource {
  tableEndpoint: string;
  table: string;
  clock: TestClock;
  recordsAfter: (id: number) => StoredRecord[];
  stream: Worker<StreamFunction> | undefined;
  /** Of the change stream: records of one partition key keep their order, shards are worked in any. */
  shards: number;
}

/** What the table did to an item, listed in the order in which it did it: answers to calls side by side may come in another. */
export interface TableChange {
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}
export type ChangeHook = (change: TableChange) => void;
/**
 * One partition of the table: the records of its shards one after the other, what is left of them, and of what was worked as much as a lost
 * checkpoint could bring back.
 */
interface Shard {
  records: ShardRecord[];
  /** How many of `records` are worked. */
  worked: number;
  /** Of all records that it ever had. */
  count: number;
  /** What the consumer answered last in the window that is open. */
  window: { start: number; shardId: string; state: unknown };
}

interface ShardRecord {
  shardId: string;
  record: StreamRecord;
}

export interface ShardedStream {
  /** Reads what the table wrote since, into the shards. */
  read: () => Promise<void>;
  /** What the table wrote so far never reaches a consumer: as of a table with a new stream. */
  beginAnew: () => void;
  shards: readonly Shard[];
  /** It is being read, and what was read is being worked. */
  isBusy: boolean;
  hooks: Set<ChangeHook>;
  arn: () => string;
}

interface StreamRecord {
  eventID: string;
  eventName: string;
  userIdentity?: unknown;
  dynamodb: {
    SequenceNumber: string;
    ApproximateCreationDateTime: number;
    Keys: { pk: { S: string } };
    OldImage?: unknown;
    NewImage?: unknown;
    StreamViewType: string;
  };
}

/** A shard of several ends after so many records, and another goes on with its partition: on AWS after four hours. */
const recordsPerShard = 100;

/** The emulator has one shard; its records are dealt out by partition key, as the table's partitions would. */
export function shardedStream({ tableEndpoint, table, clock, recordsAfter, shards: count }: StreamSource): ShardedStream {
  let arn = '';
  let readUpTo = 0;
  const hooks = new Set<ChangeHook>();
  let firstShardId = '';
  const shards = Array.from(
    { length: count },
    (): Shard => ({ records: [], worked: 0, count: 0, window: { start: 0, shardId: '', state: {} } }),
  );
  const dealOut = (record: StreamRecord): void => {
    const nth = shardOf(record.dynamodb.Keys.pk.S, count);
    const shard = shards[nth];
    if (!shard) return;
    const generation = count === 1 ? 0 : Math.floor(shard.count++ / recordsPerShard);
    const suffix = [...(nth === 0 ? [] : [nth]), ...(generation === 0 ? [] : [`g${generation}`])].map((each) => `-${each}`).join('');
    shard.records.push({ shardId: `${firstShardId}${suffix}`, record });
  };
  const begin = async (): Promise<void> => {
    const described = await awsCall(tableEndpoint, dynamodb('DescribeTable'), { TableName: table });
    arn = textOf(objectOf(described['Table'])['LatestStreamArn']) ?? '';
    const stream = await awsCall(tableEndpoint, streams('DescribeStream'), { StreamArn: arn });
    firstShardId = textOf(objectOf(listOf(objectOf(stream['StreamDescription'])['Shards'])[0])['ShardId']) ?? '';
  };
  return {
    read: async () => {
      if (arn === '') await begin();
      for (;;) {
        const stored = recordsAfter(readUpTo);
        if (stored.length === 0) return;
        readUpTo = stored.at(-1)?.id ?? readUpTo;
        for (const each of stored) {
          const record = streamRecord(each, Math.floor(clock.offset() / 1_000));
          const { OldImage: before, NewImage: after } = record.dynamodb;
          // AWS writes no record for a write that changes nothing; the emulator does, with the attributes in any order
          if (each.oldImage?.length === each.newImage?.length && isDeepStrictEqual(before, after)) continue;
          for (const hook of hooks) hook({ before: imageOf(before), after: imageOf(after) });
          dealOut(record);
        }
      }
    },
    beginAnew: () => {
      for (let stored = recordsAfter(readUpTo); stored.length > 0; stored = recordsAfter(readUpTo))
        readUpTo = stored.at(-1)?.id ?? readUpTo;
      for (const shard of shards) Object.assign(shard, { records: [], worked: 0 });
    },
    shards,
    isBusy: false,
    hooks,
    arn: () => arn,
  };
}

const streamRecord = (
  { number, eventName, keys, oldImage, newImage, at, userIdentity }: StoredRecord,
  offsetSeconds: number,
): StreamRecord => ({
  eventID: number,
  eventName,
  dynamodb: {
    SequenceNumber: number,
    ApproximateCreationDateTime: at + offsetSeconds,
    Keys: JSON.parse(keys) as StreamRecord['dynamodb']['Keys'],
    ...(oldImage === null ? {} : { OldImage: JSON.parse(oldImage) as unknown }),
    ...(newImage === null ? {} : { NewImage: JSON.parse(newImage) as unknown }),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
  ...(userIdentity === null ? {} : { userIdentity: JSON.parse(userIdentity) as unknown }),
});

const imageOf = (image: unknown): TableChange['before'] => (image ? (fromWire({ M: image }) as Record<string, unknown>) : undefined);

const streamTries = 8;
const storedForReplay = 300;

/** True: something was worked. */
export async function drainStream(
  source: ShardedStream,
  plumbing: StreamSource,
  options: DrainOptions,
  random: Random,
  sum: Drained,
): Promise<boolean> {
  // of drains side by side, begun amid other work, one reads: two would count the same records as worked twice
  if (source.isBusy) return false;
  source.isBusy = true;
  try {
    return await workRecords(source, plumbing, options, random, sum);
  } finally {
    source.isBusy = false;
  }
}

async function workRecords(
  source: ShardedStream,
  plumbing: StreamSource,
  options: DrainOptions,
  random: Random,
  sum: Drained,
): Promise<boolean> {
  let worked = false;
  for (;;) {
    await source.read();
    const waiting = source.shards.filter(({ records, worked: done }) => done < records.length);
    const chosen = options.sideBySide || waiting.length < 2 ? waiting : [waiting[Math.floor(random() * waiting.length)]];
    // each has chance of its own: which call of several comes first must not decide what the others meet
    const work = chosen.flatMap((shard) =>
      shard ? [workShard(shard, source.arn(), plumbing, options, chosen.length > 1 ? seeded(random() * 2 ** 31) : random, sum)] : [],
    );
    if (work.length === 0) return worked;
    const ended = await Promise.allSettled(work);
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    worked ||= plumbing.stream !== undefined;
  }
}

/** The next batch of a shard: the shard that goes on with a partition is read once the one before it is worked. */
async function workShard(
  shard: Shard,
  arn: string,
  { stream }: StreamSource,
  options: DrainOptions,
  random: Random,
  sum: Drained,
): Promise<void> {
  const shardId = shard.records[shard.worked]?.shardId ?? '';
  const batch = shard.records
    .slice(shard.worked, shard.worked + (stream?.spec.batchSize ?? 1_000))
    .flatMap((each) => (each.shardId === shardId ? [each.record] : []));
  if (stream) {
    sum.records += batch.length;
    await deliverRecords(stream, batch, { shardId, arn, shard }, options, random, sum);
  }
  shard.worked += batch.length;
  const began = shard.records.findIndex((each) => each.shardId === shardId);
  if (chance(options.disorder?.replay, random)) shard.worked = began + Math.floor(random() * (shard.worked - began));
  shard.records = shard.records.slice(Math.max(0, shard.worked - storedForReplay));
  shard.worked = Math.min(shard.worked, storedForReplay);
}

/** As the event source mapping does: in order, again from the first record that failed, nothing behind it before it succeeds. */
async function deliverRecords(
  stream: Worker<StreamFunction>,
  records: readonly StreamRecord[],
  source: Source,
  { disorder, retry }: DrainOptions,
  random: Random,
  sum: Drained,
): Promise<void> {
  let left = records;
  let cause: unknown;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > streamTries || (retry === false && attempt > 1))
      throw new Error(`The change consumer failed ${attempt - 1} times at record ${left[0]?.dynamodb.SequenceNumber}.`, { cause });
    let failedAt: number | undefined = 0;
    let state: unknown;
    try {
      const answer = await stream.invoke(streamEvent(left, source));
      failedAt = firstFailure(answer, left);
      state = (answer as { state?: unknown } | undefined)?.state;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (failedAt === undefined && chance(disorder?.crash, random)) failedAt = 0;
    else if (failedAt === undefined && chance(disorder?.duplicate, random)) await stream.invoke(streamEvent(left, source));
    if (failedAt === undefined) {
      source.shard.window.state = state ?? {};
      return;
    }
    sum.failures++;
    left = left.slice(failedAt);
  }
}

interface Source {
  shardId: string;
  arn: string;
  shard: Shard;
}

/** As the event source mapping has it: the table's records are read in windows of a quarter of an hour, each with a state of its own. */
const windowSeconds = 900;

/** A tumbling-window invocation: the form in which Lambda names the shard, by which projections know what they have seen. */
function streamEvent(records: readonly StreamRecord[], { shardId, arn, shard }: Source): unknown {
  const at = records[0]?.dynamodb.ApproximateCreationDateTime ?? 0;
  const start = Math.floor(at / windowSeconds) * windowSeconds;
  if (shard.window.start !== start || shard.window.shardId !== shardId) shard.window = { start, shardId, state: {} };
  return {
    Records: records.map((record) => ({
      awsRegion: 'us-east-1',
      eventSource: 'aws:dynamodb',
      eventVersion: '1.1',
      eventSourceARN: arn,
      ...record,
    })),
    window: { start: new Date(start * 1_000).toISOString(), end: new Date((start + windowSeconds) * 1_000).toISOString() },
    state: shard.window.state,
    shardId,
    eventSourceARN: arn,
    isFinalInvokeForWindow: false,
    isWindowTerminatedEarly: false,
  };
}

function firstFailure(answer: unknown, records: readonly StreamRecord[]): number | undefined {
  const ids = failureIds(answer);
  if (ids.length === 0) return undefined;
  const places = ids.map((id) => records.findIndex((each) => each.dynamodb.SequenceNumber === id));
  return places.includes(-1) ? 0 : Math.min(...places);
}
