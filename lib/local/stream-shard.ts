import { randomBytes } from 'node:crypto';
import type { ShardProgress, StreamWindow } from './checkpoint.ts';
import { type Deliveries, failedItems, pause } from './deliveries.ts';
import { FunctionProblem } from './environment.ts';
import { type FunctionPool, InjectedCrash } from './functions.ts';
import { isObject, type Json, type JsonObject, objectOf } from './json.ts';

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

export interface ShardRecord {
  record: JsonObject;
  sequence: number;
  /** One of the mapping's filters lets it pass. */
  fits: boolean;
  /** In seconds since 1970, on the clock of the machine. */
  writtenAt: number;
}

export interface ShardOptions {
  deliveries: Deliveries;
  /** As functions see it. */
  streamArn: string;
  recordsPerShard: number;
  /** Saves the progress of all shards, soon; later where repeating it has no effect. */
  save: (isRepeatable: boolean) => void;
}

/** A shard that begins after `sequence`, named as AWS names them. */
export const newShard = (sequence: number): ShardProgress => ({
  shardId: `shardId-${String(Date.now()).padStart(20, '0')}-${randomBytes(4).toString('hex')}`,
  sequence,
  records: 0,
});

/**
 * One shard of a stream: its records in order, one batch at a time. A batch is done with when the function succeeded, or was tried as often
 * as the mapping says. After its share of records the shard ends, and a new one goes on in its place.
 */
export class StreamShard {
  readonly streamArn: string;
  progress: ShardProgress;
  readonly #mapping: StreamMapping;
  readonly #parts: ShardOptions;
  readonly #records: ShardRecord[] = [];
  #busy = false;
  #stopped = false;

  constructor(mapping: StreamMapping, parts: ShardOptions, progress: ShardProgress) {
    this.#mapping = mapping;
    this.#parts = parts;
    this.streamArn = parts.streamArn;
    this.progress = progress;
  }

  /** Records not yet done with. */
  get waiting(): number {
    return this.#records.length;
  }

  /** When the first of them was written. */
  get waitingSince(): number | undefined {
    return this.#records[0]?.writtenAt;
  }

  add(record: ShardRecord): void {
    this.#records.push(record);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Works until no record waits, unless it does so already. */
  wake(): void {
    if (this.#busy || this.#stopped || (this.waiting === 0 && !this.#isWindowOver())) return;
    this.#busy = true;
    void this.#work().finally(() => (this.#busy = false));
  }

  async #work(): Promise<void> {
    try {
      while (!this.#stopped && (this.waiting > 0 || this.#isWindowOver())) {
        if (this.progress.records >= this.#parts.recordsPerShard) await this.#rotate();
        if (this.#isWindowOver()) await this.#closeWindow();
        const batch = this.#records.slice(0, this.#mapping.batchSize);
        const last = batch.at(-1);
        if (!last) return;
        const fitting = batch.filter(({ fits }) => fits);
        if (fitting.length > 0) await this.#process(fitting);
        if (this.#stopped) return;
        this.#finish(last.sequence);
        this.progress = { ...this.progress, records: this.progress.records + batch.length };
        this.#parts.save(fitting.length === 0);
      }
    } catch {
      await pause(200); // the function cannot run now; the checkpoint has not moved
    }
  }

  /** Delivers a batch until it is done with: retried, from the first record that failed, halved, or given up. */
  async #process(batch: readonly ShardRecord[]): Promise<void> {
    const { retries, bisects, reportsFailures } = this.#mapping;
    let rest = batch;
    for (let attempt = 0; !this.#stopped && rest.length > 0; ) {
      try {
        const result = await this.#invoke(rest);
        const failed = reportsFailures ? failedItems(result) : [];
        if (failed.length === 0) return;
        const first = Math.max(
          0,
          rest.findIndex(({ sequence }) => failed.includes(String(sequence))),
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

  async #invoke(records: readonly ShardRecord[]): Promise<Json> {
    const { pool, windowSeconds } = this.#mapping;
    const window = windowSeconds > 0 ? this.#currentWindow() : undefined;
    const result = await this.#parts.deliveries.deliver({
      from: 'stream',
      pool,
      records: records.map(({ record }) => record),
      event: (batch) => ({ Records: [...batch], ...(window ? this.#windowFields(window, false) : {}) }),
      ordered: true,
      mayCrash: true,
    });
    if (!window) return result;
    const { state } = objectOf(result);
    if (!isObject(state)) throw new FunctionProblem('Runtime.WindowState', 'The function reads in windows and answered without a state');
    this.progress = { ...this.progress, window: { start: window.start, state } };
    return result;
  }

  /** Everything before the first of `rest` is done with. */
  #advance([first]: readonly ShardRecord[]): void {
    if (!first) return;
    this.#finish(first.sequence - 1);
    this.#parts.save(false);
  }

  #finish(sequence: number): void {
    const count = this.#records.findIndex((each) => each.sequence > sequence);
    this.#records.splice(0, count < 0 ? this.#records.length : count);
    this.progress = { ...this.progress, sequence: Math.max(this.progress.sequence, sequence) };
  }

  #giveUp(records: readonly ShardRecord[], attempts: number, condition: string): void {
    const [first, last] = [records[0], records.at(-1)];
    if (!first || !last) return;
    this.#mapping.onFailure?.({
      version: '1.0',
      timestamp: new Date().toISOString(),
      requestContext: { functionArn: this.#mapping.pool.spec.arn, condition: 'RetryAttemptsExhausted', approximateInvokeCount: attempts },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: condition },
      DDBStreamBatchInfo: {
        shardId: this.progress.shardId,
        startSequenceNumber: String(first.sequence),
        endSequenceNumber: String(last.sequence),
        batchSize: records.length,
        streamArn: this.streamArn,
      },
    });
  }

  /** A shard ends with its window; its successor begins where it ended. */
  async #rotate(): Promise<void> {
    if (this.progress.window) await this.#closeWindow();
    this.progress = newShard(this.progress.sequence);
    this.#parts.save(false);
  }

  #currentWindow(): StreamWindow {
    const length = this.#mapping.windowSeconds * 1000;
    return this.progress.window ?? { start: Math.floor(Date.now() / length) * length, state: {} };
  }

  #isWindowOver(): boolean {
    const { window } = this.progress;
    if (window === undefined) return false;
    const now = Date.now();
    // before its start: the time was set back
    return now < window.start || now >= window.start + this.#mapping.windowSeconds * 1000;
  }

  /** The last call of a window: no records, only the state. */
  async #closeWindow(): Promise<void> {
    const { window } = this.progress;
    if (!window) return;
    const event: JsonObject = { Records: [], ...this.#windowFields(window, true) };
    const { deliveries } = this.#parts;
    await deliveries.deliver({ from: 'stream', pool: this.#mapping.pool, records: [], event: () => event, ordered: true, mayCrash: true });
    this.progress = { ...this.progress, window: undefined };
    this.#parts.save(false);
  }

  #windowFields(window: StreamWindow, final: boolean): JsonObject {
    return {
      window: {
        start: new Date(window.start).toISOString(),
        end: new Date(window.start + this.#mapping.windowSeconds * 1000).toISOString(),
      },
      state: window.state,
      shardId: this.progress.shardId,
      eventSourceARN: this.streamArn,
      isFinalInvokeForWindow: final,
      isWindowTerminatedEarly: false,
    };
  }
}
