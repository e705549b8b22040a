import { CfnOutput, NestedStack, Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Code, Function as Lambda, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Context, FunctionSpec } from '../../shared/contract/context.ts';
import { addressesOf } from './addresses.ts';
import { makeTopic, addAlarms } from './alarms.ts';
import { makeApi, publicUrl, serveRoutes } from './api.ts';
import { addBackups } from './backups.ts';
import { addBudget } from './budget.ts';
import { makeBus } from './bus.ts';
import { attachStream, replaceAfter, streamStatements } from './changes.ts';
import { storeSettings } from './deployed-settings.ts';
import { type Declarations, declarationsOf, functionsInQueueCycles } from './declared.ts';
import { type Doorbell, makeDoorbell } from './doorbell.ts';
import { assertFloors, reservedConcurrency, reservedTogether, throttleOpenRoutes } from './edges.ts';
import { makeConfigurationSet } from './email.ts';
import { makeEntranceSecret } from './entrance.ts';
import { type FunctionOptions, makeFunction, type Resources } from './function.ts';
import { saveLogQueries } from './log-queries.ts';
import { makeBucket } from './media.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import { idOf, receiverOutput, reservedOutput } from './naming.ts';
import { attachQueue, consumeStatement, makeDeadLetterQueue, makeQueue } from './queues.ts';
import { attachSchedule } from './schedules.ts';
import { makeReceiverDomain, type ReceiverOrigin } from './receivers.ts';
import { type Live, release, shiftGradually } from './releases.ts';
import { makeSecret } from './secrets.ts';
import { type BuildOf, makeSites } from './site.ts';
import { makeRowsTable } from './rows-table.ts';
import type { Settings } from './settings.ts';
import { copyOf, makeTable } from './table.ts';
import { makeUrl, withoutSlash } from './urls.ts';

/** The product's stack, derived from the declarations of the contexts. `codeOf` returns the bundle of a function, `buildOf` names that of a site. */
export const buildStack = (
  scope: Construct,
  settings: Settings,
  contexts: readonly Context[],
  codeOf: (functionName: string) => Code,
  buildOf: BuildOf = () => undefined,
): Stack => {
  const all = declarationsOf(contexts, settings.workers);
  assertKnownSettings(settings, all);
  const stack = new Stack(scope, settings.stackName, { description: 'Switchboard: business messaging for many companies' });
  const deadLetters = makeDeadLetterQueue(stack, settings, 'dead-letters');
  const deadLetterQueues = new Map([['dead-letters', deadLetters]]);
  const made = makeResources(stack, settings, all, deadLetters);
  const gateway = makeApi(stack, settings);
  const { api } = gateway;
  const entranceSecret = settings.site || settings.receiverCertificateArn !== undefined ? makeEntranceSecret(stack) : undefined;
  const baseUrl = publicUrl(stack, settings, api);
  // log groups and routes have nested stacks: CloudFormation allows 500 resources in one stack
  const logs = new NestedStack(stack, 'Logs');
  const { authorizer, doorbell } = makeAuthorizer(stack, settings, made, all, { codeOf, logs, publicBaseUrl: baseUrl });
  const resources: Resources = { ...made, ...(doorbell ? { doorbell } : {}) };
  const connectsTo = doorbell ? [doorbell.origin] : [];
  const siteUrl = makeSites(stack, settings, all, api, resources.buckets, { buildOf, entranceSecret, connectsTo });
  const cyclic = functionsInQueueCycles(all.functions);
  const reserved = reservedConcurrency(all.functions, settings);
  assertFloors(declarationsOf(contexts).functions, reserved, settings);
  const functions = new Map<string, Lambda>();
  const live = new Map<string, Live>();
  const make = (spec: FunctionSpec, sourceStatements: readonly PolicyStatement[] = []): Live => {
    const options = {
      code: codeOf(spec.name),
      logs,
      sourceStatements,
      cyclic: cyclic.has(spec.name),
      reservedConcurrency: reserved.get(spec.name),
      publicBaseUrl: baseUrl,
      siteUrl,
      entranceSecret,
    };
    const lambda = makeFunction(stack, settings, resources, spec, options);
    const alias = release(stack, spec.name, lambda);
    functions.set(spec.name, lambda);
    live.set(spec.name, alias);
    return alias;
  };
  output(stack, 'ApiUrl', baseUrl, 'The URL of the API');
  const { receivers, urls } = makeRouted(stack, settings, gateway, all, make, entranceSecret);
  for (const spec of all.workers) {
    const queue = resources.queues.get(spec.queue.name);
    if (queue) attachQueue(stack, spec, make(spec, [consumeStatement(queue)]), queue);
  }
  if (all.stream) {
    const failed = makeDeadLetterQueue(stack, settings, `${all.stream.name}-dead`);
    deadLetterQueues.set(`${all.stream.name}-dead-letters`, failed);
    const consumer = make(all.stream, streamStatements(resources.table, failed));
    const source = attachStream(stack, all.stream, consumer, resources.table, { deadLetters: failed, isReplica: settings.restoredReplica });
    for (const spec of all.scheduled) attachSchedule(stack, settings, spec, make(spec));
    replaceAfter(source, consumer.lambda, functions.values());
  } else for (const spec of all.scheduled) attachSchedule(stack, settings, spec, make(spec));
  for (const [name, lambda] of authorizer) functions.set(name, lambda);
  addUrlVariables(all, functions, urls);
  const ofReleases = addOperation(stack, settings, all, resources, { api, receivers, functions, deadLetterQueues });
  shiftGradually(stack, settings, new Map([...live].filter(([name]) => all.http.some((spec) => spec.name === name))), ofReleases);
  return stack;
};

