import { join } from 'node:path';
import { LogFile } from './log-file.ts';
import { type AsyncInvocations, asyncInvocations } from './async-invocations.ts';
import { awsCall, dynamodb } from './aws-call.ts';
import { openCheckpoint } from './checkpoint.ts';
import { print } from './console.ts';
import { controls } from './control.ts';
import { sitesOf } from './sites.ts';
import { demoSessions } from './demo-sessions.ts';
import { type Doorbell, doorbellVariables, startDoorbell } from './doorbell.ts';
import { corsOf, localCors } from './cors.ts';
import { type Deliveries, deliveriesWith, pause } from './deliveries.ts';
import { type Mailbox, openMailbox } from './emails.ts';
import { FunctionProblem } from './environment.ts';
import { type Expiry, tableExpiry } from './expiry.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type FaultPlan, faultPlan } from './faults.ts';
import { type LocalServices, startLocalServices, type RunnerOptions } from './local-services.ts';
import type { FunctionPool } from './functions.ts';
import { functionNameOf, lastPart } from './identity.ts';
import type { WorkSources } from './pending-work.ts';
import { asText, objectOf, textOf } from './json.ts';
import { createFunctions, endpointVariables, httpLimits, workerLimits } from './create-functions.ts';
import { QueueConsumer } from './queues.ts';
import { createBuckets, createQueues, createTables, type QueueResource, type TableResource } from './resources.ts';
import { createDeliveryScheduler } from './delivery-scheduler.ts';
import { openPlatform } from './storeplatform/open.ts';
import { platformControl } from './storeplatform/control.ts';
import type { Platform } from './storeplatform/platform.ts';
import { type Schedules, schedulesOf } from './schedules.ts';
import { openSecrets } from './secrets.ts';
import { readTriggers, type Triggers } from './triggers.ts';
import { StreamReader, type StreamOptions, streamShape } from './stream.ts';
import { type ExpiringTable, openTableFile, type TableFile } from './table-file.ts';
import { resourcesOf } from './template.ts';
import { nextDueItem, advanceClock } from './time-travel.ts';
import { lowerWatermarks, setClockBack } from './set-back.ts';
import { type CleanupStack, createCleanupStack } from './cleanup-stack.ts';

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
  const cleanup = createCleanupStack();
  try {
    const foundation = await startLocalServices(options, cleanup);
    const resources = await createResources(foundation, options.dataDir);
    return await startWork(foundation, resources, options, cleanup);
  } catch (error) {
    await cleanup.all();
    throw error;
  }
};

interface Resources {
  tables: TableResource[];
  queues: QueueResource[];
  secrets: ReadonlyMap<string, string>;
}

const createResources = async ({ template, resolveValue, table, queues }: LocalServices, dataDir: string): Promise<Resources> => {
  const nameOf = (id: string): string => asText(resolveValue({ Ref: id }));
  const [tables, queueResources] = await Promise.all([
    createTables(template, resolveValue, table.url),
    createQueues(template, resolveValue, queues),
    createBuckets(template, ({ id }) => nameOf(id), queues),
  ]);
  const declared = resourcesOf(template, 'AWS::SecretsManager::Secret').map((resource) => ({
    name: lastPart(nameOf(resource.id)),
    resource,
  }));
  return { tables, queues: queueResources, secrets: openSecrets(dataDir, declared, resolveValue) };
};

