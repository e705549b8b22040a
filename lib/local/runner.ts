import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { type AsyncInvocations, asyncInvocations } from './async-invocations.ts';
import { awsCall, dynamodb } from './aws-call.ts';
import { startAwsLite } from './aws-lite.ts';
import { openCheckpoint } from './checkpoint.ts';
import { startClock } from './clock.ts';
import { print } from './console.ts';
import { controls } from './control.ts';
import { corsOf } from './cors.ts';
import { emptyFolder, takeFolder } from './data-folder.ts';
import { type Deliveries, deliveriesWith } from './deliveries.ts';
import { openMailbox } from './emails.ts';
import { startQueueEmulator, startTableEmulator, type TableEmulator } from './emulators.ts';
import { FunctionProblem } from './environment.ts';
import { type Expiry, tableExpiry } from './expiry.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { faultPlan } from './faults.ts';
import type { FunctionPool } from './functions.ts';
import { startGateway } from './gateway.ts';
import { type Endpoints, functionNameOf, lastPart, localIdentity } from './identity.ts';
import type { WorkPlaces } from './idle.ts';
import { asText, type Json, objectOf, textOf } from './json.ts';
import { createFunctions, endpointVariables, httpLimits } from './lambdas.ts';
import { openProvider } from './open-provider.ts';
import { QueueConsumer } from './queues.ts';
import { createBuckets, createQueues, createTables, type TableResource } from './resources.ts';
import { schedulesOf } from './schedules.ts';
import { openSecrets } from './secrets.ts';
import { sharedSwitches } from './shared-switches.ts';
import { readSources, type Sources } from './sources.ts';
import { StreamReader } from './stream.ts';
import { ensureTemplate } from './synth.ts';
import { openTableFile, type TableFile } from './table-file.ts';
import { intrinsics, readTemplate, resourcesOf } from './template.ts';
import { nextDueItem, travel } from './time-travel.ts';

export interface RunnerOptions {
  /** The checkout; its bin/synth.ts writes `outDir` when that is out of date. Undefined: take `outDir` as it is. */
  root: string | undefined;
  /** The synthesized template and bundles. */
  outDir: string;
  port: number;
  dataDir: string;
  /** Empties the data folder first. */
  fresh: boolean;
  /** Called when the runner cannot go on. */
  onFatal: (reason: string) => void;
}

