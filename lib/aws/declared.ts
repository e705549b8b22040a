import type {
  AuthorizerFunction,
  Context,
  FunctionSpec,
  HttpFunction,
  QueueFunction,
  ScheduleFunction,
  StreamFunction,
} from '../../shared/contract/context.ts';
import type { SiteSpec } from '../../shared/contract/site.ts';
import type { BucketSpec, BusSpec, QueueSpec, ScheduleSpec, SecretSpec } from '../../shared/contract/resource.ts';

/** All declarations of the contexts, each once, sorted by name. */
export interface Declarations {
  functions: readonly FunctionSpec[];
  http: readonly HttpFunction[];
  workers: readonly QueueFunction[];
  stream: StreamFunction | undefined;
  scheduled: readonly ScheduleFunction[];
  authorizer: AuthorizerFunction | undefined;
  queues: readonly QueueSpec[];
  buses: readonly BusSpec[];
  secrets: readonly SecretSpec[];
  buckets: readonly BucketSpec[];
  sites: readonly SiteSpec[];
  schedules: readonly ScheduleSpec[];
}

/** Collects the declarations, with a stage's numbers of workers. Throws when one name is declared with two meanings. */
export const declarationsOf = (contexts: readonly Context[], workersOf: Readonly<Record<string, number>> = {}): Declarations => {
  const declared = once(
    'function',
    contexts.flatMap((context) => context.functions),
  );
  const functions = withWorkers(declared, workersOf);
  const uses = functions.flatMap((spec) => spec.uses);
  const workers = functions.filter((spec) => spec.trigger === 'queue');
  const scheduled = functions.filter((spec) => spec.trigger === 'schedule');
  const streams = functions.filter((spec) => spec.trigger === 'stream');
  if (streams.length > 1) throw new Error(`The table's stream has one consumer, not ${streams.map(({ name }) => name).join(' and ')}.`);
  const authorizers = functions.filter((spec) => spec.trigger === 'authorizer');
  if (authorizers.length > 1) throw new Error(`The doorbell has one authorizer, not ${authorizers.map(({ name }) => name).join(' and ')}.`);
  assertOneConsumer(workers);
  return {
    functions,
    http: functions.filter((spec) => spec.trigger === 'http'),
    workers,
    stream: streams[0],
    scheduled,
    authorizer: authorizers[0],
    queues: once('queue', [...workers.map(({ queue }) => queue), ...uses.flatMap((use) => (use.resource === 'queue' ? [use.queue] : []))]),
    buses: once(
      'bus',
      uses.flatMap((use) => (use.resource === 'bus' ? [use.bus] : [])),
    ),
    secrets: once(
      'secret',
      uses.flatMap((use) => (use.resource === 'secret' ? [use.secret] : [])),
    ),
    buckets: once('bucket', [
      ...contexts.flatMap((context) => context.buckets ?? []),
      ...uses.flatMap((use) => (use.resource === 'bucket' ? [use.bucket] : [])),
    ]),
    sites: once(
      'site',
      contexts.flatMap((context) => context.sites ?? []),
    ),
    schedules: once(
      'schedule',
      scheduled.map(({ schedule }) => schedule),
    ),
  };
};

/**
 * Functions whose messages can return to them through queues, such as a worker that continues its work with another message. Lambda stops
 * such a loop after about 16 rounds unless the function allows it: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const functionsInQueueCycles = (functions: readonly FunctionSpec[]): ReadonlySet<string> => {
  const reachable = (from: FunctionSpec, seen: Set<FunctionSpec>): Set<FunctionSpec> => {
    const sent = from.uses.flatMap((use) => (use.resource === 'queue' ? [use.queue.name] : []));
    for (const next of functions) {
      if (next.trigger !== 'queue' || !sent.includes(next.queue.name) || seen.has(next)) continue;
      reachable(next, seen.add(next));
    }
    return seen;
  };
  return new Set(functions.filter((spec) => reachable(spec, new Set()).has(spec)).map(({ name }) => name));
};

/** The functions with as many workers as the stage's settings say. Throws on a name that is no worker's. */
export const withWorkers = (functions: readonly FunctionSpec[], workers: Readonly<Record<string, number>>): FunctionSpec[] => {
  const known = functions.filter(({ trigger }) => trigger === 'queue').map(({ name }) => name);
  const unknown = Object.keys(workers).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`workers: no queue has the workers ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  return functions.map((spec) =>
    spec.trigger === 'queue' ? { ...spec, maxConcurrency: workers[spec.name] ?? spec.maxConcurrency } : spec,
  );
};

function once<T extends { name: string }>(kind: string, things: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const thing of things) {
    if ((byName.get(thing.name) ?? thing) !== thing) throw new Error(`Two different ${kind} declarations have the name ${thing.name}.`);
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(thing.name)) throw new Error(`The name of ${kind} ${thing.name} is not in kebab-case.`);
    byName.set(thing.name, thing);
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function assertOneConsumer(workers: readonly QueueFunction[]): void {
  const consumers = Map.groupBy(workers, (spec) => spec.queue.name);
  for (const [name, specs] of consumers) {
    if (specs.length > 1) throw new Error(`The queue ${name} has two consumers: ${specs.map((spec) => spec.name).join(' and ')}.`);
  }
}
