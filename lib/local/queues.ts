import { awsCall, sqs } from './aws-call.ts';
import { type Deliveries, failedItems, pause } from './deliveries.ts';
import type { QueueEmulator } from './emulators.ts';
import type { FunctionPool } from './functions.ts';
import { queueArn } from './identity.ts';
import { type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from './json.ts';
import { type QueueResource, queueUrl } from './resources.ts';
import { region } from './template.ts';

/** An event source mapping from a queue. */
export interface QueueMapping {
  queue: QueueResource;
  pool: FunctionPool;
  batchSize: number;
  /** How long a batch may wait to fill, seconds. */
  windowSeconds: number;
  /** Batches at the same time. */
  concurrency: number;
  /** Whether the function reports the records that failed; otherwise a batch succeeds or fails as one. */
  reportsFailures: boolean;
  /** What the function gets instead of an SQS event, for the runner's own queue of asynchronous invocations. */
  eventOf?: (records: readonly JsonObject[]) => Json;
  /** After how many seconds a failed event is tried again, by attempt; otherwise the queue decides. */
  retrySeconds?: (attempt: number) => number;
  from?: string;
}

/**
 * Feeds a function from a queue: receives, delivers, deletes what succeeded. What failed comes back as on AWS: at the time that its handler
 * chose, or, where the process crashed before it could, when the visibility timeout ends, six times the function's timeout.
 */
export class QueueConsumer {
  readonly mapping: QueueMapping;
  readonly #emulator: QueueEmulator;
  readonly #deliveries: Deliveries;
  readonly #isHeldBack: () => boolean;
  readonly #stopping = new AbortController();
  /** Messages that failed and wait to come back. */
  readonly #hidden = new Set<string>();
  #working = 0;
  /** performance.now() when the latest batch began. */
  #startedAt = 0;
  #freed: (() => void) | undefined;

  /** @param isHeldBack whether work that leads to more work is to stand back now */
  constructor(mapping: QueueMapping, emulator: QueueEmulator, deliveries: Deliveries, isHeldBack: () => boolean = () => false) {
    this.mapping = mapping;
    this.#emulator = emulator;
    this.#deliveries = deliveries;
    this.#isHeldBack = isHeldBack;
  }

  /** Takes back what an earlier, killed runner had in hand, then works until stopped. */
  async start(): Promise<void> {
    for (const { receiptHandle } of this.#messages().inflight) await this.#showAgain(receiptHandle, 0);
    void this.#work();
  }

  /** Shows again what failed and waits to come back: by a time that was set back it would wait too long. */
  async showFailed(): Promise<void> {
    for (const { message, receiptHandle } of this.#messages().inflight)
      if (this.#hidden.has(message.messageId)) await this.#showAgain(receiptHandle, 0);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Messages in hand, due within `horizonMs`, or about to be tried again; with a horizon of 0 only what is due now. */
  pending(horizonMs: number): number {
    const { ready, delayed, inflight } = this.#messages();
    const soon = Date.now() + horizonMs;
    const counts = ({ message, visibilityDeadline }: (typeof inflight)[number]): boolean =>
      !this.#hidden.has(message.messageId) || visibilityDeadline <= soon;
    return ready.length + delayed.filter(({ delayUntil }) => (delayUntil ?? 0) <= soon).length + inflight.filter(counts).length;
  }

  /** When its next message becomes visible, epoch ms; undefined when none is waiting. */
  nextDueAt(): number | undefined {
    const { delayed, inflight } = this.#messages();
    const times = [...delayed.map(({ delayUntil }) => delayUntil ?? 0), ...inflight.map(({ visibilityDeadline }) => visibilityDeadline)];
    return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
  }

  async #work(): Promise<void> {
    const { batchSize } = this.mapping;
    let wasFull = false;
    while (!this.#stopping.signal.aborted) {
      while (!this.#mayStart() && !this.#stopping.signal.aborted) await this.#untilFreed();
      if (this.#working > 0 && !wasFull) await pause(gatherMs);
      const messages = await this.#receiveBatch().catch(() => undefined);
      wasFull = messages?.length === batchSize;
      if (!messages) await pause(200);
      if (!messages || messages.length === 0) continue;
      this.#working++;
      this.#startedAt = performance.now();
      void this.#handle(messages).finally(() => {
        this.#working--;
        this.#freed?.();
      });
    }
  }

  /**
   * A message that is worked on alone is a piece of work of some hundred writes. More of them than the function works on side by side wait in the
   * queue, where they can be held back: then the next one begins when none is in work, and after some seconds whatever else there is.
   */
  #mayStart(): boolean {
    const { concurrency, batchSize, pool } = this.mapping;
    if (batchSize > 1) return this.#working < concurrency;
    if (this.#isHeldBack()) return this.#working === 0 && performance.now() - this.#startedAt > heldBackMs;
    return this.#working < Math.min(concurrency, pool.capacity);
  }

  /** Until a batch is done with, or a moment has passed: what is held back may go on by then. */
  async #untilFreed(): Promise<void> {
    const freed = new Promise<void>((resolve) => (this.#freed = resolve));
    await (this.mapping.batchSize > 1 ? freed : Promise.race([freed, pause(lookAgainMs)]));
  }

  async #receiveBatch(): Promise<JsonObject[]> {
    const { batchSize, windowSeconds } = this.mapping;
    const messages = await this.#receive(Math.min(10, batchSize), 20);
    const closesAt = performance.now() + windowSeconds * 1000;
    const mayGrow = (): boolean => messages.length < batchSize && (windowSeconds > 0 || messages.length % 10 === 0);
    while (messages.length > 0 && mayGrow()) {
      const leftSeconds = Math.max(0, (closesAt - performance.now()) / 1000);
      const more = await this.#receive(Math.min(10, batchSize - messages.length), leftSeconds);
      if (more.length === 0) break;
      messages.push(...more);
    }
    return messages;
  }

  async #receive(MaxNumberOfMessages: number, WaitTimeSeconds: number): Promise<JsonObject[]> {
    const request = { MaxNumberOfMessages, WaitTimeSeconds, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };
    const answer = await this.#call('ReceiveMessage', request, this.#stopping.signal);
    return listOf(answer.Messages).map(objectOf);
  }

  async #handle(messages: readonly JsonObject[]): Promise<void> {
    const { queue, pool, reportsFailures, eventOf, from } = this.mapping;
    for (const message of messages) this.#hidden.delete(idOf(message));
    const receives = Math.max(...messages.map(receiveCount));
    let failed = new Set(messages.map(idOf));
    try {
      const result = await this.#deliveries.deliver({
        from: from ?? 'queue',
        pool,
        records: messages.map((message) => sqsRecord(message, queue.name)),
        event: eventOf ?? ((records) => ({ Records: [...records] })),
        ordered: false,
        mayCrash: receives < queue.maxReceives - 1,
      });
      failed = reportsFailures ? reported(result, messages) : new Set();
    } catch {
      // the delivery has been printed; the whole batch comes back
    }
    const done = messages.filter((message) => !failed.has(idOf(message)));
    for (let i = 0; i < done.length; i += 10) {
      const Entries = done.slice(i, i + 10).map((message, k) => ({ Id: String(k), ReceiptHandle: message.ReceiptHandle ?? '' }));
      await this.#call('DeleteMessageBatch', { Entries }).catch(() => {});
    }
    const { retrySeconds } = this.mapping;
    for (const message of messages.filter((each) => failed.has(idOf(each)))) {
      this.#hidden.add(idOf(message));
      if (retrySeconds) await this.#showAgain(textOf(message.ReceiptHandle) ?? '', retrySeconds(receiveCount(message))).catch(() => {});
    }
  }

  /** Never zero: the emulator drops a persisted message whose visibility timeout is set to nothing. */
  async #showAgain(ReceiptHandle: string, seconds: number): Promise<void> {
    await this.#call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: Math.max(1, seconds) });
  }

  #call(operation: string, body: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    return awsCall(this.#emulator.url, sqs(operation), { QueueUrl: queueUrl(this.#emulator, this.mapping.queue.name), ...body }, signal);
  }

  #messages(): InspectedMessages {
    return this.#emulator.server.inspectQueue(this.mapping.queue.name)?.messages ?? { ready: [], delayed: [], inflight: [] };
  }
}

