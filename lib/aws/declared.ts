import type {
  Context,
  FunctionSpec,
  HttpFunction,
  QueueFunction,
  ScheduleFunction,
  StreamFunction,
} from '../../shared/contract/context.ts';
import type { BucketSpec, BusSpec, QueueSpec, ScheduleSpec, SecretSpec } from '../../shared/contract/resource.ts';

/** Everything the contexts declare, each thing once, in the order of their names: what lib/aws makes constructs of. */
export interface Declarations {
  functions: readonly FunctionSpec[];
  http: readonly HttpFunction[];
  workers: readonly QueueFunction[];
  stream: StreamFunction | undefined;
  scheduled: readonly ScheduleFunction[];
  queues: readonly QueueSpec[];
  buses: readonly BusSpec[];
  secrets: readonly SecretSpec[];
  buckets: readonly BucketSpec[];
  schedules: readonly ScheduleSpec[];
}

/** Collects the declarations; a name that stands for two things is an error, since both would be deployed under it. */
export const declarationsOf = (contexts: readonly Context[]): Declarations => {
  const functions = once(
    'function',
    contexts.flatMap((context) => context.functions),
  );
  const uses = functions.flatMap((spec) => spec.uses);
  const workers = functions.filter((spec) => spec.trigger === 'queue');
  const scheduled = functions.filter((spec) => spec.trigger === 'schedule');
  const streams = functions.filter((spec) => spec.trigger === 'stream');
  if (streams.length > 1) throw new Error(`The table's stream has one reader, not ${streams.map(({ name }) => name).join(' and ')}.`);
  onlyOneReader(workers);
  return {
    functions,
    http: functions.filter((spec) => spec.trigger === 'http'),
    workers,
    stream: streams[0],
    scheduled,
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
    schedules: once(
      'schedule',
      scheduled.map(({ schedule }) => schedule),
    ),
  };
};

/**
 * Functions whose messages can come back to them over queues alone: a worker that continues its own work with a further message.
 * Lambda takes such a circle for a mistake and stops it after about sixteen turns, unless the function says that it is meant.
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

function once<T extends { name: string }>(kind: string, things: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const thing of things) {
    if ((byName.get(thing.name) ?? thing) !== thing) throw new Error(`Two different ${kind} declarations have the name ${thing.name}.`);
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(thing.name)) throw new Error(`The name of ${kind} ${thing.name} is not in kebab-case.`);
    byName.set(thing.name, thing);
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function onlyOneReader(workers: readonly QueueFunction[]): void {
  const readers = Map.groupBy(workers, (spec) => spec.queue.name);
  for (const [name, specs] of readers) {
    if (specs.length > 1) throw new Error(`The queue ${name} has two readers: ${specs.map((spec) => spec.name).join(' and ')}.`);
  }
}