/**
 * The function that says who may subscribe to the doorbell, and the doorbell where the deployment has one. Before all others: the stream consumer, after which
 * those are replaced, has its address.
 */
function makeAuthorizer(
  stack: Stack,
  settings: Settings,
  resources: Resources,
  { authorizer: spec }: Declarations,
  { codeOf, ...options }: Pick<FunctionOptions, 'logs' | 'publicBaseUrl'> & { codeOf: (functionName: string) => Code },
): { authorizer: [string, Lambda][]; doorbell: Doorbell | undefined } {
  if (!spec) return { authorizer: [], doorbell: undefined };
  const lambda = makeFunction(stack, settings, resources, spec, {
    ...options,
    code: codeOf(spec.name),
    sourceStatements: [],
    cyclic: false,
    reservedConcurrency: undefined,
    siteUrl: undefined,
    entranceSecret: undefined,
  });
  const alias = release(stack, spec.name, lambda);
  return { authorizer: [[spec.name, lambda]], doorbell: settings.doorbell ? makeDoorbell(stack, settings, alias) : undefined };
}

/** What the operator runs it by: the settings for the next deploy, copies, a budget, queries and alarms. Gives those that take a release back. */
function addOperation(
  stack: Stack,
  settings: Settings,
  all: Declarations,
  resources: Resources,
  made: Pick<MonitoredResources, 'api' | 'receivers' | 'functions' | 'deadLetterQueues'>,
): Alarm[] {
  storeSettings(stack, settings);
  output(
    stack,
    reservedOutput,
    String(reservedTogether(all.functions, settings)),
    'What all its functions have reserved of the account’s concurrency',
  );
  addBackups(stack, settings, resources.table);
  addBudget(stack, settings);
  saveLogQueries(stack, settings);
  const topic = makeTopic(stack, settings);
  output(stack, 'AlarmTopic', topic.topicArn, 'The topic of the alarms, to subscribe to');
  return addAlarms(stack, settings, topic, {
    ...made,
    table: resources.table,
    scheduled: new Map(
      all.scheduled.flatMap(({ name, schedule }) => (schedule.mayBeSilent ? [] : [[name, schedule.everyMinutes] as const])),
    ),
    stream: all.stream && made.functions.get(all.stream.name),
    queues: new Map(
      all.queues.flatMap(({ name, lateAfterSeconds }) => {
        const queue = resources.queues.get(name);
        return queue ? [[name, { queue, lateAfterSeconds }]] : [];
      }),
    ),
    email: sendsEmail(all) ? makeConfigurationSet(stack, settings) : undefined,
  });
}

