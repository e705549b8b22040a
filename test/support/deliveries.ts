import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { FauxqsServer } from 'fauxqs';
import { awsCall, dynamodb, streams } from '../../lib/local/aws-call.ts';
import { listOf, objectOf, textOf } from '../../lib/local/json.ts';
import type { QueueFunction, StreamFunction } from '../../shared/contract/context.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { setting } from '../../shared/runtime/env.ts';
import { fromWire } from '../../shared/table/entity.ts';
import { shardOf } from '../../shared/table/schema.ts';
import type { TestClock } from './clock.ts';
import { isVisiting } from './fault-points.ts';
import { type Random, seeded, shuffled } from './random.ts';
import { unwatched } from './table-watch.ts';

/** At-least-once delivery at its worst, the same for the same seed. */
export interface Disorder {
  seed: number;
  /** Share of batches that are delivered a second time after they succeeded. */
  duplicate?: number;
  /** Share of batches whose work is done but whose success is lost: they come again. */
  crash?: number;
  /** Messages of a batch are shuffled. */
  reorder?: boolean;
  /** Share of stream batches after which their shard begins again up to 300 records back, as after a lost checkpoint. */
  replay?: number;
}

export interface DrainOptions {
  /** Delayed messages too: the clock moves to each in turn. */
  including?: 'delayed';
  /** With `including`: only those that fall due until then, epoch milliseconds. */
  until?: number;
  disorder?: Disorder;
  /** False: what failed stays on its queue for the next drain. Otherwise it comes again at once, until the dead-letter queue has it. */
  retry?: boolean;
}

export interface Drained {
  records: number;
  messages: number;
  failures: number;
}

export interface Worker<Spec> {
  spec: Spec;
  invoke: (event: unknown) => Promise<unknown>;
}

export interface Plumbing {
  tableEndpoint: string;
  table: string;
  server: FauxqsServer;
  clock: TestClock;
  stream: Worker<StreamFunction> | undefined;
  /** Of the change stream: records of one partition key keep their order, shards are worked in any. */
  shards: number;
  workers: readonly Worker<QueueFunction>[];
}

/** What the table did to an item, told in the order in which it did it: answers to calls side by side may come in another. */
export interface TableChange {
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}
export type ChangeHook = (change: TableChange) => void;

/** Runs the change stream and the queues until nothing is left to do. */
export const deliveries = (given: Plumbing) => {
  const sqs = new SQSClient({ endpoint: endpointOfQueues(), region: 'us-east-1' });
  unwatched.add(sqs);
  const past: Past[] = [];
  const plumbing = { ...given, workers: given.workers.map((worker) => remembering(worker, past)) };
  const stream = shardedStream(plumbing);
  const inHand = new Set<string>();
  return {
    /** Runs the hook on every change that is read from the stream from now on, each once; ends when disposed. */
    onChange: (hook: ChangeHook): Disposable => {
      stream.hooks.add(hook);
      return { [Symbol.dispose]: () => stream.hooks.delete(hook) };
    },
    drain: async (asked: DrainOptions = {}): Promise<Drained> => {
      // visits die often enough: more, and what is sound goes to the dead letters
      const options = isVisiting() && asked.disorder ? { ...asked, disorder: { ...asked.disorder, crash: 0 } } : asked;
      const random = seeded(options.disorder?.seed ?? 0);
      const sum: Drained = { records: 0, messages: 0, failures: 0 };
      const held: { url: string; receipt: string }[] = [];
      try {
        for (let turn = 0; ; turn++) {
          if (turn > 10_000) throw new Error('The queues do not come to rest: something wakes itself for ever.');
          let worked = await drainStream(stream, plumbing, options, random, sum);
          for (const worker of plumbing.workers)
            if (hasReady(plumbing.server, worker))
              worked = (await drainQueue(sqs, worker, options, random, sum, { held, inHand })) || worked;
          if (worked || (await reclaim(sqs, plumbing, inHand))) continue;
          if (options.including === 'delayed' && releaseNext(plumbing, options.until ?? Number.POSITIVE_INFINITY)) continue;
          break;
        }
      } finally {
        for (const { url, receipt } of held) {
          await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receipt, VisibilityTimeout: 0 }));
          inHand.delete(receipt);
        }
      }
      return sum;
    },
    /** A share of what the queues delivered lately once more, oldest first, as a queue may that lost the news of its end. */
    redeliver: async (random: Random, share: number): Promise<void> => {
      for (const { worker, event } of past.slice())
        if (random() < share)
          for (let attempt = 0, failed = 1; failed > 0 && attempt < 3; attempt++)
            failed = await worker.invoke(event).then(
              (answer) => failureIds(answer).length,
              () => 1,
            );
    },
    stop: () => sqs.destroy(),
  };
};

