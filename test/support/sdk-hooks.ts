import { setImmediate, setTimeout } from 'node:timers/promises';
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dynamo } from '../../shared/table/client.ts';
import { atCrashPoint } from './crash-points.ts';

/** One try of a call to the table, before it leaves or after it came back. Throwing makes the call fail that way. */
export interface TableCall {
  /** `PutItem`, `Query`, ... */
  command: string;
  /** The input with plain values, as the store gave it. */
  input: Record<string, unknown>;
  when: 'before' | 'after';
  /** The answer, after the call: a hook may change what the caller gets of it. */
  output?: Record<string, unknown>;
}
export type TableHook = (call: TableCall) => void | Promise<void>;

/** One call to a queue, the bus or the mail service, before it leaves or after it came back. `before` may return an answer in place of theirs. */
export interface QueueCall {
  command: string;
  input: Record<string, unknown>;
  when: 'before' | 'after';
}
export type QueueHook = (call: QueueCall) => unknown;

export interface TableUse {
  command: string;
  rru: number;
  wru: number;
  /** Which sequential round it began in, from 1. */
  round: number;
}

/**
 * What some work cost. Units are the emulator's (compared with AWS in the tool chain notes) with two corrections by hand: a refused
 * conditional write is counted as 1 WRU, a cancelled transaction as 2 WRU a part, which AWS bills and the emulator does not report.
 * A GetItem with a projection would be billed too low by the emulator, so it is refused here: no store uses one.
 */
export interface Metered {
  wru: number;
  rru: number;
  /** Calls to the table. */
  calls: number;
  /** Requests to queues. */
  queueCalls: number;
  uses: TableUse[];
}

export interface MeteredRounds extends Metered {
  /** The longest chain of table calls of which each began after the one before it had ended: what the caller waits for. */
  rounds: number;
}

/** An error as the table would give it, by name, for hooks to throw. */
export const tableError = (name: string, more: Record<string, unknown> = {}): Error =>
  Object.assign(new Error(`${name}, made by a test`), { name, $fault: 'client', $metadata: {}, ...more });

/** Runs the hook on every try of every call to the table; ends when disposed. */
export const onTable = (hook: TableHook): Disposable => {
  install();
  hooks.add(hook);
  return { [Symbol.dispose]: () => hooks.delete(hook) };
};

/** What the table itself refuses, before any hook: no fault, and no point at which one could hit. */
export const refuseTableCalls = (check: (call: TableCall) => void): void => {
  install();
  refusals.add(check);
};

export const onQueue = (hook: QueueHook): Disposable => {
  install();
  queueHooks.add(hook);
  return { [Symbol.dispose]: () => queueHooks.delete(hook) };
};

/** Measures what `work` calls of the table and the queues; what runs beside it (a simulator's webhooks coming in) is not counted. */
export const meter = (work: () => Promise<unknown>): Promise<Metered> => measured(work, { spans: [], queueCalls: 0, heldMs: 0 });

/**
 * As `meter`, and each call is held until no other has begun for a while: of many calls made side by side, one that the machine lets begin
 * late begins before the others have ended all the same.
 */
export const meterRounds = (work: () => Promise<unknown>): Promise<MeteredRounds> =>
  measured(work, { spans: [], queueCalls: 0, heldMs: 40 });

/** Until no call of this count has begun for `heldMs`, also after the process was kept from running. */
async function untilQuiet(count: Count): Promise<void> {
  for (let begun = -1; begun !== count.spans.length; ) {
    begun = count.spans.length;
    await setTimeout(count.heldMs);
    await setImmediate();
  }
}

async function measured(work: () => Promise<unknown>, count: Count): Promise<MeteredRounds> {
  install();
  await metering.run([...(metering.getStore() ?? []), count], work);
  const rounds = roundsOf(count.spans);
  const uses = count.spans.map((span): TableUse => ({ command: span.command, rru: span.rru, wru: span.wru, round: rounds.get(span) ?? 0 }));
  const sum = (pick: (use: TableUse) => number): number => uses.reduce((total, use) => total + pick(use), 0);
  return {
    wru: sum((use) => use.wru),
    rru: sum((use) => use.rru),
    calls: uses.length,
    rounds: [...rounds.values()].reduce((most, each) => Math.max(most, each), 0),
    queueCalls: count.queueCalls,
    uses,
  };
}

/** Calls to the table go through this port of 127.0.0.1 until disposed. */
export const routeTable = (port: number): Disposable => {
  install();
  tableRoute = port;
  return { [Symbol.dispose]: () => (tableRoute = undefined) };
};

let tableRoute: number | undefined;

/** Takes the hooks off; the meter stays installed. */
export const removeHooks = (): void => {
  tableRoute = undefined;
  hooks.clear();
  queueHooks.clear();
  refusals.clear();
  delayRetries?.();
  delayRetries = undefined;
};

/** The SDK repeats what failed at once until the hooks are taken off: how long it waits is Amazon's, and no part of what a run shows. */
export const retryWithoutDelay = async (): Promise<void> => {
  const strategy = await dynamo.config.retryStrategy();
  if (!('retryBackoffStrategy' in strategy)) throw new Error('The SDK waits between its tries in another way now.');
  const usual = strategy.retryBackoffStrategy;
  strategy.retryBackoffStrategy = { setDelayBase: () => undefined, computeNextBackoffDelay: () => 0 };
  delayRetries ??= () => (strategy.retryBackoffStrategy = usual);
};

let delayRetries: (() => void) | undefined;

interface Span {
  command: string;
  began: number;
  ended: number;
  rru: number;
  wru: number;
}