/** The functions that are called by addresses: those of the API, and receivers with a URL of their own. */
function makeRouted(
  stack: Stack,
  settings: Settings,
  { api, stage }: ReturnType<typeof makeApi>,
  all: Declarations,
  make: (spec: FunctionSpec) => Live,
  entranceSecret: string | undefined,
): { receivers: Map<string, IFunction>; urls: Map<string, string> } {
  const receivers = new Map<string, IFunction>();
  const urls = new Map<string, string>();
  const origins: ReceiverOrigin[] = [];
  const routes = new NestedStack(stack, 'Routes');
  const addressesByFunction = addressesOf(all.http);
  throttleOpenRoutes(stage, routes, addressesByFunction);
  for (const [spec, addresses] of addressesByFunction) {
    const live = make(spec);
    serveRoutes(routes, api, spec, live, addresses);
    const ownAddresses = addresses.filter(({ via }) => via === 'url');
    if (ownAddresses.length === 0) continue;
    receivers.set(spec.name, live.lambda);
    const ownUrl = withoutSlash(makeUrl(stack, spec, live, ownAddresses));
    origins.push({ url: ownUrl, paths: ownAddresses.map(({ path }) => path) });
    const url = settings.receiverBaseUrl ?? ownUrl;
    urls.set(spec.name, url);
    output(stack, receiverOutput(spec.name), url, `The URL at which ${spec.name} receives webhooks; a path follows`);
  }
  makeReceiverDomain(stack, settings, origins, entranceSecret);
  return { receivers, urls };
}

/** Functions that name the address of a receiver get it as a variable. */
function addUrlVariables(
  { functions: specs }: Declarations,
  functions: ReadonlyMap<string, Lambda>,
  urls: ReadonlyMap<string, string>,
): void {
  for (const spec of specs) {
    for (const [variable, name] of Object.entries(spec.urls ?? {})) {
      const url = urls.get(name);
      if (url === undefined) throw new Error(`${spec.name}: ${name} has no URL.`);
      functions.get(spec.name)?.addEnvironment(variable, url);
    }
  }
}

const sendsEmail = ({ functions }: Declarations): boolean =>
  functions.some(({ uses }) => uses.some(({ resource }) => resource === 'email'));

function makeResources(stack: Stack, settings: Settings, all: Declarations, deadLetters: Queue): Resources {
  const table = makeTable(stack, settings);
  const ofPages = new Set(all.sites.flatMap(({ uploadsTo = [] }) => uploadsTo.map(({ name }) => name)));
  output(stack, 'TableName', table.tableName, 'The one table');
  output(stack, 'ProviderVersion', settings.providerVersion, 'The version of the provider that new numbers get');
  const copy = copyOf(settings);
  if (copy !== undefined) output(stack, 'RestoredCopy', copy, 'The restored copy that it is, with the label of its stream');
  const resources = {
    table,
    queues: new Map(all.queues.map((spec) => [spec.name, makeQueue(stack, settings, spec, deadLetters)])),
    buses: new Map(all.buses.map((spec) => [spec.name, makeBus(stack, settings, spec)])),
    secrets: new Map(all.secrets.map((spec) => [spec.name, makeSecret(stack, settings, spec)])),
    buckets: new Map(all.buckets.map((spec) => [spec.name, makeBucket(stack, settings, spec, ofPages.has(spec.name))])),
  };
  for (const [name, secret] of resources.secrets) output(stack, idOf(name, 'secret', 'arn'), secret.secretArn, `The secret ${name}`);
  for (const [name, bus] of resources.buses) output(stack, idOf(name, 'bus', 'name'), bus.eventBusName, `The bus ${name}`);
  for (const [name, bucket] of resources.buckets) output(stack, idOf(name, 'bucket', 'name'), bucket.bucketName, `The bucket ${name}`);
  for (const { name, table: rows } of all.buckets) {
    const bucket = resources.buckets.get(name);
    if (rows && bucket) makeRowsTable(stack, settings, bucket, name, rows);
  }
  return resources;
}

function output(stack: Stack, id: string, value: string, description: string): void {
  new CfnOutput(stack, id, { value, description });
}

/** Throws on a setting that no function declares: a misspelt one would have no effect. */
function assertKnownSettings(settings: Settings, all: Declarations): void {
  const names = all.functions.map(({ name }) => name);
  for (const name of Object.keys(settings.reserved))
    if (!names.includes(name)) throw new Error(`reserved: there is no function ${name}; there are ${names.join(', ')}.`);
  const known = new Set(all.functions.flatMap((spec) => Object.keys(spec.settings ?? {})));
  for (const name of Object.keys(settings.functionSettings)) {
    if (!known.has(name)) throw new Error(`functionSettings: no function has a setting ${name}; there are ${[...known].join(', ')}.`);
  }
}