/** A batch that a queue's worker was given. */
interface Past {
  worker: Worker<QueueFunction>;
  event: unknown;
}
const rememberedBatches = 300;

function remembering(worker: Worker<QueueFunction>, past: Past[]): Worker<QueueFunction> {
  return {
    ...worker,
    invoke: (event) => {
      past.push({ worker, event });
      if (past.length > rememberedBatches) past.shift();
      return worker.invoke(event);
    },
  };
}

/** One shard: what is left of it, and of what was worked as much as a lost checkpoint could bring back. */
interface Shard {
  id: string;
  records: StreamRecord[];
  /** How many of `records` are worked. */
  worked: number;
}

interface ShardedStream {
  /** Reads what the table wrote since, into the shards. */
  read: () => Promise<void>;
  shards: readonly Shard[];
  hooks: Set<ChangeHook>;
  arn: () => string;
}

interface StreamRecord {
  eventID: string;
  dynamodb: {
    SequenceNumber: string;
    ApproximateCreationDateTime: number;
    Keys: { pk: { S: string } };
    OldImage?: unknown;
    NewImage?: unknown;
  };
}

/** The emulator has one shard; its records are dealt out by partition key, as the table's partitions would. */
function shardedStream({ tableEndpoint, table, clock, shards: count }: Plumbing): ShardedStream {
  let iterator: string | undefined;
  let arn = '';
  const hooks = new Set<ChangeHook>();
  const shards = Array.from({ length: count }, (_, nth): Shard => ({ id: String(nth), records: [], worked: 0 }));
  const begin = async (): Promise<string> => {
    const described = await awsCall(tableEndpoint, dynamodb('DescribeTable'), { TableName: table });
    arn = textOf(objectOf(described['Table'])['LatestStreamArn']) ?? '';
    const stream = await awsCall(tableEndpoint, streams('DescribeStream'), { StreamArn: arn });
    const shardId = textOf(objectOf(listOf(objectOf(stream['StreamDescription'])['Shards'])[0])['ShardId']) ?? '';
    for (const [nth, shard] of shards.entries()) shard.id = nth === 0 ? shardId : `${shardId}-${nth}`;
    const input = { StreamArn: arn, ShardId: shardId, ShardIteratorType: 'TRIM_HORIZON' };
    return textOf((await awsCall(tableEndpoint, streams('GetShardIterator'), input))['ShardIterator']) ?? '';
  };
  return {
    read: async () => {
      iterator ??= await begin();
      for (;;) {
        const answer = await awsCall(tableEndpoint, streams('GetRecords'), { ShardIterator: iterator, Limit: 1_000 });
        const records = answer['Records'] as unknown as StreamRecord[];
        if (records.length === 0) return;
        iterator = textOf(answer['NextShardIterator']) ?? iterator;
        for (const record of records) {
          // AWS writes no record for a write that changes nothing; the emulator does
          if (JSON.stringify(record.dynamodb.OldImage) === JSON.stringify(record.dynamodb.NewImage)) continue;
          for (const hook of hooks) hook({ before: imageOf(record.dynamodb.OldImage), after: imageOf(record.dynamodb.NewImage) });
          record.dynamodb.ApproximateCreationDateTime += Math.floor(clock.offset() / 1_000);
          shards[shardOf(record.dynamodb.Keys.pk.S, count)]?.records.push(record);
        }
      }
    },
    shards,
    hooks,
    arn: () => arn,
  };
}