const startWork = async (
  foundation: LocalServices,
  resources: Resources,
  options: RunnerOptions,
  cleanup: CleanupStack,
): Promise<Runner> => {
  const { baseUrl, provider } = foundation;
  const { dataDir } = options;
  const platform = await openPlatform(resources.secrets, dataDir);
  cleanup.add(() => platform.stop());
  const overrides = overridesOf(foundation, platform);
  const functions = startFunctions(foundation, overrides, dataDir, cleanup);
  const plan = await startFaults(foundation, cleanup);
  const scheduler = createDeliveryScheduler((running) => (foundation.switches.requests = running));
  const doorbell = startDoorbell();
  cleanup.add(() => doorbell.stop());
  const deliveries = deliveriesWith(plan, scheduler, print);
  const work = await openWork(
    foundation,
    resources,
    functions,
    { deliveries, onRecord: (record) => doorbell.followSessions(record) },
    options,
    cleanup,
  );
  const mailbox = openMailbox(dataDir);
  openEmulatedServices(foundation, resources, work, mailbox, doorbell);
  foundation.gateway.open({
    ...sitesAndRoutes(foundation, work, options),
    scheduler,
    doorbell,
    control: controls({
      ...clockControls(foundation, resources, work),
      plan,
      mailbox,
      ...demoSessions(dataDir, baseUrl),
      provider: (method, path, body) => provider.control(method, path, body),
      storeplatform: platformControl(platform, baseUrl),
    }),
  });
  await startWakers(resources, work, cleanup);
  const { sources } = work;
  return {
    baseUrl,
    controlUrl: `${baseUrl}/_local`,
    providerUrl: provider.url,
    variables: Object.assign({}, ...[...functions.values()].map(({ spec }) => spec.variables), overrides) as Record<string, string>,
    left: sources.unsupported,
    warm: async () => {
      const awaited = new Set([...sources.http, ...sources.streams].map(({ pool }) => pool));
      for (const pool of awaited) await pool.warm();
    },
    stop: () => cleanup.all(),
  };
};

/** Variables that have another value than in the template: addresses on this machine. */
const overridesOf = ({ endpoints, provider, baseUrl }: LocalServices, platform: Platform): Record<string, string> => ({
  ...endpointVariables(endpoints),
  ...doorbellVariables(`${endpoints.lite}/event`),
  PROVIDER_BASE_URL: process.env.PROVIDER_BASE_URL || provider.url,
  SIGNUP_SCRIPT_URL: process.env.SIGNUP_SCRIPT_URL || `${provider.url}/sdk.js`,
  SIGNUP_ORIGINS: process.env.SIGNUP_ORIGINS || provider.url,
  SITEVERIFY_URL: process.env.SITEVERIFY_URL || `${provider.url}/siteverify`,
  VERIFICATION_ANSWER_MS: process.env.VERIFICATION_ANSWER_MS || '25',
  // a laptop that has much to do is no slow company
  CHANGES_PATIENCE_MS: process.env.CHANGES_PATIENCE_MS || '40000',
  STOREPLATFORM_BASE_URL: process.env.STOREPLATFORM_BASE_URL || platform.url,
  PUBLIC_BASE_URL: baseUrl,
});

/** The functions, and what wakes them. */
interface Work {
  functions: ReadonlyMap<string, FunctionPool>;
  sources: Triggers;
  deliveries: Deliveries;
  events: AsyncInvocations;
  readers: readonly StreamReader[];
  consumers: readonly QueueConsumer[];
  schedules: Schedules;
  file: TableFile;
  expiry: Expiry;
  sendToQueue: (arn: string, body: string) => void;
  /** Of queues and of asynchronous invocations. */
  allQueues: () => readonly QueueConsumer[];
}

