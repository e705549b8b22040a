import type { QueueFunction } from '../../shared/contract/context.ts';
import type { TestClock } from './clock.ts';
import { chance, type Drained, type DrainOptions, failureIds, type Worker } from './delivery.ts';
import type { LocalQueue, QueueStore, ReceivedMessage } from './queue-store.ts';
import { type Random, shuffled } from './random.ts';

export interface QueueSource {
  store: QueueStore;
  clock: TestClock;
  workers: readonly Worker<QueueFunction>[];
}

/** A message as a worker's function gets it. */
export interface DeliveredRecord {
  messageId: string;
  body: string;
  messageAttributes: Readonly<Record<string, { stringValue: string | undefined; dataType: string }>>;
}
export interface QueueEvent {
  Records: readonly DeliveredRecord[];
}

export interface InFlight {
  /** Failed, and kept back for the next drain. */
  held: { queue: LocalQueue; receipt: string }[];
  /** Received by a drain of this test app and not yet given back. */
  inHand: Set<string>;
}

export async function drainQueue(
  store: QueueStore,
  worker: Worker<QueueFunction>,
  options: DrainOptions,
  random: Random,
  sum: Drained,
  { held, inHand }: InFlight,
): Promise<boolean> {
  const queue = queueOf(store, worker);
  let worked = false;
  for (;;) {
    const batch = receive(store, queue, worker.spec.batchSize, options.retry === 'timed');
    if (batch.length === 0) return worked;
    worked = true;
    for (const { ReceiptHandle } of batch) inHand.add(ReceiptHandle);
    const messages = options.disorder?.reorder ? shuffled(batch, random) : batch;
    const failed = await deliver(worker, queue, messages, options, random);
    for (const { MessageId, ReceiptHandle: receipt } of messages) {
      if (!failed.has(MessageId)) {
        queue.deleteMessage(receipt);
        inHand.delete(receipt);
        sum.messages++;
        continue;
      }
      sum.failures++;
      if (options.retry === 'timed') inHand.delete(receipt);
      else if (options.retry === false) held.push({ queue, receipt });
      else putBack(queue, receipt, inHand);
    }
  }
}

/** What comes back from a worker that failed is ready at once. */
export function putBack(queue: LocalQueue, receipt: string, inHand: Set<string>): void {
  queue.changeVisibility(receipt, 0);
  inHand.delete(receipt);
}

const queueOf = (store: QueueStore, { spec }: Worker<QueueFunction>): LocalQueue => {
  const queue = store.getQueueByName(spec.queue.name);
  if (!queue) throw new Error(`There is no queue ${spec.queue.name}.`);
  return queue;
};

async function deliver(
  worker: Worker<QueueFunction>,
  queue: LocalQueue,
  messages: readonly ReceivedMessage[],
  { disorder }: DrainOptions,
  random: Random,
): Promise<Set<string>> {
  const everyone = new Set(messages.map((each) => each.MessageId));
  const event = queueEvent(worker.spec, queue, messages);
  try {
    const failed = new Set(failureIds(await worker.invoke(event)));
    if (chance(disorder?.crash, random)) return everyone;
    if (chance(disorder?.duplicate, random)) await worker.invoke(event);
    return failed;
  } catch {
    return everyone;
  }
}

function queueEvent(spec: QueueFunction, queue: LocalQueue, messages: readonly ReceivedMessage[]): QueueEvent {
  return {
    Records: messages.map((each) => ({
      messageId: each.MessageId,
      receiptHandle: each.ReceiptHandle,
      body: each.Body,
      attributes: attributesOf(queue, each.ReceiptHandle),
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

/** What SQS gives with a message besides what its sender wrote. */
function attributesOf(queue: LocalQueue, receipt: string): Record<string, string> {
  const message = queue.inflightMessages.get(receipt)?.message;
  if (!message) return {};
  const { sentTimestamp, approximateReceiveCount, approximateFirstReceiveTimestamp, messageGroupId } = message;
  return {
    SentTimestamp: String(sentTimestamp),
    ApproximateReceiveCount: String(approximateReceiveCount),
    ...(approximateFirstReceiveTimestamp === undefined
      ? {}
      : { ApproximateFirstReceiveTimestamp: String(approximateFirstReceiveTimestamp) }),
    ...(messageGroupId === undefined ? {} : { MessageGroupId: messageGroupId }),
  };
}

/** A batch as the event source mapping collects it: several receives when it may be larger than ten. */
function receive(store: QueueStore, queue: LocalQueue, size: number, isTimed: boolean): ReceivedMessage[] {
  const batch: ReceivedMessage[] = [];
  while (batch.length < size && (hasReady(queue) || (isTimed && visibleAt(queue) <= Date.now()))) {
    const messages = queue.dequeue(Math.min(10, size - batch.length), undefined, (arn) => store.getQueueByArn(arn));
    batch.push(...messages);
    if (messages.length === 0) break;
  }
  return batch;
}

const hasReady = ({ messages, delayedMessages }: LocalQueue): boolean =>
  messages.length > 0 || delayedMessages.some(({ delayUntil = 0 }) => delayUntil <= Date.now());

/** When the next message that a worker failed at, or died over, is visible again; epoch milliseconds. */
const visibleAt = ({ inflightMessages }: LocalQueue): number =>
  Math.min(...[...inflightMessages.values()].map(({ visibilityDeadline }) => visibilityDeadline));

/** A receive whose answer was lost leaves its messages in flight, with no one to work them: they are put back, as time would do. */
export function returnLostMessages({ store, workers }: QueueSource, inHand: Set<string>): boolean {
  let found = false;
  for (const worker of workers) {
    const queue = queueOf(store, worker);
    for (const receipt of queue.inflightMessages.keys()) {
      if (inHand.has(receipt)) continue;
      found = true;
      putBack(queue, receipt, inHand);
    }
  }
  return found;
}

/** Moves the clock to the next delayed message of a queue that has a worker; where failures are timed, also to one that is visible again. */
export function releaseNext({ store, workers, clock }: QueueSource, until: number, isTimed: boolean): boolean {
  const dues = workers
    .map((worker) => queueOf(store, worker))
    .flatMap((queue) => [...queue.delayedMessages.map((each) => each.delayUntil ?? 0), ...(isTimed ? [visibleAt(queue)] : [])]);
  const next = Math.min(...dues);
  if (dues.length === 0 || next > until) return false;
  clock.moveTo(next + 1);
  return true;
}
