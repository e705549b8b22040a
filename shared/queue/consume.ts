import type { Context as LambdaContext, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { type Queue, retryDelaySeconds, visibilitySeconds } from '../contract/queue.ts';
import type { QueueSpec } from '../contract/resource.ts';
import { log, metric, runFields, withLogScope } from '../runtime/log.ts';
import { restoreState } from '../table/restored-copy.ts';
import { hideFor, whileHidden } from './visibility.ts';

export interface QueueDelivery {
  /** 1 for the first. */
  attempt: number;
  messageId: string;
}

/** Messages of a batch that change the same item are processed one after another, in this order: in parallel each would refuse the others' writes. */
export interface Sequence<Message> {
  sameItem: (message: Message) => string;
  place: (message: Message) => number;
}

/**
 * A queue's worker. Records are parsed and processed in parallel; a record that throws is reported as a batch item failure, delivered
 * again (soon at first: retryDelaySeconds), and moved to the dead-letter queue in the end. So is a record that cannot be parsed.
 */
export const consume =
  <S extends z.ZodType>(
    queue: Queue<S>,
    work: (message: z.output<S>, delivery: QueueDelivery) => Promise<void>,
    sequence?: Sequence<z.output<S>>,
  ) =>
  (event: SQSEvent, context?: LambdaContext): Promise<SQSBatchResponse> =>
    withLogScope(runFields(context), async () => {
      if (await mustWait(queue)) return giveBack(queue, event.Records);
      const failures = await Promise.all(
        sequencesOf(queue, event.Records, sequence).map(async (records) => {
          const failed: (string | undefined)[] = [];
          for (const record of records) failed.push(await processRecord(queue, record, work));
          return failed;
        }),
      );
      return {
        batchItemFailures: failures
          .flat()
          .filter((id) => id !== undefined)
          .map((itemIdentifier) => ({ itemIdentifier })),
      };
    });

/** Until a restored table is open nothing leaves (docs/decisions/restore-in-time.md). */
async function mustWait({ onlyRemoves }: QueueSpec): Promise<boolean> {
  const state = await restoreState();
  return state === 'closed' || (state === 'readable' && !onlyRemoves);
}

/** The messages come back later. Each time counts as a delivery: what waits for more than two hours is a dead letter, and not lost. */
const givenBackForSeconds = 900;

async function giveBack(queue: QueueSpec, records: readonly SQSRecord[]): Promise<SQSBatchResponse> {
  log.warn('The restored table is not open: messages wait', { queue: queue.name, count: records.length });
  await Promise.all(records.map(({ receiptHandle }) => hideFor(queue, receiptHandle, givenBackForSeconds)));
  return { batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

function sequencesOf<S extends z.ZodType>(
  queue: Queue<S>,
  records: readonly SQSRecord[],
  sequence: Sequence<z.output<S>> | undefined,
): (readonly SQSRecord[])[] {
  if (!sequence) return records.map((record) => [record]);
  const places = records.map((record) => ({ record, ...placeOf(queue, record, sequence) }));
  return [...Map.groupBy(places, ({ item }) => item).values()].map((group) =>
    group.toSorted((a, b) => a.place - b.place).map(({ record }) => record),
  );
}

/** A record that cannot be parsed fails by itself, when it is processed. */
function placeOf<S extends z.ZodType>(
  queue: Queue<S>,
  { body, messageId }: SQSRecord,
  { sameItem, place }: Sequence<z.output<S>>,
): { item: string; place: number } {
  try {
    const message = queue.message.parse(JSON.parse(body));
    return { item: sameItem(message), place: place(message) };
  } catch {
    return { item: messageId, place: 0 };
  }
}

async function processRecord<S extends z.ZodType>(
  queue: Queue<S>,
  record: SQSRecord,
  work: (message: z.output<S>, delivery: QueueDelivery) => Promise<void>,
): Promise<string | undefined> {
  const attempt = Number(record.attributes?.ApproximateReceiveCount ?? 1);
  const requestId = record.messageAttributes?.['request_id']?.stringValue;
  return withLogScope({ queue: queue.name, attempt, ...(requestId ? { request_id: requestId } : {}) }, async () => {
    try {
      const message = queue.message.parse(JSON.parse(record.body));
      await whileHidden(queue, record.receiptHandle, () => work(message, { attempt, messageId: record.messageId }));
      return undefined;
    } catch (error) {
      log.error('A message failed and will be delivered again', error);
      metric('MessageFailures', 'Count', 1);
      const delay = retryDelaySeconds(attempt, { maxReceives: queue.maxReceives, visibility: visibilitySeconds(queue) });
      await hideFor(queue, record.receiptHandle, delay);
      return record.messageId;
    }
  });
}
