import { RequestThrottled, SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import type { Queue } from '../contract/queue.ts';
import { variableOf } from '../contract/resource.ts';
import { optionalSetting, setting } from '../runtime/env.ts';
import { gathered } from '../runtime/gather.ts';
import { currentRequestId } from '../runtime/log.ts';
import { processMap } from '../runtime/memory.ts';
import { inParallel } from '../runtime/parallel.ts';
import { refusalOfEntry } from '../runtime/refused-for-good.ts';
import { Temporary } from '../runtime/temporary.ts';
import { sqs } from './client.ts';

/** An entry of a request, with what the SDK's type leaves open. */
export type QueueEntry = SendMessageBatchRequestEntry & { Id: string; MessageBody: string };

export interface Outgoing<S extends z.ZodType = z.ZodType> {
  /** The tenant, by which standard queues share fairly (MessageGroupId). */
  companyId: number;
  message: z.input<S>;
  /** 0 to 900. */
  delaySeconds?: number;
}

/** Thrown when some messages could not be queued after all attempts. The caller repeats the whole step. */
export class NotSent extends Temporary {
  override name = 'NotSent';
  readonly unsent: number;
  constructor(unsent: number, queueName: string) {
    super(`${unsent} messages could not be put on ${queueName}.`);
    this.unsent = unsent;
  }
}

/** Queues messages in batches of ten entries or 1 MB. Repeats only the failed ones and throws NotSent when some remain. */
export const send = async <S extends z.ZodType>(queue: Queue<S>, messages: readonly Outgoing<S>[]): Promise<void> => {
  const unsent = await sendEntries(queue, messages.map(entryOf));
  if (unsent.size > 0) throw new NotSent(unsent.size, queue.name);
};

/** The same, in requests with what others in this process queue within a moment. For callers that have a message or two, many a second. */
export const sendTogether = async <S extends z.ZodType>(queue: Queue<S>, messages: readonly Outgoing<S>[]): Promise<void> => {
  const sendSoon = senders.get(queue.name) ?? senderTo(queue as unknown as Queue);
  senders.set(queue.name, sendSoon);
  const results = await Promise.allSettled(messages.map((each, index) => sendSoon(entryOf(each, index))));
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length > 0)
    throw failed.every(({ reason }) => reason instanceof NotSent) ? new NotSent(failed.length, queue.name) : failed[0]?.reason;
};

const senders = processMap<string, (entry: QueueEntry) => Promise<void>>();

const senderTo = (queue: Queue): ((entry: QueueEntry) => Promise<void>) =>
  gathered({ atMost: 10, withinMs: 2 }, async (entries) => {
    const unsent = await sendEntries(
      queue,
      entries.map((entry, index) => ({ ...entry, Id: String(index) })),
    );
    return entries.map((_, index) =>
      unsent.has(String(index))
        ? { status: 'rejected' as const, reason: new NotSent(1, queue.name) }
        : { status: 'fulfilled' as const, value: undefined },
    );
  });

/** The ids of those that could not be queued. */
const sendEntries = async (queue: Queue, entries: readonly QueueEntry[]): Promise<ReadonlySet<string>> =>
  new Set((await inParallel(slices(entries), 8, (slice) => sendSlice(queue, slice))).flat().map(({ Id }) => Id));

function entryOf({ companyId, message, delaySeconds }: Outgoing, index: number): QueueEntry {
  const causedBy = currentRequestId();
  const trace = optionalSetting(traceVariable);
  return {
    Id: String(index),
    MessageBody: messageBody(message),
    MessageGroupId: String(companyId),
    ...(delaySeconds ? { DelaySeconds: Math.min(900, Math.ceil(delaySeconds)) } : {}),
    MessageAttributes: {
      tenant: { DataType: 'String', StringValue: String(companyId) },
      ...(causedBy ? { request_id: { DataType: 'String', StringValue: causedBy } } : {}),
    },
    ...(trace === undefined ? {} : { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } } }),
  };
}

/**
 * Lambda's trace of this run. Handed on with a message it joins the worker's to it, and lets Lambda see a function that starts itself by way of
 * a queue without end: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const traceVariable = '_X_AMZN_TRACE_ID';

/**
 * The JSON of a message. SQS allows no U+FFFE and U+FFFF, and the local emulator no characters beyond U+FFFF (emoji), so they are written as
 * JSON escapes.
 */
export const messageBody = (message: unknown): string =>
  JSON.stringify(message).replace(/[\ud800-\udfff\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);

const maxSliceBytes = 1_000_000;
const maxAttempts = 4;

/** Groups entries into requests of at most ten entries and 1 MB. */
export const slices = (entries: readonly QueueEntry[]): QueueEntry[][] => {
  const out: QueueEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.MessageBody) + 200;
    const last = out.at(-1);
    if (last && last.length < 10 && bytes + size <= maxSliceBytes) {
      last.push(entry);
      bytes += size;
    } else {
      out.push([entry]);
      bytes = size;
    }
  }
  return out;
};

/** What stays unsent after all attempts. A queue that throttles each of them has taken nothing of the slice. */
async function sendSlice(queue: Queue, slice: QueueEntry[]): Promise<QueueEntry[]> {
  let left = slice;
  try {
    for (let attempt = 1; attempt <= maxAttempts && left.length > 0; attempt++) {
      if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, 25 * 2 ** attempt));
      const answer = await sqs().send(new SendMessageBatchCommand({ QueueUrl: setting(variableOf(queue)), Entries: left }));
      for (const entry of answer.Failed ?? []) {
        const refusal = refusalOfEntry(entry);
        if (refusal) throw refusal;
      }
      const failed = new Set(answer.Failed?.map((entry) => entry.Id));
      left = left.filter((entry) => failed.has(entry.Id));
    }
  } catch (error) {
    if (!(error instanceof RequestThrottled)) throw error;
  }
  return left;
}
