import { awsCall, streams } from './aws-call.ts';
import type { Checkpoint, StreamWindow } from './checkpoint.ts';
import { type Deliveries, failedItems, pause } from './deliveries.ts';
import { FunctionProblem } from './environment.ts';
import { matchesPattern } from './event-pattern.ts';
import type { Expiry } from './expiry.ts';
import { type FunctionPool, InjectedCrash } from './functions.ts';
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from './json.ts';
import { account, region } from './template.ts';
import type { TableFile } from './table-file.ts';

/** An event source mapping from a table's change stream. */
export interface StreamMapping {
  table: string;
  pool: FunctionPool;
  batchSize: number;
  /** Patterns of which a record must fit one; none lets all pass. */
  filters: readonly Json[];
  /** Attempts after the first; infinite unless the template says otherwise. */
  retries: number;
  bisects: boolean;
  reportsFailures: boolean;
  /** 0 without tumbling windows. */
  windowSeconds: number;
  /** Takes the description of a batch that was given up. */
  onFailure: ((description: JsonObject) => void) | undefined;
}

export interface StreamOptions {
  url: string;
  file: TableFile;
  checkpoint: Checkpoint;
  /** The emulator's. */
  streamArn: string;
  expiry: Expiry;
  deliveries: Deliveries;
  /** The product's time minus the emulator's, ms. */
  clockOffset: () => number;
}

/**
 * Feeds a function from the change stream, in order, one batch at a time. A batch is done with when the function succeeded, or
 * was tried as often as the mapping says; only then the checkpoint moves, so that nothing is skipped whenever the process stops.
 */
export class StreamReader {
  readonly mapping: StreamMapping;
  readonly #parts: StreamOptions;
  readonly #shardId: string;
  /** As functions see it: with the region and account of everything else. */
  readonly #publicArn: string;
  #stopped = false;

  constructor(mapping: StreamMapping, parts: StreamOptions) {
    this.mapping = mapping;
    this.#parts = parts;
    this.#shardId = `shardId-00000001-${mapping.table}`;
    this.#publicArn = parts.streamArn.replace(/^arn:aws:dynamodb:[^:]*:[^:]*:/, `arn:aws:dynamodb:${region}:${account}:`);
  }

