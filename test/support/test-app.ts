import type { APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda';
import { awsCall, dynamodb } from '../../lib/local/aws-call.ts';
import { type FaultProxy, startFaultProxy } from '../../lib/local/fault-proxy.ts';
import { faultPlan } from '../../lib/local/faults.ts';
import type { JsonObject } from '../../lib/local/json.ts';
import type { Context, FunctionSpec } from '../../shared/contract/context.ts';
import { horizonMs } from '../../functions/due-work/domain.ts';
import { domainBus } from '../../shared/contract/event.ts';
import { type QueueSpec, tableVariable, variableOf } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { type AwsStub, type PublishedEvent, startAwsStub } from './aws-stub.ts';
import type { ChangeHook } from './change-stream.ts';
import { type TestClock, testClock } from './clock.ts';
import { deadLetters, deadLetterQueueName, isPoison } from './dead-letters.ts';
import { deliveries } from './deliveries.ts';
import type { Drained, DrainOptions } from './delivery.ts';
import { indexStream, itemReader, portsOfThisProcess, startDynamo, startQueues, tableDefinition, type Where } from './emulators.ts';
import { type Answer, answerOf, type Call, gatewayEvent } from './gateway-event.ts';
import { runAsFunction } from './crash-points.ts';
import { type Golden, kindOf, recordGolden } from './golden.ts';
import { refuseUndeclaredCalls } from './permissions.ts';
import { captureLogs } from './log-capture.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { putTableBack, type TableCopy } from './table-copy.ts';
import type { Random } from './random.ts';
import {
  removeHooks,
  meter,
  meterRounds,
  type Metered,
  type MeteredRounds,
  onQueue,
  onTable,
  type QueueHook,
  routeTable,
  type TableHook,
} from './sdk-hooks.ts';

/**
 * The whole product in this process, on real parts: the DynamoDB emulator, the queue emulator, the handlers that deploy, woken by the
 * events that Lambda would give them. One test app at a time in a process.
 */
export interface TestApp extends AsyncDisposable {
  contexts: readonly Context[];
  clock: TestClock;
  /** A request through the gateway to the function that answers it. */
  call: (call: Call) => Promise<Answer>;
  /** Change stream, queues and workers until all is quiet. */
  drain: (options?: DrainOptions) => Promise<Drained>;
  /** The change stream has forgotten what no consumer came to: it is a day old. */
  forgetChanges: () => void;
  /** The table holds what a copy of it held (table-copy.ts), and has a new, empty change stream; processes begin with nothing. */
  restoreTable: (copy: TableCopy) => Promise<void>;
  /** Wakes the scheduled functions once, or one of them by the schedule's name. */
  tick: (schedule?: string) => Promise<void>;
  /** Lets time pass as in life: schedules each minute, delayed messages at their time. The dispatcher is not woken for a minute in which it would find nothing. */
  passTime: (seconds: number) => Promise<void>;
  /** Invokes any function with an event made by the test. */
  invokeFunction: (functionName: string, event: unknown) => Promise<unknown>;
  onTable: (hook: TableHook) => Disposable;
  onQueue: (hook: QueueHook) => Disposable;
  onChange: (hook: ChangeHook) => Disposable;
  meter: (work: () => Promise<unknown>) => Promise<Metered>;
  meterRounds: (work: () => Promise<unknown>) => Promise<MeteredRounds>;
  /** Every item of the table in key order, or those whose attributes have the given values. Read from the emulator's own file: a Scan of a full table takes 50 times as long. */
  dump: (where?: Where) => Promise<Record<string, unknown>[]>;
  /** Bodies waiting on a queue, delayed ones included. */
  queued: (queue: Pick<QueueSpec, 'name'>) => unknown[];
  /** Bodies in the dead-letter queue of a queue, without poison. */
  deadLettersOf: (queue: Pick<QueueSpec, 'name'>) => unknown[];
  /** The operator puts all dead letters back onto their queues, each so many times (1). */
  redrive: (times?: number) => Promise<void>;
  /** Puts a message that no one can read on one of the queues. */
  sendPoison: (random: Random) => Promise<void>;
  poisoned: { put: number; setAside: () => number };
  /** A share of what the queues delivered lately is delivered once more. */
  redeliver: (random: Random, share: number) => Promise<void>;
  /** Until disposed, a share of what queues deliver goes to two workers at the same time. */
  deliverTwice: (seed: number, share: number) => Disposable;
  /** Every invocation of a function runs inside the hook, until it is disposed. */
  aroundInvocations: (hook: InvocationHook) => Disposable;
  /** What was published on the bus. */
  events: PublishedEvent[];
  emails: AwsStub['emails'];
  mailing: AwsStub['mailing'];
  /** Every log line and metric so far. */
  logs: Record<string, unknown>[];
  /** Until disposed, indexes are behind their items, and a share of the eventually consistent reads (0.1) do not know the last writes. */
  readLate: (seed: number, share?: number) => Promise<Disposable>;
  secrets: Map<string, string>;
  stop: () => Promise<void>;
}

export type InvocationHook = (work: () => Promise<unknown>) => Promise<unknown>;

export interface TestAppOptions {
  /** All of the product's unless given. */
  contexts?: readonly Context[];
  /** More environment: `PROVIDER_BASE_URL` for a test that has a provider. */
  env?: Readonly<Record<string, string>>;
  /** Of the change stream, 1 unless given; a table under load has as many as partitions, each of which others follow. */
  shards?: number;
}

export const startTestApp = async (options: TestAppOptions = {}): Promise<TestApp> => {
  const [tablePort, queuePort, stubPort] = await portsOfThisProcess();
  const contexts = options.contexts ?? (await import('../../functions/app.ts')).app;
  const [table, queues, stub] = await Promise.all([startDynamo(tablePort), startQueues(queuePort), startAwsStub(stubPort)]);
  const clock = testClock();
  clock.reset();
  await awsCall(table.endpoint, dynamodb('CreateTable'), tableDefinition(tableName) as unknown as JsonObject);
  indexStream(table.file);

  const functions = contexts.flatMap((each) => each.functions);
  const resources = resourcesOf(contexts);
  for (const secret of resources.secrets)
    stub.secrets.set(secret.name, JSON.stringify({ id: 'k1', key: `a ${secret.name} key of the test app only` }));
  for (const queue of resources.queues) createQueue(queues.server, queue);
  for (const bucket of resources.buckets) queues.server.createBucket(bucket);
  const restore = setEnvironment({
    ...Object.assign({}, ...functions.map((each) => each.settings ?? {})),
    // costs are the same however long a test takes between two looks; a test that makes endpoints takes none
    VERIFICATION_ANSWER_MS: '25',
    // a busy machine is no slow company
    CHANGES_PATIENCE_MS: '40000',
    PUBLISH_EVENTS: 'true',
    ...environment({ table: table.endpoint, queues: queues.endpoint, stub: stub.endpoint }),
    ...Object.fromEntries(resources.queues.map((queue) => [variableOf(queue), `${queues.endpoint}/000000000000/${queue.name}`])),
    ...Object.fromEntries(resources.secrets.map((secret) => [variableOf(secret), secret.name])),
    ...Object.fromEntries(resources.buckets.map((name) => [variableOf({ kind: 'bucket', name, purpose: '' }), name])),
    ...options.env,
  });
  const logs = captureLogs();
  refuseUndeclaredCalls();

  const invocationHooks = new Set<InvocationHook>();
  const queueMessages: Golden = {};
  const invoke = (spec: FunctionSpec, event: unknown): Promise<unknown> => {
    if (spec.trigger === 'queue' && process.env['RECORD_GOLDEN'])
      (queueMessages[spec.queue.name] ??= []).push(...messagesOf(event).filter((body) => !isPoison(JSON.stringify(body))));
    return [...invocationHooks].reduce<() => Promise<unknown>>(
      (work, hook) => () => hook(work),
      () => callHandler(spec, event),
    )();
  };
  const workers = functions.filter((each) => each.trigger === 'queue');
  const stream = functions.find((each) => each.trigger === 'stream');
  const items = itemReader(table.file, tableName);
  const delivery = deliveries({
    recordsAfter: items.recordsAfter,
    tableEndpoint: table.endpoint,
    table: tableName,
    store: queues.store,
    sendMessage: (queue, { body, messageAttributes }) => {
      const attributes = Object.entries(messageAttributes).map(([name, { stringValue, dataType }]) => [
        name,
        { DataType: dataType, ...(stringValue === undefined ? {} : { StringValue: stringValue }) },
      ]);
      queues.server.sendMessage(queue, body, { messageAttributes: Object.fromEntries(attributes) });
    },
    clock,
    shards: options.shards ?? 1,
    stream: stream && { spec: stream, invoke: (event) => invoke(stream, event) },
    workers: workers.map((spec) => ({ spec, invoke: (event) => invoke(spec, event) })),
  });
  const deadLetterQueues = deadLetters(
    queues.server,
    workers.map(({ queue }) => queue),
  );
  // an empty minute takes the dispatcher twenty calls to the table, and changes nothing but its watermark
  const hasWork: Readonly<Record<string, (minute: number) => boolean>> = {
    'every-minute': (minute) => items.hasDueWork(minute + horizonMs + 1),
    'catch-up': () => items.read({ pk: 'DELAYED' }).length > 0,
  };
  const tick = async (schedule?: string): Promise<void> => {
    for (const spec of functions)
      if (spec.trigger === 'schedule' && (schedule === undefined || spec.schedule.name === schedule)) await invoke(spec, scheduleEvent());
  };
  const pass = async (seconds: number): Promise<void> => {
    const end = clock.now() + seconds * 1_000;
    while (clock.now() < end) {
      const minute = Math.min(end, (Math.floor(clock.now() / 60_000) + 1) * 60_000);
      await delivery.drain({ including: 'delayed', until: minute });
      clock.moveTo(minute);
      const due = functions.filter(
        (each) =>
          each.trigger === 'schedule' &&
          Math.floor(minute / 60_000) % each.schedule.everyMinutes === 0 &&
          (hasWork[each.schedule.name]?.(minute) ?? true),
      );
      if (minute % 60_000 === 0) for (const spec of due) await invoke(spec, scheduleEvent());
      await delivery.drain({ including: 'delayed', until: clock.now() });
    }
  };
  const lateReads = lateReadsOf(table, clock);
  let calls = 0;
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    ofProcess[worldKey] = undefined;
    if (process.env['RECORD_GOLDEN']) {
      recordGolden('messages', queueMessages);
      recordGolden('items', Object.groupBy(items.read(), kindOf) as Golden);
    }
    removeHooks();
    await lateReads.stop();
    deadLetterQueues.stop();
    items.close();
    logs.stop();
    await Promise.all([table.stop(), queues.stop(), stub.stop()]);
    restore();
    clock.reset();
  };

  ofProcess[worldKey] = stop;
  return {
    contexts,
    clock,
    call: async (call) => {
      const { spec, event } = gatewayEvent(contexts, call, `call-${++calls}`, clock.now());
      return answerOf((await invoke(spec, event)) as APIGatewayProxyStructuredResultV2);
    },
    drain: delivery.drain,
    forgetChanges: delivery.beginAnew,
    restoreTable: async (copy) => {
      await putTableBack(table.endpoint, tableName, copy);
      delivery.beginAnew();
      clearProcessMemory();
    },
    tick,
    passTime: pass,
    invokeFunction: (name, event) => {
      const spec = functions.find((each) => each.name === name);
      if (!spec) throw new Error(`There is no function ${name}; there are ${functions.map((each) => each.name).join(', ')}.`);
      return invoke(spec, event);
    },
    onTable,
    onQueue,
    onChange: delivery.onChange,
    meter,
    meterRounds,
    dump: (where) => Promise.resolve(items.read(where)),
    queued: ({ name }) => {
      const messages = queues.server.inspectQueue(name)?.messages;
      return [...(messages?.ready ?? []), ...(messages?.delayed ?? [])].map((each) => JSON.parse(each.body) as unknown);
    },
    deadLettersOf: deadLetterQueues.setAside,
    redrive: deadLetterQueues.redrive,
    sendPoison: deadLetterQueues.poison,
    poisoned: deadLetterQueues.poisoned,
    redeliver: delivery.redeliver,
    deliverTwice: delivery.deliverTwice,
    aroundInvocations: (hook) => {
      invocationHooks.add(hook);
      return { [Symbol.dispose]: () => invocationHooks.delete(hook) };
    },
    events: stub.events,
    emails: stub.emails,
    mailing: stub.mailing,
    logs: logs.lines,
    readLate: lateReads.begin,
    secrets: stub.secrets,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const tableName = 'switchboard';
/** How to stop the test app that runs: a file none of whose tests runs, or whose preparations fail, may leave one on the ports that the next needs (fresh-file.ts). */
const worldKey = Symbol.for('switchboard.test-app');
const ofProcess = process as typeof process & { [worldKey]?: (() => Promise<void>) | undefined };
/** Time is the test's, and 10 ms for each call to the table: the same on every machine, and no reader waits for it in vain. */
function lateReadsOf(table: { endpoint: string; file: string }, clock: TestClock) {
  const plan = faultPlan(() => {});
  let [calls, offset] = [0, 0];
  const now = (): number => {
    // a function whose clock is behind takes no index back
    offset = Math.max(offset, clock.offset());
    calls += 5;
    return offset + calls;
  };
  let proxy: Promise<FaultProxy> | undefined;
  return {
    begin: async (seed: number, share = 0.1): Promise<Disposable> => {
      proxy ??= startFaultProxy(Number(new URL(table.endpoint).port), plan, { file: table.file, now });
      plan.set({ index_lag_ms: 2_000, stale_reads: share, seed });
      (await proxy).begin();
      return routeTable((await proxy).port);
    },
    stop: async () => (await proxy)?.stop(),
  };
}

const messagesOf = (event: unknown): Record<string, unknown>[] =>
  (event as { Records: { body: string }[] }).Records.flatMap(({ body }) => {
    try {
      return [JSON.parse(body) as Record<string, unknown>];
    } catch {
      return []; // poison
    }
  });

function createQueue(server: Awaited<ReturnType<typeof startQueues>>['server'], queue: QueueSpec): void {
  const { queueArn } = server.createQueue(deadLetterQueueName(queue.name));
  server.createQueue(queue.name, {
    attributes: {
      VisibilityTimeout: String(queue.workSeconds * 6),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn, maxReceiveCount: String(queue.maxReceives) }),
    },
  });
}