/**
 * While a batch is worked on, the next one may become larger: each costs two calls of the emulator and an invocation. After a full one more
 * are waiting, mostly: pauses between them would keep a campaign's statuses to four hundred a second.
 */
const gatherMs = 20;

/** From one piece of work to the next while work is held back: it goes on, whatever holds it. */
const heldBackMs = 5_000;

/** How long until it is looked again whether work is held back. */
const lookAgainMs = 100;

type InspectedMessages = NonNullable<ReturnType<QueueEmulator['server']['inspectQueue']>>['messages'];

const idOf = (message: JsonObject): string => textOf(message.MessageId) ?? '';

const receiveCount = (message: JsonObject): number => numberOf(objectOf(message.Attributes).ApproximateReceiveCount) ?? 1;

/** An identifier that is not in the batch fails the whole batch, as on AWS. */
const reported = (result: Json, messages: readonly JsonObject[]): Set<string> => {
  const known = new Set(messages.map(idOf));
  const failed = failedItems(result);
  return failed.every((id) => known.has(id)) ? new Set(failed) : known;
};

const sqsRecord = (message: JsonObject, queueName: string): JsonObject => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes ?? {},
  messageAttributes: Object.fromEntries(
    Object.entries(objectOf(message.MessageAttributes)).map(([name, value]) => {
      const { DataType = 'String', StringValue, BinaryValue } = objectOf(value);
      const content = {
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: BinaryValue }),
      };
      return [name, { ...content, stringListValues: [], binaryListValues: [], dataType: DataType }];
    }),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn(queueName),
  awsRegion: region,
});