const openWork = async (
  { table, queues, clock, template, resolveValue }: LocalServices,
  { tables, queues: resourceQueues }: Resources,
  functions: ReadonlyMap<string, FunctionPool>,
  { deliveries, onRecord }: Required<Pick<StreamOptions, 'deliveries' | 'onRecord'>>,
  { dataDir, stream: shape = streamShape }: RunnerOptions,
  cleanup: CleanupStack,
): Promise<Work> => {
  const sendToQueue = (arn: string, body: string): void => void queues.server.sendMessage(lastPart(arn), body);
  const sources = readTriggers({ template, resolveValue, functions, queues: resourceQueues, sendToQueue });
  limitPools(sources);
  const events = await asyncInvocations(queues, deliveries, functions.values());
  cleanup.add(() => events.stop());
  const file = openTableFile(table.file, expiring(tables));
  cleanup.add(() => file.close());
  const expiry = tableExpiry(table.url, file, expiring(tables));
  const readers = await readersOf(sources, dataDir, table.url, {
    file,
    expiry,
    deliveries,
    clockOffset: clock.offset,
    shape,
    onRecord,
  });
  const isStreamFarBehind = (): boolean => readers.some((reader) => reader.isFarBehind());
  const consumers = sources.queues.map((mapping) => new QueueConsumer(mapping, queues, deliveries, isStreamFarBehind));
  const schedules = schedulesOf(sources.schedules, dataDir, deliveries);
  const allQueues = (): QueueConsumer[] => [...consumers, ...events.consumers()];
  return { functions, sources, deliveries, events, readers, consumers, schedules, file, expiry, sendToQueue, allQueues };
};

/** The small services that functions call, in this process: events, invocations, emails, secrets. */
const openEmulatedServices = (
  { lite }: LocalServices,
  { secrets }: Resources,
  { functions, sources, events, sendToQueue }: Work,
  mailbox: Mailbox,
  doorbell: Pick<Doorbell, 'publish'>,
): void =>
  lite.open({
    rules: sources.rules,
    handOver: (arn, event) => {
      const pool = functions.get(functionNameOf(arn));
      if (pool) events.accept(pool, event);
      else if (arn.includes(':sqs:')) sendToQueue(arn, JSON.stringify(event));
    },
    invoke: async (name, event) => {
      const pool = functions.get(name);
      if (!pool) throw new FunctionProblem('ResourceNotFoundException', `Function not found: ${name}`);
      return pool.invoke(event);
    },
    sendEmail: (request) => mailbox.add(request),
    secret: (name) => secrets.get(name),
    publish: (channel, event) => doorbell.publish(channel, event),
  });

const sitesAndRoutes = ({ template, endpoints, provider }: LocalServices, { sources }: Work, { root, corsOrigins }: RunnerOptions) => ({
  targets: sources.http,
  cors: corsOf(sources.cors) ?? localCors(corsOrigins),
  sites: sitesOf(template.metadata.get('switchboard:sites'), root ?? process.cwd(), endpoints.queues, provider.url),
});

