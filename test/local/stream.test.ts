import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { awsCall, dynamodb, streams } from '../../lib/local/aws-call.ts';
import type { Checkpoint, ShardProgress } from '../../lib/local/checkpoint.ts';
import { FunctionProblem } from '../../lib/local/environment.ts';
import { tableExpiry } from '../../lib/local/expiry.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../lib/local/json.ts';
import { type StreamOptions, StreamReader } from '../../lib/local/stream.ts';
import type { StreamMapping } from '../../lib/local/stream-shard.ts';
import { expiredQuery, openTableFile } from '../../lib/local/table-file.ts';
import { freePort, startDynamo, tableDefinition } from '../support/emulators.ts';

interface Seen {
  partition: string;
  sequence: number;
  shardId: string;
}

/** The stream of a table that has been written, and a function that reads it. */
const fixture = async ({ partitions = 12, records = 120, filters = [] as JsonObject[], writtenAt = 0 } = {}) => {
  const written = Array.from({ length: records }, (_, index) => ({
    eventName: 'INSERT',
    dynamodb: {
      Keys: { pk: { S: `P#${(index * 7) % partitions}` }, sk: { S: '-' } },
      SequenceNumber: String(index + 1),
      ApproximateCreationDateTime: writtenAt,
    },
  }));
  let saved: readonly ShardProgress[] = [];
  const checkpoint: Checkpoint = { shards: () => saved, save: (shards) => (saves++, (saved = shards.map((each) => ({ ...each })))) };
  let saves = 0;
  const seen: Seen[] = [];
  const behaviour = { refuse: (() => false) as (record: Seen) => boolean, mostAtOnce: 0, running: 0 };
  const readers: StreamReader[] = [];
  const start = (shards: number, recordsPerShard = 1_000): StreamReader => {
    const mapping = { table: 't', pool: { spec: { arn: 'f' } }, batchSize: 10, filters, retries: Infinity, bisects: true };
    const reader = new StreamReader(
      { ...mapping, reportsFailures: true, windowSeconds: 900, onFailure: undefined } as unknown as StreamMapping,
      {
        file: {
          lastSequence: () => records,
          streamPage: (_: string, after: number, limit: number) => written.slice(after, after + Math.min(limit, 50)),
        },
        checkpoint,
        streamArn: 'arn:aws:dynamodb:x:y:t',
        expiry: { wasSwept: () => false },
        clockOffset: () => 0,
        shape: { shards, recordsPerShard },
        deliveries: {
          active: () => 0,
          deliver: async ({
            records: batch,
            event,
          }: {
            records: readonly JsonObject[];
            event: (records: readonly JsonObject[]) => JsonObject;
          }) => {
            const { shardId } = event(batch) as { shardId: string };
            behaviour.mostAtOnce = Math.max(behaviour.mostAtOnce, ++behaviour.running);
            await new Promise((resolve) => setTimeout(resolve, 2));
            behaviour.running--;
            const given = (batch as unknown as typeof written).map(({ dynamodb }): Seen => {
              return { partition: dynamodb.Keys.pk.S, sequence: Number(dynamodb.SequenceNumber), shardId };
            });
            if (given.some(behaviour.refuse)) throw new FunctionProblem('Error', 'refused');
            seen.push(...given);
            return { state: {} };
          },
        },
      } as unknown as StreamOptions,
    );
    readers.push(reader);
    reader.start();
    return reader;
  };
  ends.push(() => {
    for (const reader of readers) reader.stop();
  });
  return { start, seen, behaviour, saved: () => saved, saves: () => saves };
};
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
};
const sequences = (seen: readonly Seen[]): number[] => seen.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
const everything = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const expectOrderByPartition = (seen: readonly Seen[]): void => {
  const last = new Map<string, number>();
  for (const { partition, sequence } of seen) {
    expect(sequence).toBeGreaterThan(last.get(partition) ?? 0);
    last.set(partition, sequence);
  }
};