  start(): void {
    void this.#work();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Records not yet done with. */
  behind(): number {
    return Math.max(0, this.#parts.file.lastSequence(this.mapping.table) - this.#parts.checkpoint.sequence());
  }

  /** Up to which sequence number the stream may be trimmed. */
  doneUpTo(): number {
    return this.#parts.checkpoint.sequence();
  }

  async #work(): Promise<void> {
    let quietSince = performance.now();
    while (!this.#stopped) {
      try {
        await this.#closeWindow();
        if (this.behind() > 0) {
          await this.#readBatch();
          quietSince = performance.now();
        } else {
          // a look into the file costs microseconds, so the answer to a write starts within milliseconds
          await pause(performance.now() - quietSince < 2000 ? 5 : 25);
        }
      } catch {
        await pause(200); // the emulator is ending or busy; the checkpoint has not moved
      }
    }
  }

  async #readBatch(): Promise<void> {
    const { checkpoint, url, streamArn } = this.#parts;
    const from = checkpoint.sequence();
    const position: JsonObject =
      from === 0 ? { ShardIteratorType: 'TRIM_HORIZON' } : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: String(from) };
    const iterator = await awsCall(url, streams('GetShardIterator'), { StreamArn: streamArn, ShardId: this.#shardId, ...position });
    const page = await awsCall(url, streams('GetRecords'), {
      ShardIterator: iterator.ShardIterator ?? '',
      Limit: Math.min(1000, this.mapping.batchSize),
    });
    const records = listOf(page.Records).map((record) => this.#streamRecord(objectOf(record)));
    const last = records.at(-1);
    if (!last) return pause(5);
    const fitting = records.filter(
      (record) => this.mapping.filters.length === 0 || this.mapping.filters.some((filter) => matchesPattern(filter, record)),
    );
    if (fitting.length > 0) await this.#process(fitting);
    if (!this.#stopped) checkpoint.save(sequenceOf(last), checkpoint.window());
  }

  /** Delivers a batch until it is done with: retried, from the first record that failed, halved, or given up. */
  async #process(batch: readonly JsonObject[]): Promise<void> {
    const { retries, bisects, reportsFailures } = this.mapping;
    let rest = batch;
    for (let attempt = 0; !this.#stopped && rest.length > 0; ) {
      try {
        const result = await this.#invoke(rest);
        const failed = reportsFailures ? failedItems(result) : [];
        if (failed.length === 0) return;
        const first = Math.max(
          0,
          rest.findIndex((record) => failed.includes(String(sequenceOf(record)))),
        );
        if (first > 0) attempt = 0;
        rest = rest.slice(first);
        this.#advance(rest);
        if (attempt++ >= retries) return this.#giveUp(rest, attempt, 'FunctionError');
      } catch (error) {
        if (error instanceof InjectedCrash) continue;
        if (!(error instanceof FunctionProblem)) throw error;
        if (attempt++ >= retries) return this.#giveUp(rest, attempt, error.errorType);
        if (bisects && rest.length > 1) {
          const middle = Math.ceil(rest.length / 2);
          await this.#process(rest.slice(0, middle));
          if (this.#stopped) return;
          rest = rest.slice(middle);
          this.#advance(rest);
          attempt = 0;
          continue;
        }
      }
      if (!this.#stopped) await pause(Math.min(5000, 50 * 2 ** Math.min(attempt, 8)));
    }
  }

  async #invoke(records: readonly JsonObject[]): Promise<Json> {
    const { pool, windowSeconds } = this.mapping;
    const { checkpoint, deliveries } = this.#parts;
    const window = windowSeconds > 0 ? this.#currentWindow() : undefined;
    const result = await deliveries.deliver({
      from: 'stream',
      pool,
      records,
      event: (batch) => ({ Records: [...batch], ...(window ? this.#windowFields(window, false) : {}) }),
      ordered: true,
      mayCrash: true,
    });
    if (!window) return result;
    const { state } = objectOf(result);
    if (!isObject(state)) throw new FunctionProblem('Runtime.WindowState', 'The function reads in windows and answered without a state');
    checkpoint.save(checkpoint.sequence(), { start: window.start, state });
    return result;
  }

  /** Everything before the first of `rest` is done with. */
  #advance(rest: readonly JsonObject[]): void {
    const [first] = rest;
    const { checkpoint } = this.#parts;
    if (first) checkpoint.save(Math.max(checkpoint.sequence(), sequenceOf(first) - 1), checkpoint.window());
  }

  #giveUp(records: readonly JsonObject[], attempts: number, condition: string): void {
    const [first, last] = [records[0], records.at(-1)];
    if (!first || !last) return;
    this.mapping.onFailure?.({
      version: '1.0',
      timestamp: new Date().toISOString(),
      requestContext: { functionArn: this.mapping.pool.spec.arn, condition: 'RetryAttemptsExhausted', approximateInvokeCount: attempts },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: condition },
      DDBStreamBatchInfo: {
        shardId: this.#shardId,
        startSequenceNumber: String(sequenceOf(first)),
        endSequenceNumber: String(sequenceOf(last)),
        batchSize: records.length,
        streamArn: this.#publicArn,
      },
    });
  }

  #currentWindow(): StreamWindow {
    const length = this.mapping.windowSeconds * 1000;
    return this.#parts.checkpoint.window() ?? { start: Math.floor(Date.now() / length) * length, state: {} };
  }

  #windowFields(window: StreamWindow, final: boolean): JsonObject {
    return {
      window: {
        start: new Date(window.start).toISOString(),
        end: new Date(window.start + this.mapping.windowSeconds * 1000).toISOString(),
      },
      state: window.state,
      shardId: this.#shardId,
      eventSourceARN: this.#publicArn,
      isFinalInvokeForWindow: final,
      isWindowTerminatedEarly: false,
    };
  }

  /** The last call of a window whose time is over: no records, only the state. */
  async #closeWindow(): Promise<void> {
    const { checkpoint, deliveries } = this.#parts;
    const window = checkpoint.window();
    if (!window || Date.now() < window.start + this.mapping.windowSeconds * 1000) return;
    const event: JsonObject = { Records: [], ...this.#windowFields(window, true) };
    await deliveries.deliver({ from: 'stream', pool: this.mapping.pool, records: [], event: () => event, ordered: true, mayCrash: true });
    checkpoint.save(checkpoint.sequence(), undefined);
  }

  #streamRecord(record: JsonObject): JsonObject {
    const { expiry, clockOffset } = this.#parts;
    const change = objectOf(record.dynamodb);
    const swept = record.eventName === 'REMOVE' && (expiry.wasSwept(objectOf(change.Keys)) || record.userIdentity !== undefined);
    const { userIdentity: _, ...plain } = record;
    return {
      ...plain,
      awsRegion: region,
      eventSourceARN: this.#publicArn,
      ...(swept ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
      dynamodb: {
        ...change,
        ApproximateCreationDateTime: (numberOf(change.ApproximateCreationDateTime) ?? 0) + Math.round(clockOffset() / 1000),
      },
    };
  }
}

const sequenceOf = (record: JsonObject): number => Number(textOf(objectOf(record.dynamodb).SequenceNumber) ?? 0);