const imageOf = (image: unknown): TableChange['before'] => (image ? (fromWire({ M: image }) as Record<string, unknown>) : undefined);

const streamTries = 8;
const keptForReplay = 300;

async function drainStream(
  { read, shards, arn }: ShardedStream,
  { stream }: Plumbing,
  options: DrainOptions,
  random: Random,
  sum: Drained,
): Promise<boolean> {
  let worked = false;
  for (;;) {
    await read();
    const waiting = shards.filter(({ records, worked: done }) => done < records.length);
    const shard = waiting.length > 1 ? waiting[Math.floor(random() * waiting.length)] : waiting[0];
    if (!shard) return worked;
    const batch = shard.records.slice(shard.worked, shard.worked + (stream?.spec.batchSize ?? 1_000));
    if (stream) {
      worked = true;
      sum.records += batch.length;
      await deliverRecords(stream, batch, { shardId: shard.id, arn: arn() }, options, random, sum);
    }
    shard.worked += batch.length;
    if (chance(options.disorder?.replay, random)) shard.worked = Math.floor(random() * shard.worked);
    shard.records = shard.records.slice(Math.max(0, shard.worked - keptForReplay));
    shard.worked = Math.min(shard.worked, keptForReplay);
  }
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
    try {
      failedAt = firstFailure(await stream.invoke(streamEvent(left, source)), left);
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (failedAt === undefined && chance(disorder?.crash, random)) failedAt = 0;
    else if (failedAt === undefined && chance(disorder?.duplicate, random)) await stream.invoke(streamEvent(left, source));
    if (failedAt === undefined) return;
    sum.failures++;
    left = left.slice(failedAt);
  }
}

interface Source {
  shardId: string;
  arn: string;
}

/** A tumbling-window invocation: the form in which Lambda tells the shard, by which folds know what they have seen. */
function streamEvent(records: readonly StreamRecord[], { shardId, arn }: Source): unknown {
  const at = records[0]?.dynamodb.ApproximateCreationDateTime ?? 0;
  return {
    Records: records.map((record) => ({
      awsRegion: 'us-east-1',
      eventSource: 'aws:dynamodb',
      eventVersion: '1.1',
      eventSourceARN: arn,
      ...record,
    })),
    window: { start: new Date(at * 1_000).toISOString(), end: new Date(at * 1_000 + 1_000).toISOString() },
    state: {},
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

interface InFlight {
  /** Failed, and kept back for the next drain. */
  held: { url: string; receipt: string }[];
  /** Received by a drain of this world and not yet given back. */
  inHand: Set<string>;
}

async function drainQueue(
  sqs: SQSClient,
  worker: Worker<QueueFunction>,
  options: DrainOptions,
  random: Random,
  sum: Drained,
  { held, inHand }: InFlight,
): Promise<boolean> {
  const url = setting(variableOf(worker.spec.queue));
  let worked = false;
  for (;;) {
    const batch = await receive(sqs, url, worker.spec.batchSize);
    if (batch.length === 0) return worked;
    worked = true;
    for (const { ReceiptHandle } of batch) inHand.add(ReceiptHandle ?? '');
    const messages = options.disorder?.reorder ? shuffled(batch, random) : batch;
    const failed = await deliver(worker, messages, options, random);
    const done = messages.filter((each) => !failed.has(each.MessageId ?? ''));
    for (let i = 0; i < done.length; i += 10)
      await sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: url,
          Entries: done.slice(i, i + 10).map((each, index) => ({ Id: String(index), ReceiptHandle: each.ReceiptHandle })),
        }),
      );
    for (const { ReceiptHandle } of done) inHand.delete(ReceiptHandle ?? '');
    sum.messages += done.length;
    for (const each of messages.filter((one) => failed.has(one.MessageId ?? ''))) {
      sum.failures++;
      const receipt = each.ReceiptHandle ?? '';
      if (options.retry === false) held.push({ url, receipt });
      else {
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receipt, VisibilityTimeout: 0 }));
        inHand.delete(receipt);
      }
    }
  }
}