interface Count {
  spans: Span[];
  queueCalls: number;
  /** How long no call may have begun before one ends; 0: none is held. */
  heldMs: number;
}

/** The counts that what runs now belongs to: nested meters each get it. */
const metering = new AsyncLocalStorage<readonly Count[]>();
const hooks = new Set<TableHook>();
const queueHooks = new Set<QueueHook>();
const refusals = new Set<(call: TableCall) => void>();
const reads = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);
let installed = false;
let sequence = 0;

function install(): void {
  if (installed) return;
  installed = true;
  watchTable();
  watchQueues();
}

const plainInput = 'inputWithPlainValues';

function watchTable(): void {
  dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      const command = commandOf(context);
      const input = args.input as Record<string, unknown>;
      // as the store gave it: below, it has the table's form
      context[plainInput] = input;
      const counts = metering.getStore() ?? [];
      if (counts.length === 0) return next(args);
      if (command === 'GetItem' && 'ProjectionExpression' in input) throw new Error('The meter cannot price a GetItem with a projection.');
      const span: Span = { command, began: ++sequence, ended: Number.POSITIVE_INFINITY, rru: 0, wru: 0 };
      for (const { spans } of counts) spans.push(span);
      try {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } as unknown as typeof args.input });
        span[reads.has(command) ? 'rru' : 'wru'] = capacityOf((result.output as { ConsumedCapacity?: unknown }).ConsumedCapacity);
        return result;
      } catch (error) {
        span.wru = refusedUnits(error, input);
        throw error;
      } finally {
        await Promise.all(counts.filter(({ heldMs }) => heldMs > 0).map(untilQuiet));
        span.ended = ++sequence;
      }
    },
    { step: 'initialize', name: 'testMeter', priority: 'low', override: true },
  );
  dynamo.middlewareStack.add(
    (next) => async (args) => {
      if (tableRoute !== undefined) Object.assign(args.request as object, { port: tableRoute });
      return next(args);
    },
    { step: 'finalizeRequest', name: 'testRoute', priority: 'low', override: true },
  );
  // inside the SDK's retries, so that a hook's throttling is repeated as a real one would be
  dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      const call = { command: commandOf(context), input: (context[plainInput] ?? {}) as Record<string, unknown> };
      for (const check of refusals) check({ ...call, when: 'before' });
      for (const hook of hooks) await atCrashPoint('before', call.command, call.input, () => hook({ ...call, when: 'before' }));
      const result = await next(args);
      for (const hook of hooks)
        await atCrashPoint('after', call.command, call.input, () =>
          hook({ ...call, when: 'after', output: result.output as Record<string, unknown> }),
        );
      return result;
    },
    { step: 'finalizeRequest', name: 'testFaults', priority: 'low', override: true },
  );
}

/** The product's clients of these are private to their modules or made anew after a death, so the classes are watched. */
function watchQueues(): void {
  for (const kind of [SQSClient, EventBridgeClient, SESv2Client]) watchClients(kind.prototype);
}

type Send = (...args: unknown[]) => Promise<unknown>;
/** The SDK's own method: it outlives the hooks of a test file, and the next file's take their place. */
const sdkSend = Symbol.for('switchboard.sdkSend');

function watchClients(watched: object): void {
  const prototype = watched as { send: Send; [sdkSend]?: Send };
  const send = (prototype[sdkSend] ??= prototype.send);
  prototype.send = async function (this: object, command: unknown, ...rest: unknown[]) {
    const call = (): Promise<unknown> => send.call(this, command, ...rest);
    // what a worker says of its own messages is no call that a test may lose
    if (this instanceof SQSClient && !(command instanceof SendMessageBatchCommand)) return call();
    if (command instanceof SendMessageBatchCommand) for (const count of metering.getStore() ?? []) count.queueCalls++;
    const { input, constructor } = command as { input: Record<string, unknown>; constructor: { name: string } };
    return hooked(constructor.name.replace(/Command$/, ''), { ...input }, call);
  };
}

/** The call, with the hooks before it and after it. */
async function hooked(command: string, input: Record<string, unknown>, call: () => Promise<unknown>): Promise<unknown> {
  for (const hook of queueHooks) {
    const instead = await atCrashPoint('before', command, input, () => hook({ command, input, when: 'before' }));
    if (instead !== undefined) return instead;
  }
  const result = await call();
  for (const hook of queueHooks) await atCrashPoint('after', command, input, () => hook({ command, input, when: 'after' }));
  return result;
}

function commandOf(context: { commandName?: string }): string {
  return (context.commandName ?? '').replace(/Command$/, '');
}

function capacityOf(consumed: unknown): number {
  return [consumed ?? []].flat().reduce((sum: number, each) => sum + Number((each as { CapacityUnits?: number }).CapacityUnits ?? 0), 0);
}

function refusedUnits(error: unknown, input: Record<string, unknown>): number {
  if (!(error instanceof Error)) return 0;
  if (error.name === 'ConditionalCheckFailedException') return 1;
  if (error.name === 'TransactionCanceledException') return 2 * (input['TransactItems'] as unknown[]).length;
  return 0;
}

/** By span: one more than the longest chain that had ended when it began. Spans are in the order in which they began. */
function roundsOf(spans: readonly Span[]): Map<Span, number> {
  const rounds = new Map<Span, number>();
  const byEnd = spans.filter((each) => each.ended > 0).sort((a, b) => a.ended - b.ended);
  let ended = 0;
  let longest = 0;
  for (const span of spans) {
    for (let next = byEnd[ended]; next !== undefined && next.ended < span.began; next = byEnd[++ended])
      longest = Math.max(longest, rounds.get(next) ?? 0);
    rounds.set(span, longest + 1);
  }
  return rounds;
}
