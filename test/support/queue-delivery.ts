import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { FauxqsServer } from 'fauxqs';
import type { QueueFunction } from '../../shared/contract/context.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { setting } from '../../shared/runtime/env.ts';
import type { TestClock } from './clock.ts';
import { chance, type Drained, type DrainOptions, failureIds, type Worker } from './delivery.ts';
import { type Random, shuffled } from './random.ts';

export interface QueueSource {
  server: FauxqsServer;
  clock: TestClock;
  workers: readonly Worker<QueueFunction>[];
}

export interface InFlight {
  /** Failed, and kept back for the next drain. */
  held: { url: string; receipt: string }[];
  /** Received by a drain of this world and not yet given back. */
  inHand: Set<string>;
}

export async function drainQueue(
  sqs: SQSClient,
  server: FauxqsServer,
  worker: Worker<QueueFunction>,
  options: DrainOptions,
  random: Random,
  sum: Drained,
  { held, inHand }: InFlight,
): Promise<boolean> {
  const url = setting(variableOf(worker.spec.queue));
  let worked = false;
  for (;;) {
    const batch = await receive(sqs, url, worker.spec.batchSize, () => hasReady(server, worker));
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

/** A batch as the event source mapping collects it: several receives when it may be larger than ten, and none that would come back empty. */
async function receive(sqs: SQSClient, url: string, size: number, isReady: () => boolean): Promise<Message[]> {
  const batch: Message[] = [];
  while (batch.length < size && isReady()) {
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
export async function returnLostMessages(sqs: SQSClient, { server, workers }: QueueSource, inHand: ReadonlySet<string>): Promise<boolean> {
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
export function releaseNext({ server, workers, clock }: QueueSource, until: number): boolean {
  const dues = workers.flatMap(
    ({ spec }) => server.inspectQueue(spec.queue.name)?.messages.delayed.map((each) => each.delayUntil ?? 0) ?? [],
  );
  const next = Math.min(...dues);
  if (dues.length === 0 || next > until) return false;
  clock.moveTo(next + 1);
  return true;
}
