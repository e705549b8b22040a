import { asText, isTrue, type Json, type JsonObject, listOf, numberOf, objectOf, parseJson, textOf } from './json.ts';
import type { BusRule } from './aws-stub.ts';
import type { FunctionPool } from './functions.ts';
import type { HttpTarget } from './gateway.ts';
import { functionNameOf, lastPart, streamPrefix } from './identity.ts';
import type { QueueMapping } from './queues.ts';
import type { QueueResource } from './resources.ts';
import { periodOf, type Schedule } from './schedules.ts';
import type { StreamMapping } from './stream-shard.ts';
import { resourcesOf, type Template } from './template.ts';

/** Everything in the template that wakes a function. */
export interface Triggers {
  http: HttpTarget[];
  cors: Json | undefined;
  queues: QueueMapping[];
  streams: StreamMapping[];
  schedules: Schedule[];
  rules: BusRule[];
  /** Sentences about what the laptop does not run. */
  unsupported: string[];
}

export interface TriggerOptions {
  template: Template;
  resolveValue: (value: Json) => Json;
  functions: ReadonlyMap<string, FunctionPool>;
  queues: readonly QueueResource[];
  /** Sends a text to a queue of this ARN. */
  sendToQueue: (queueArn: string, body: string) => void;
}

export const readTriggers = (parts: TriggerOptions): Triggers => {
  const { template, resolveValue } = parts;
  const left: string[] = [];
  const propertiesOf = (...types: string[]): { id: string; properties: JsonObject }[] =>
    resourcesOf(template, ...types).map(({ id, properties }) => ({ id, properties: objectOf(resolveValue(properties)) }));
  const poolOf = (text: Json | undefined): FunctionPool | undefined => parts.functions.get(functionNameOf(textOf(text) ?? ''));

  const mappings = propertiesOf('AWS::Lambda::EventSourceMapping').filter(
    ({ properties }) => properties.Enabled === undefined || isTrue(properties.Enabled),
  );
  const queues: QueueMapping[] = [];
  const streams: StreamMapping[] = [];
  for (const { id, properties } of mappings) {
    const pool = poolOf(properties.FunctionName);
    const source = textOf(properties.EventSourceArn) ?? '';
    const queue = parts.queues.find(({ name }) => name === lastPart(source));
    if (pool && source.startsWith(streamPrefix)) streams.push(streamMapping(properties, source, pool, parts.sendToQueue));
    else if (pool && queue) queues.push(queueMapping(properties, queue, pool));
    else left.push(`The event source mapping ${id} has no twin on the laptop.`);
  }

  const schedules: Schedule[] = [];
  const rules: BusRule[] = [];
  for (const { id, properties } of propertiesOf('AWS::Scheduler::Schedule', 'AWS::Events::Rule')) {
    if (properties.State === 'DISABLED') continue;
    const targets = properties.Target === undefined ? listOf(properties.Targets).map(objectOf) : [objectOf(properties.Target)];
    if (properties.EventPattern !== undefined) {
      const bus = lastPart(textOf(properties.EventBusName) ?? 'default');
      rules.push({
        bus,
        pattern: properties.EventPattern,
        targets: targets.map(({ Arn, Input }) => ({ arn: textOf(Arn) ?? '', input: textOf(Input) })),
      });
      continue;
    }
    const everyMs = periodOf(textOf(properties.ScheduleExpression) ?? '');
    for (const target of targets) {
      const pool = poolOf(target.Arn);
      const input = textOf(target.Input) ?? (properties.Target === undefined ? undefined : '{}');
      if (pool && everyMs !== undefined) schedules.push({ id, everyMs, pool, input });
      else left.push(`The schedule ${id} (${textOf(properties.ScheduleExpression) ?? ''}) does not run on the laptop.`);
    }
  }

  return {
    http: httpTargets(parts, poolOf),
    cors: propertiesOf('AWS::ApiGatewayV2::Api')[0]?.properties.CorsConfiguration,
    queues,
    streams,
    schedules,
    rules,
    unsupported: left,
  };
};

/** The metadata key by which a function URL lists the "METHOD /path" patterns that its provider or store calls. */
const urlRoutes = 'switchboard:routes';

const httpTargets = (
  { template, resolveValue }: TriggerOptions,
  poolOf: (text: Json | undefined) => FunctionPool | undefined,
): HttpTarget[] => {
  const routes = resourcesOf(template, 'AWS::ApiGatewayV2::Route').flatMap(({ properties }): HttpTarget[] => {
    const { RouteKey, Target } = objectOf(resolveValue(properties));
    const integration = template.resources.get(lastPart(textOf(Target) ?? ''));
    const pool = integration && poolOf(resolveValue(integration.properties.IntegrationUri ?? null));
    return pool ? [{ key: textOf(RouteKey) ?? '', pool, via: 'api' }] : [];
  });
  const urls = resourcesOf(template, 'AWS::Lambda::Url').flatMap(({ properties, metadata }): HttpTarget[] => {
    const pool = poolOf(resolveValue(properties.TargetFunctionArn ?? null));
    return pool ? listOf(metadata[urlRoutes]).map((key) => ({ key: asText(key), pool, via: 'url' })) : [];
  });
  // of two equal patterns the first is taken: senders use the function URL
  return [...urls, ...routes];
};

const queueMapping = (properties: JsonObject, queue: QueueResource, pool: FunctionPool): QueueMapping => ({
  queue,
  pool,
  batchSize: numberOf(properties.BatchSize) ?? 10,
  windowSeconds: numberOf(properties.MaximumBatchingWindowInSeconds) ?? 0,
  concurrency: numberOf(objectOf(properties.ScalingConfig).MaximumConcurrency) ?? 5,
  reportsFailures: reportsFailures(properties),
});

const streamMapping = (
  properties: JsonObject,
  source: string,
  pool: FunctionPool,
  sendToQueue: TriggerOptions['sendToQueue'],
): StreamMapping => {
  const retries = numberOf(properties.MaximumRetryAttempts) ?? -1;
  const destination = textOf(objectOf(objectOf(properties.DestinationConfig).OnFailure).Destination);
  return {
    table: source.slice(streamPrefix.length),
    pool,
    batchSize: numberOf(properties.BatchSize) ?? 100,
    filters: listOf(objectOf(properties.FilterCriteria).Filters).map((filter) => parseJson(textOf(objectOf(filter).Pattern) ?? '{}')),
    retries: retries < 0 ? Infinity : retries,
    bisects: isTrue(properties.BisectBatchOnFunctionError),
    reportsFailures: reportsFailures(properties),
    windowSeconds: numberOf(properties.TumblingWindowInSeconds) ?? 0,
    onFailure: destination === undefined ? undefined : (description) => sendToQueue(destination, JSON.stringify(description)),
  };
};

const reportsFailures = (properties: JsonObject): boolean => listOf(properties.FunctionResponseTypes).includes('ReportBatchItemFailures');