describe('the change stream', () => {
  it('has four shards that work at the same time; the records of a partition stay in one of them and in order', async () => {
    const { start, seen, behaviour } = await fixture();
    const reader = start(4);
    await until(() => reader.behind() === 0);
    expect(sequences(seen)).toEqual(everything(120));
    expectOrderByPartition(seen);
    expect(new Set(seen.map(({ shardId }) => shardId)).size).toBe(4);
    expect(Map.groupBy(seen, ({ partition }) => partition).size).toBe(12);
    for (const records of Map.groupBy(seen, ({ partition }) => partition).values())
      expect(new Set(records.map(({ shardId }) => shardId)).size).toBe(1);
    expect(behaviour.mostAtOnce).toBeGreaterThan(1);
  });

  it('is far behind while many records have been undone for more than five seconds', async () => {
    const ago = (seconds: number): number => Math.floor(Date.now() / 1_000) - seconds;
    const farBehind = async (records: number, writtenAt: number): Promise<[boolean, boolean]> => {
      const { start, behaviour } = await fixture({ records, writtenAt });
      let isSeen = false;
      let isRefused = true;
      behaviour.refuse = () => (isSeen = isRefused);
      const reader = start(4);
      await until(() => isSeen);
      const during = reader.isFarBehind();
      isRefused = false;
      await until(() => reader.behind() === 0);
      return [during, reader.isFarBehind()];
    };
    expect(await farBehind(1_500, ago(7))).toEqual([true, false]);
    expect(await farBehind(1_500, ago(1))).toEqual([false, false]);
    expect(await farBehind(400, ago(3_600))).toEqual([false, false]);
  });

  it('replaces a shard after its share of records: the successor begins when the first has ended', async () => {
    const { start, seen } = await fixture({ records: 400 });
    const reader = start(4, 20);
    await until(() => reader.behind() === 0);
    expect(sequences(seen)).toEqual(everything(400));
    expectOrderByPartition(seen);
    const shards = new Set(seen.map(({ shardId }) => shardId));
    expect(shards.size).toBeGreaterThan(12);
    for (const shardId of shards) expect(shardId).toMatch(/^shardId-\d{20}-[0-9a-f]{8}$/);
    for (const records of Map.groupBy(seen, ({ partition }) => partition).values()) {
      const ids = records.map(({ shardId }) => shardId);
      // once the successor has begun, the first gives no more
      for (const id of ids) expect(new Set(ids.slice(ids.indexOf(id), ids.lastIndexOf(id) + 1)), id).toEqual(new Set([id]));
    }
  });

  it('holds up one shard alone where a record fails again and again', async () => {
    const { start, seen, behaviour } = await fixture();
    behaviour.refuse = ({ sequence }) => sequence === 1;
    const reader = start(4);
    await until(() => seen.length > 0 && reader.behind() <= 40);
    expect(seen.some(({ partition }) => partition === 'P#0')).toBe(false);
    behaviour.refuse = () => false;
    await until(() => reader.behind() === 0);
    expect(sequences(seen)).toEqual(everything(120));
  });

  it('saves its progress once a second, not with each batch, while it passes over records that the function does not get', async () => {
    const { start, seen, saves } = await fixture({ records: 2_000, filters: [{ eventName: ['REMOVE'] }] });
    const began = performance.now();
    const reader = start(4);
    await until(() => reader.behind() === 0);
    expect(seen).toEqual([]);
    // 200 batches
    expect(saves()).toBeLessThanOrEqual(1 + (performance.now() - began) / 1_000);
  });

  it('saves its progress a few times a second, not with each batch, and when it stops', async () => {
    const { start, seen, saves, saved } = await fixture({ records: 2_000 });
    const began = performance.now();
    const reader = start(4);
    await until(() => reader.behind() === 0);
    reader.stop();
    expect(sequences(seen)).toEqual(everything(2_000));
    // 200 batches
    expect(saves()).toBeLessThanOrEqual(2 + (performance.now() - began) / 100);
    expect(Math.min(...saved().map(({ sequence }) => sequence))).toBe(2_000);
  });

  it.each([1, 3, 4, 8])('goes on after a stop where each of 4 shards stood, with %d shards now', async (shards) => {
    const { start, seen, behaviour } = await fixture();
    behaviour.refuse = ({ partition, sequence }) => partition === 'P#0' || sequence > 90;
    const first = start(4);
    await until(() => seen.length >= 30);
    first.stop();
    await until(() => behaviour.running === 0);
    behaviour.refuse = () => false;
    const second = start(shards);
    await until(() => second.behind() === 0);
    expect(new Set(sequences(seen)).size).toBe(120);
    // a batch that was under way at the stop may come again, and nothing else
    expect(seen.length).toBeLessThanOrEqual(120 + 40);
  });
});