/** Everything the functions say they use, each once. */
function resourcesOf(contexts: readonly Context[]) {
  const functions = contexts.flatMap((each) => each.functions);
  const uses = functions.flatMap((each) => each.uses);
  const queues = [
    ...uses.flatMap((use) => (use.resource === 'queue' ? [use.queue] : [])),
    ...functions.flatMap((each): QueueSpec[] => (each.trigger === 'queue' ? [each.queue] : [])),
  ];
  const secrets = [sealingKey, cursorKey, erasureKey, ...uses.flatMap((use) => (use.resource === 'secret' ? [use.secret] : []))];
  const buckets = [
    ...contexts.flatMap((each) => (each.buckets ?? []).map((bucket) => bucket.name)),
    ...uses.flatMap((use) => (use.resource === 'bucket' ? [use.bucket.name] : [])),
  ];
  return { queues: byName(queues), secrets: byName(secrets), buckets: [...new Set(buckets)] };
}

const byName = <T extends { name: string }>(all: readonly T[]): T[] => [...new Map(all.map((each) => [each.name, each])).values()];

function environment({ table, queues, stub }: { table: string; queues: string; stub: string }): Record<string, string> {
  return {
    [tableVariable]: tableName,
    [variableOf(domainBus)]: domainBus.name,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
    // the emulators' clock is not the moved one of the test: the SDK would take every refusal for a skew, and repeat it
    AWS_DISABLE_CLOCK_SKEW_CORRECTION: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: table,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: table,
    AWS_ENDPOINT_URL_SQS: queues,
    AWS_ENDPOINT_URL_S3: queues,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: stub,
    AWS_ENDPOINT_URL_EVENTBRIDGE: stub,
    AWS_ENDPOINT_URL_SESV2: stub,
    PUBLIC_BASE_URL: 'https://api.example.test',
  };
}

function setEnvironment(values: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}

type Handler = (event: unknown, context: LambdaContext) => Promise<unknown>;
const handlers = new Map<string, Promise<{ handler: Handler }>>();

/** Invokes a function's own handler in this process, in the environment that this process has. */
export async function callHandler(spec: FunctionSpec, event: unknown): Promise<unknown> {
  let loading = handlers.get(spec.entry);
  if (!loading) handlers.set(spec.entry, (loading = import(/* @vite-ignore */ new URL(`../../${spec.entry}`, import.meta.url).href)));
  const { handler } = await loading;
  return runAsFunction(spec, () => handler(event, lambdaContext(spec)));
}

function lambdaContext(spec: FunctionSpec): LambdaContext {
  const ends = performance.now() + (spec.timeoutSeconds ?? 29) * 1_000;
  return {
    functionName: spec.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${spec.name}`,
    memoryLimitInMB: String(spec.memoryMb ?? 512),
    awsRequestId: crypto.randomUUID(),
    logGroupName: '',
    logStreamName: '',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, ends - performance.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

function scheduleEvent(): unknown {
  return { version: '0', source: 'aws.scheduler', 'detail-type': 'Scheduled Event', time: new Date().toISOString(), detail: {} };
}