async function deliver(
  worker: Worker<QueueFunction>,
  messages: readonly Message[],
  { disorder }: DrainOptions,
  random: Random,
): Promise<Set<string>> {
  const everyone = new Set(messages.map((each) => each.MessageId ?? ''));
  const event = queueEvent(worker.spec, messages);
  try {
    const failed = new Set(failureIds(await worker.invoke(event)));
    if (chance(disorder?.crash, random)) return everyone;
    if (chance(disorder?.duplicate, random)) await worker.invoke(event);
    return failed;
  } catch {
    return everyone;
  }
}

function queueEvent(spec: QueueFunction, messages: readonly Message[]): unknown {
  return {
    Records: messages.map((each) => ({
      messageId: each.MessageId,
      receiptHandle: each.ReceiptHandle,
      body: each.Body,
      attributes: each.Attributes ?? {},
      messageAttributes: Object.fromEntries(
        Object.entries(each.MessageAttributes ?? {}).map(([name, value]) => [
          name,
          { stringValue: value.StringValue, dataType: value.DataType, stringListValues: [], binaryListValues: [] },
        ]),
      ),
      md5OfBody: each.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${spec.queue.name}`,
      awsRegion: 'us-east-1',
    })),
  };
}

/** A batch as the event source mapping collects it: several receives when it may be larger than ten. */
async function receive(sqs: SQSClient, url: string, size: number): Promise<Message[]> {
  const batch: Message[] = [];
  while (batch.length < size) {
    const answer = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(10, size - batch.length),
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    const messages = answer.Messages ?? [];
    batch.push(...messages);
    if (messages.length === 0) break;
  }
  return batch;
}

/** A receive whose answer was lost leaves its messages in flight, with nobody to work them: they are put back, as time would do. */
async function reclaim(sqs: SQSClient, { server, workers }: Plumbing, inHand: ReadonlySet<string>): Promise<boolean> {
  let found = false;
  for (const { spec } of workers)
    for (const { receiptHandle } of server.inspectQueue(spec.queue.name)?.messages.inflight ?? []) {
      if (inHand.has(receiptHandle)) continue;
      found = true;
      const url = setting(variableOf(spec.queue));
      await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }));
    }
  return found;
}

/** Asked in this process, so that a queue with nothing to receive costs no request. */
function hasReady(server: FauxqsServer, { spec }: Worker<QueueFunction>): boolean {
  const messages = server.inspectQueue(spec.queue.name)?.messages;
  return (messages?.ready.length ?? 0) > 0 || (messages?.delayed.some((each) => (each.delayUntil ?? 0) <= Date.now()) ?? false);
}

/** Moves the clock to the next delayed message of a queue that has a worker. */
function releaseNext({ server, workers, clock }: Plumbing, until: number): boolean {
  const dues = workers.flatMap(
    ({ spec }) => server.inspectQueue(spec.queue.name)?.messages.delayed.map((each) => each.delayUntil ?? 0) ?? [],
  );
  const next = Math.min(...dues);
  if (dues.length === 0 || next > until) return false;
  clock.moveTo(next + 1);
  return true;
}

function failureIds(answer: unknown): string[] {
  const failures = (answer as { batchItemFailures?: { itemIdentifier: string }[] } | undefined)?.batchItemFailures ?? [];
  return failures.map((each) => each.itemIdentifier);
}

const chance = (share: number | undefined, random: Random): boolean => share !== undefined && share > 0 && random() < share;

function endpointOfQueues(): string {
  return setting('AWS_ENDPOINT_URL_SQS');
}
