import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import type { FunctionSpec } from '../../shared/contract/context.ts';

/**
 * Where a fault can hit: a kind of call on a kind of item or queue, before it leaves or after it came back. `npm run test:all` names a file in
 * FAULT_POINTS and gets, from every process, the points that were passed and those at which a process died; and the same of the kinds of calls that each function
 * makes.
 */
const file = process.env['FAULT_POINTS'] || undefined;
/** What no suite struck, one a line: a process that passes one of these crashes there, whenever it is, and nothing else is looked for. */
const sought = new Set((process.env['FAULT_POINTS_SOUGHT'] ?? '').split('\n').filter((point) => point !== ''));
const points = {
  passed: new Set<string>(),
  struck: new Set<string>(),
  met: new Set<string>(),
  died: new Set<string>(),
};
/** The function whose code runs now; none when a test calls a service by itself. */
const running = new AsyncLocalStorage<FunctionSpec>();
interface Here {
  points: readonly string[];
  kinds: readonly string[];
}
const pointState: { isCounting: boolean; isVisiting: boolean; here: Here | undefined } = {
  isCounting: file !== undefined,
  isVisiting: false,
  here: undefined,
};
const pointsLeft = (): number =>
  sought.size > 0
    ? [...sought].filter((point) => !points.struck.has(point)).length
    : points.passed.size - points.struck.size + points.met.size - points.died.size;

function recordPoint(what: keyof typeof points, point: string): void {
  if (!file || points[what].has(point)) return;
  points[what].add(point);
  appendFileSync(file, `${JSON.stringify({ [what]: point })}\n`);
}

/**
 * Rounds in which a process that passes a point that was never struck crashes there, until none is left, or three rounds struck none: only what
 * no suite struck fails the run. They end what is counted. No round at all unless `npm run test:all` runs it. Where some points are sought, a
 * process crashes at those alone, here as before.
 */
export function* targetedRounds(): Generator<number> {
  pointState.isVisiting = pointState.isCounting && sought.size === 0;
  for (let round = 0, fruitless = 0; pointState.isCounting && fruitless < 3 && pointsLeft() > 0; round++) {
    const before = points.struck.size + points.died.size;
    yield round;
    fruitless = points.struck.size + points.died.size > before ? 0 : fruitless + 1;
  }
  pointState.isVisiting = false;
  pointState.isCounting = false;
}

/** One visit by itself, amid runs: a process that passes in this work what was never struck crashes there. */
export const targeted = async <T>(work: () => Promise<T>): Promise<T> => {
  pointState.isVisiting = pointState.isCounting;
  try {
    return await work();
  } finally {
    pointState.isVisiting = false;
  }
};

/** What a suite needs for its visits, beside its runs. */
export const targetedRoundsMs = file === undefined ? 0 : 1_200_000;

export const isTargeting = (): boolean => pointState.isVisiting;

/** Called by code that could crash here, inside a hook. Whether it is to do so now, because no one ever did. */
export const reachPoint = (): boolean => {
  if (pointState.here === undefined) return false;
  const { points: reached, kinds } = pointState.here;
  for (const point of reached) recordPoint('passed', point);
  for (const kind of kinds) recordPoint('met', kind);
  if (reached.some((point) => sought.has(point) && !points.struck.has(point))) return true;
  return pointState.isVisiting && (reached.some((point) => !points.struck.has(point)) || kinds.some((kind) => !points.died.has(kind)));
};

type Input = Readonly<Record<string, unknown>>;

/** Runs a hook at a point; where it throws a Crash, the process died there. */
export const atCrashPoint = async <T>(when: 'before' | 'after', command: string, input: Input, hook: () => T | Promise<T>): Promise<T> => {
  if (!pointState.isCounting) return hook();
  const { name } = running.getStore() ?? {};
  const reached = pointsOf(command, input).map((call) => `${when} ${call}`);
  const kinds = name === undefined ? [] : actionsOf(command, input).map((act) => `${name} ${act}`);
  try {
    pointState.here = { points: reached, kinds };
    const done = hook();
    pointState.here = undefined;
    return await done;
  } catch (error) {
    if (error instanceof Crash && !error.isAftermath) {
      for (const point of reached) {
        recordPoint('passed', point);
        recordPoint('struck', point);
      }
      for (const kind of kinds) {
        recordPoint('met', kind);
        recordPoint('died', kind);
      }
    }
    throw error;
  } finally {
    pointState.here = undefined;
  }
};

export const runAsFunction = <T>(spec: FunctionSpec, work: () => T): T => running.run(spec, work);

export const currentFunction = (): FunctionSpec | undefined => running.getStore();

/** What a call needs to be allowed, as a function declares it: table actions, those of a transaction each, the queue, or what kind of thing. */
export const actionsOf = (command: string, input: Input): string[] => {
  const { QueueUrl: queue, address } = input;
  if (typeof queue === 'string') return itemKindsOf(input);
  if (typeof address === 'string') return [address.startsWith(process.env['AWS_ENDPOINT_URL_S3'] ?? 'none') ? 'bucket' : 'outside'];
  if (command === 'BatchExecuteStatement')
    return (input['Statements'] as { Statement: string }[]).map(({ Statement }) =>
      Statement.startsWith('INSERT') ? 'PartiQLInsert' : 'PartiQLUpdate',
    );
  if (command !== 'TransactWriteItems' && command !== 'TransactWrite') return [serviceActions[command] ?? command];
  return (input['TransactItems'] as object[]).flatMap((part) => Object.keys(part)).map((part) => serviceActions[part] ?? part);
};

/** The document client leaves the `Item` out. */
const serviceActions: Readonly<Record<string, string>> = {
  PutEvents: 'bus',
  SendEmail: 'email',
  Get: 'GetItem',
  BatchGet: 'BatchGetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** What else happened in the same moment decides which kinds of items a batch has: each kind is a point of its own. */
function pointsOf(command: string, input: Input): string[] {
  const kinds = itemKindsOf(input);
  if (command.startsWith('Batch') && kinds.length > 0) return kinds.map((kind) => `${command} ${kind}`);
  return [`${command} ${kinds.slice(0, 4).join('+')}`];
}

/** The queue's name, the kind of a foreign address, or the constant parts of the keys: `PACE` of `C#1#PACE#2`. */
function itemKindsOf(input: Input): string[] {
  const { QueueUrl: queue, address } = input;
  if (typeof queue === 'string') return [lastPathSegment(queue).replace(/^switchboard-/, '')];
  if (typeof address === 'string') return [/^[a-z_]+$/.test(lastPathSegment(address)) ? lastPathSegment(address) : 'object'];
  const keys = JSON.stringify(input).matchAll(/"(?:C#\d+#([A-Z][A-Z_]*)|([A-Z][A-Z_]+)#)/g);
  return [...new Set([...keys].map(([, ofTenant, ofAll]) => ofTenant ?? ofAll ?? ''))].toSorted();
}

/** The death of a process. */
export class Crash extends Error {
  override name = 'Crash';
  /** Thrown at a call that an error handler makes after the process died. */
  readonly isAftermath: boolean;
  constructor(message: string, { isAftermath = false } = {}) {
    super(message);
    this.isAftermath = isAftermath;
  }
}

const lastPathSegment = (address: string): string => address.split('?')[0]?.split('/').at(-1) ?? '';