/** What is under way, and setting the clock forward through it and back. */
const clockControls = (
  { table, clock, provider }: LocalServices,
  { tables }: Resources,
  { functions, readers, schedules, expiry, allQueues, deliveries }: Work,
) => {
  const places: WorkSources = {
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
  const expire = (): Promise<void> => expiry.sweep(Infinity);
  const lower = async (now: number): Promise<void> => {
    for (const each of tables) await lowerWatermarks(table.url, each, now);
  };
  const renew = async (): Promise<void> => {
    for (const pool of functions.values()) await pool.renew();
    for (const consumer of allQueues()) await consumer.showFailed();
  };
  return {
    clock,
    places,
    travel: (seconds: number) => advanceClock({ clock, schedules, places, nextDueAt, expire }, seconds),
    setBack: () => setClockBack({ clock, schedules, places, lower, renew }),
  };
};

/** From here on functions are woken, and what they leave behind is kept small. */
const startWakers = async ({ tables }: Resources, work: Work, cleanup: CleanupStack): Promise<void> => {
  const { functions, readers, consumers, schedules, file, expiry } = work;
  const upkeep = setInterval(() => {
    for (const each of tables) void trim(file, each.name, readers);
    for (const pool of functions.values()) pool.retire({ othersAfterMs: upkeepMs, lastAfterMs: unusedMs });
    // AWS, too, removes expired items late
    expiry.sweep(mostExpired).catch(() => {}); // the next round catches up
  }, upkeepMs);
  cleanup.add(() => {
    clearInterval(upkeep);
    schedules.stop();
    for (const each of [...readers, ...consumers]) each.stop();
  });
  for (const reader of readers) reader.start();
  await Promise.all(consumers.map((consumer) => consumer.start()));
  schedules.start();
};

const upkeepMs = 30_000;
/** As long as AWS keeps an environment that is not called. */
const unusedMs = 10 * 60_000;
/** Items that a round of upkeep drops: what expires in a busy half minute, and no more than a second of the emulator's time. */
const mostExpired = 1_000;

/** The functions, and one file for what they print. */
const startFunctions = (
  foundation: LocalServices,
  overrides: Record<string, string>,
  dataDir: string,
  cleanup: CleanupStack,
): Map<string, FunctionPool> => {
  const { template, resolveValue, table, switches } = foundation;
  const log = new LogFile(join(dataDir, functionLogName));
  cleanup.add(() => log.end());
  const write = (chunk: Buffer): void => log.write(chunk);
  const functions = createFunctions(template, resolveValue, { dynamodbPort: table.port, shared: switches.buffer, overrides, print: write });
  cleanup.add(() => Promise.all([...functions.values()].map((pool) => pool.stop())));
  return functions;
};

/** In the data folder. */
export const functionLogName = 'functions.log';

const limitPools = (sources: Triggers): void => {
  for (const { pool } of sources.http) pool.limits = httpLimits;
  for (const { pool, concurrency } of sources.queues) pool.limits = workerLimits(concurrency);
};

/** The proxy always stands ready; the functions take the way through it only while the table's faults are on. */
const startFaults = async ({ table, switches }: LocalServices, cleanup: CleanupStack): Promise<FaultPlan> => {
  let proxy: FaultProxy | undefined;
  const plan = faultPlan((faults) => {
    proxy?.begin();
    const { throttle_table, conflict_transactions, index_lag_ms, stale_reads } = faults;
    switches.faultPort = Math.max(throttle_table, conflict_transactions, index_lag_ms, stale_reads) > 0 ? (proxy?.port ?? 0) : 0;
  });
  proxy = await cleanup.register(startFaultProxy(table.port, plan, { file: table.file }));
  return plan;
};

const expiring = (tables: readonly TableResource[]): ExpiringTable[] =>
  tables.flatMap(({ name, ttlAttribute, keyNames }) => (ttlAttribute === undefined ? [] : [{ name, ttlAttribute, keyNames }]));

const readersOf = (
  { streams }: Triggers,
  dataDir: string,
  tableUrl: string,
  parts: Omit<StreamOptions, 'checkpoint' | 'streamArn'>,
): Promise<StreamReader[]> =>
  Promise.all(
    streams.map(async (mapping) => {
      const described = objectOf((await awsCall(tableUrl, dynamodb('DescribeTable'), { TableName: mapping.table })).Table);
      const checkpoint = openCheckpoint(dataDir, mapping.pool.name, textOf(described.LatestStreamLabel) ?? '');
      return new StreamReader(mapping, { ...parts, checkpoint, streamArn: textOf(described.LatestStreamArn) ?? '' });
    }),
  );

/**
 * Trims a stream up to what its slowest reader is done with; a stream without a reader is emptied. In parts: those of half a minute of a campaign
 * at once would hold the thread that answers requests for most of a second, and the table with it.
 */
const trim = async (file: TableFile, table: string, readers: readonly StreamReader[]): Promise<void> => {
  const checkpoints = readers.filter(({ mapping }) => mapping.table === table).map((reader) => reader.doneUpTo());
  const upTo = checkpoints.length > 0 ? Math.min(...checkpoints) : Number.MAX_SAFE_INTEGER;
  try {
    while (file.trimStream(table, upTo, trimmedAtOnce)) await pause(10);
  } catch {
    // the file is busy or closed; the next round catches up
  }
};

/** Some milliseconds' work. */
const trimmedAtOnce = 200;

const earliestAfter = (after: number, times: readonly (number | undefined)[]): number | undefined => {
  const later = times.filter((time): time is number => time !== undefined && time > after);
  return later.length === 0 ? undefined : Math.min(...later);
};