export interface Runner {
  baseUrl: string;
  controlUrl: string;
  providerUrl: string;
  /** The variables that a function would get, of all functions together. */
  variables: Record<string, string>;
  /** What the laptop leaves out, as sentences. */
  left: readonly string[];
  /** Starts an environment of each function that people wait for. */
  warm(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts everything: emulators, template, resources, functions, what wakes them, and the one port. A StartProblem says why not. */
export const startRunner = async (options: RunnerOptions): Promise<Runner> => {
  const { dataDir, port, outDir, root } = options;
  const undo: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  /** Keeps what was started with the way to stop it, also when another start fails meanwhile. */
  const kept = async <T extends { stop(): unknown }>(starting: Promise<T>): Promise<T> => {
    const started = await starting;
    undo.push(() => started.stop());
    return started;
  };
  try {
    undo.push(takeFolder(dataDir, options.fresh));
    if (options.fresh) emptyFolder(dataDir);
    const gateway = await kept(startGateway(port));
    const switches = sharedSwitches();
    const clock = startClock(dataDir, switches);
    const synthesis = new AbortController();
    undo.push(() => synthesis.abort());

    const late: {
      functions: Map<string, FunctionPool>;
      sources: Sources | undefined;
      secrets: ReadonlyMap<string, string>;
      events: AsyncInvocations | undefined;
    } = { functions: new Map(), sources: undefined, secrets: new Map(), events: undefined };
    const mailbox = openMailbox(dataDir);
    const sendToQueue = (arn: string, body: string): void => void queues.server.sendMessage(lastPart(arn), body);

    const starts = await Promise.allSettled([
      kept(startTableEmulator(dataDir, options.onFatal)),
      kept(startQueueEmulator(dataDir)),
      kept(openProvider(dataDir, print)),
      kept(
        startAwsLite({
          rules: () => late.sources?.rules ?? [],
          handOver: (arn, event) => {
            const pool = late.functions.get(functionNameOf(arn));
            if (pool) late.events?.accept(pool, event);
            else if (arn.includes(':sqs:')) sendToQueue(arn, JSON.stringify(event));
          },
          invoke: (name, event) => {
            const pool = late.functions.get(name);
            if (!pool) throw new FunctionProblem('ResourceNotFoundException', `Function not found: ${name}`);
            return pool.invoke(event);
          },
          sendEmail: (request) => mailbox.add(request),
          secret: (name) => late.secrets.get(name),
        }),
      ),
      root === undefined ? false : ensureTemplate(root, outDir, synthesis.signal),
    ]);
    const [table, queues, provider, lite] = [valueOf(starts[0]), valueOf(starts[1]), valueOf(starts[2]), valueOf(starts[3])];
    valueOf(starts[4]);

    const baseUrl = `http://127.0.0.1:${port}`;
    const endpoints: Endpoints = { dynamodb: table.url, queues: queues.url, lite: lite.url, publicBaseUrl: baseUrl };
    const template = readTemplate(outDir);
    const resolveValue = intrinsics(template, localIdentity(endpoints));
    const nameOf = (id: string): string => asText(resolveValue({ Ref: id }));
    const [tables, queueResources] = await Promise.all([
      createTables(template, resolveValue, table.url),
      createQueues(template, resolveValue, queues),
      createBuckets(template, ({ id }) => nameOf(id), queues),
    ]);
    const declaredSecrets = resourcesOf(template, 'AWS::SecretsManager::Secret').map((resource) => ({
      name: lastPart(nameOf(resource.id)),
      resource,
    }));
    late.secrets = openSecrets(dataDir, declaredSecrets, resolveValue);

    const overrides = {
      ...endpointVariables(endpoints),
      PROVIDER_BASE_URL: process.env.PROVIDER_BASE_URL || provider.url,
      SITEVERIFY_URL: process.env.SITEVERIFY_URL || `${provider.url}/siteverify`,
      PUBLIC_BASE_URL: baseUrl,
    };
    const functionLog = createWriteStream(join(dataDir, 'functions.log'), { flags: 'a', mode: 0o600 });
    undo.push(() => functionLog.end());
    const functions = createFunctions(template, resolveValue, {
      dynamodbPort: table.port,
      shared: switches.buffer,
      overrides,
      print: (_, chunk) => void functionLog.write(chunk),
    });
    late.functions = functions;
    undo.push(() => Promise.all([...functions.values()].map((pool) => pool.stop())));

    const sources = readSources({ template, resolveValue, functions, queues: queueResources, sendToQueue });
    late.sources = sources;
    for (const { pool } of sources.http) pool.limits = httpLimits;
    for (const { pool, concurrency } of sources.queues)
      pool.limits = { environments: Math.min(concurrency, pool.limits.environments), concurrency: 1 };

    let faultProxy: FaultProxy | undefined;
    const plan = faultPlan((faults) => {
      switches.faultPort = faults.throttle_table > 0 || faults.conflict_transactions > 0 ? (faultProxy?.port ?? 0) : 0;
    });
    faultProxy = await kept(startFaultProxy(table.port, plan));
    const deliveries = deliveriesWith(plan, print);

    const events = await asyncInvocations(queues, deliveries, functions.values());
    late.events = events;
    undo.push(() => events.stop());
    const file = openTableFile(table.file);
    undo.push(() => file.close());
    const expiry = tableExpiry(table, expiring(tables));
    const readers = await readersOf(sources, { dataDir, table, file, expiry, deliveries, clockOffset: clock.offset });
    const consumers = sources.queues.map((mapping) => new QueueConsumer(mapping, queues, deliveries));
    const schedules = schedulesOf(sources.schedules, dataDir, deliveries);

    const allQueues = (): QueueConsumer[] => [...consumers, ...events.consumers()];
    const places: WorkPlaces = {
      queues: () =>
        allQueues().map((consumer) => ({ name: consumer.mapping.queue.name, pending: (horizonMs) => consumer.pending(horizonMs) })),
      streams: () => readers.map((reader) => ({ name: reader.mapping.pool.name, behind: () => reader.behind() })),
      running: () => [...functions.values()].reduce((sum, pool) => sum + pool.running, 0),
      delivering: () => deliveries.active(),
      webhooks: () => provider.pendingNow(),
    };
    const nextDueAt = async (after: number, until: number): Promise<number | undefined> => {
      const items = await Promise.all(tables.map((each) => nextDueItem(table.url, each, after, until)));
      return earliestAfter(after, [...items, ...allQueues().map((consumer) => consumer.nextDueAt()), provider.nextDueAt()]);
    };
    const expire = (): Promise<void> => expiry.sweep(clock.offset() > 0);
    gateway.open({
      targets: sources.http,
      cors: corsOf(sources.cors),
      control: controls({
        clock,
        plan,
        places,
        mailbox,
        travel: (seconds) => travel({ clock, schedules, places, nextDueAt, expire }, seconds),
        provider: (method, path, body) => provider.control(method, path, body),
      }),
    });

    for (const reader of readers) reader.start();
    await Promise.all(consumers.map((consumer) => consumer.start()));
    schedules.start();
    undo.push(() => {
      schedules.stop();
      for (const each of [...readers, ...consumers]) each.stop();
    });
    const upkeep = setInterval(() => {
      for (const each of tables) trim(file, each.name, readers);
      for (const pool of functions.values()) pool.retire(30_000);
      expire().catch(() => {}); // the next round catches up
    }, 30_000);
    undo.push(() => clearInterval(upkeep));

    return {
      baseUrl,
      controlUrl: `${baseUrl}/_local`,
      providerUrl: provider.url,
      variables: Object.assign({}, ...[...functions.values()].map(({ spec }) => spec.variables), overrides) as Record<string, string>,
      left: sources.left,
      warm: async () => {
        const awaited = new Set([...sources.http, ...sources.streams].map(({ pool }) => pool));
        for (const pool of awaited) await pool.warm();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

const valueOf = <T>(result: PromiseSettledResult<T>): T => {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
};

const expiring = (tables: readonly TableResource[]): { name: string; ttlAttribute: string; keyNames: string[] }[] =>
  tables.flatMap(({ name, ttlAttribute, keyNames }) => (ttlAttribute === undefined ? [] : [{ name, ttlAttribute, keyNames }]));

interface ReaderParts {
  dataDir: string;
  table: TableEmulator;
  file: TableFile;
  expiry: Expiry;
  deliveries: Deliveries;
  clockOffset: () => number;
}

const readersOf = ({ streams }: Sources, { dataDir, table, ...parts }: ReaderParts): Promise<StreamReader[]> =>
  Promise.all(
    streams.map(async (mapping) => {
      const described = await awsCall(table.url, dynamodb('DescribeTable'), { TableName: mapping.table });
      const { LatestStreamArn, LatestStreamLabel }: Record<string, Json> = objectOf(described.Table);
      const checkpoint = openCheckpoint(dataDir, mapping.pool.name, textOf(LatestStreamLabel) ?? '');
      return new StreamReader(mapping, { ...parts, url: table.url, checkpoint, streamArn: textOf(LatestStreamArn) ?? '' });
    }),
  );

/** A stream that nobody reads keeps nothing; otherwise what the slowest reader is done with may go. */
const trim = (file: TableFile, table: string, readers: readonly StreamReader[]): void => {
  const marks = readers.filter(({ mapping }) => mapping.table === table).map((reader) => reader.doneUpTo());
  try {
    file.trimStream(table, marks.length > 0 ? Math.min(...marks) : Number.MAX_SAFE_INTEGER);
  } catch {
    // the file is busy; the next round catches up
  }
};

const earliestAfter = (after: number, times: readonly (number | undefined)[]): number | undefined => {
  const later = times.filter((time) => time !== undefined && time > after) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
};