describe("the emulator's file", () => {
  const table = 'switchboard';
  const item = (sk: string, more: JsonObject = {}): JsonObject => ({ pk: { S: 'P' }, sk: { S: sk }, ...more });
  let emulator: Awaited<ReturnType<typeof startDynamo>>;
  let file: ReturnType<typeof openTableFile>;
  const call = (operation: string, input: JsonObject): Promise<JsonObject> =>
    awsCall(emulator.endpoint, dynamodb(operation), { TableName: table, ...input });
  beforeAll(async () => {
    emulator = await startDynamo(await freePort());
    await call('CreateTable', tableDefinition(table) as unknown as JsonObject);
    file = openTableFile(emulator.file, [{ name: table, ttlAttribute: 'ttl', keyNames: ['pk', 'sk'] }]);
  });
  afterAll(async () => {
    file.close();
    await emulator.stop();
  });

  it('gives the stream as GetRecords gives it', async () => {
    await call('PutItem', {
      Item: item('a', { n: { N: '1.50' }, b: { B: 'AAEC' }, m: { M: { l: { L: [{ NULL: true }, { SS: ['é'] }] } } } }),
    });
    await call('PutItem', { Item: item('a', { n: { N: '2' } }) });
    await call('DeleteItem', { Key: item('a') });
    const { LatestStreamArn } = objectOf((await call('DescribeTable', {})).Table);
    const from = { StreamArn: LatestStreamArn ?? '', ShardId: `shardId-00000001-${table}`, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await awsCall(emulator.endpoint, streams('GetShardIterator'), from);
    const theirs = await awsCall(emulator.endpoint, streams('GetRecords'), { ShardIterator: ShardIterator ?? '' });
    const comparable = (record: JsonObject): JsonObject => {
      const { awsRegion: _, dynamodb: change, ...rest } = record;
      const { SizeBytes: __, ...stored } = objectOf(change);
      return { ...rest, dynamodb: stored };
    };
    expect(file.streamPage(table, 0, 100).map(comparable)).toEqual(listOf(theirs.Records).map(objectOf).map(comparable));
    expect(file.streamPage(table, 1, 1).map(({ eventID }) => eventID)).toEqual(['2']);
  });

  it('finds what has expired by an index, and the sweep drops that alone, a few at a time', async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const [sk, ttl] of [
      ['old', now - 50],
      ['older', now - 100],
      ['later', now + 1_000],
    ] as const)
      await call('PutItem', { Item: item(sk, { ttl: { N: String(ttl) } }) });
    await call('PutItem', { Item: item('endless') });
    expect(file.expiredKeys(table, now, 10)).toEqual([item('older'), item('old')]);
    const expiry = tableExpiry(emulator.endpoint, file, [{ name: table, ttlAttribute: 'ttl', keyNames: ['pk', 'sk'] }]);
    await expiry.sweep(1);
    expect(file.expiredKeys(table, now, 10)).toEqual([item('old')]);
    await expiry.sweep(Infinity);
    expect(
      listOf((await call('Scan', {})).Items)
        .map((each) => textOf(objectOf(objectOf(each).sk).S) ?? '')
        .toSorted(),
    ).toEqual(['endless', 'later']);
    expect([item('old'), item('older'), item('later')].map((key) => expiry.wasSwept(key))).toEqual([true, true, false]);
    using database = new DatabaseSync(emulator.file, { readOnly: true });
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${expiredQuery({ name: table, ttlAttribute: 'ttl', keyNames: ['pk', 'sk'] })}`)
      .all(now, 10);
    expect(JSON.stringify(plan)).toContain('USING INDEX _local_expiry_');
  });

  it('is trimmed in parts, the oldest records first; none beyond the given number, and never the newest', async () => {
    for (let nth = 0; nth < 12; nth++) await call('PutItem', { Item: item(`trim-${nth}`) });
    const newest = file.lastSequence(table);
    const left = (): number[] => file.streamPage(table, 0, 100).map(({ eventID }) => newest - Number(eventID));
    const trimWhole = (upTo: number): void => {
      for (let more = true; more; ) more = file.trimStream(table, upTo, 5);
    };
    const before = left();
    expect(file.trimStream(table, newest - 4, 5)).toBe(true);
    expect(left()).toEqual(before.slice(5));
    trimWhole(newest - 4);
    expect(left()).toEqual([3, 2, 1, 0]);
    trimWhole(Number.MAX_SAFE_INTEGER);
    expect(left()).toEqual([0]);
  });
});
