import { Environment, type EnvironmentSpec, FunctionProblem } from './environment.ts';
import type { Json } from './json.ts';

/** Where an injected crash hits: at the start, after some milliseconds, or after all effects and before the answer counts. */
export type CrashPoint = { at: 'start' } | { at: 'middle'; afterMs: number } | { at: 'end' };

export interface PoolLimits {
  environments: number;
  /** Invocations at the same time in one environment. Lambda has 1; more is safe for handlers that keep no state of a request. */
  concurrency: number;
  /** Of how many environments of Lambda one has the memory. */
  memories: number;
  /** How far its threads stand back for others when the processor is short, as of nice(1): 0 not at all. Linux only. */
  niceness: number;
}

/** Injected, not the function's own: does not count as an attempt. */
export class InjectedCrash extends FunctionProblem {
  constructor() {
    super('Local.InjectedCrash', 'The environment was killed by a fault');
  }
}

/** A function: its environments, started when needed and ended when long unused. */
export class FunctionPool {
  readonly spec: EnvironmentSpec;
  /** Invocations that run or wait. */
  running = 0;
  limits: PoolLimits;
  #environments: Environment[] = [];
  #starting = 0;
  #stopped = false;
  /** Started for an injected crash each: what runs in the others is not to fail with it. */
  readonly #doomed = new Set<Environment>();
  readonly #queue: { resolve: (environment: Environment) => void; reject: (problem: unknown) => void }[] = [];

  constructor(spec: EnvironmentSpec, limits: PoolLimits) {
    this.spec = spec;
    this.limits = limits;
  }

  get name(): string {
    return this.spec.name;
  }

  /** Invocations that can run at the same time. */
  get capacity(): number {
    return this.limits.environments * this.limits.concurrency;
  }

  /** How many are loaded; each is a thread with a heap of its own. */
  get environments(): number {
    return this.#environments.length;
  }

  /** Runs the handler once and answers with its result, or throws a FunctionProblem. */
  async invoke(event: Json, crash?: CrashPoint): Promise<Json> {
    this.running++;
    try {
      return await (crash ? this.#invokeDoomed(event, crash) : this.#invoke(event));
    } finally {
      this.running--;
    }
  }

  async #invoke(event: Json): Promise<Json> {
    const environment = await this.#take();
    try {
      return await environment.invoke(event);
    } finally {
      this.#giveBack(environment);
    }
  }

  /** In an environment of its own: one that is free, so that what it remembered is lost, as after any crash. */
  async #invokeDoomed(event: Json, crash: CrashPoint): Promise<Json> {
    const free = this.#environments.find(({ busy, isStopped }) => busy === 0 && !isStopped);
    if (free) this.#environments = this.#environments.filter((each) => each !== free);
    const environment = free ?? (await Environment.start(this.spec, this.limits, (ended) => this.#doomed.delete(ended)));
    this.#doomed.add(environment);
    try {
      return await crashing(environment, event, crash);
    } finally {
      this.#doomed.delete(environment);
    }
  }

  /** Starts the first environment ahead of the first invocation. */
  async warm(): Promise<void> {
    if (this.#environments.length + this.#starting > 0 || this.#stopped) return;
    const environment = await this.#take();
    this.#giveBack(environment);
  }

  /** Ends environments beyond the first that were free for so long, and the first after a longer time: a call starts it again. */
  retire({ othersAfterMs, lastAfterMs }: { othersAfterMs: number; lastAfterMs: number }): void {
    const isFreeFor = (ms: number) => (each: Environment) => each.busy === 0 && performance.now() - each.freeSince > ms;
    const old = this.#environments.filter(isFreeFor(othersAfterMs));
    const unused = this.#environments.every(isFreeFor(lastAfterMs));
    for (const environment of old.slice(0, this.#environments.length - (unused ? 0 : 1))) void environment.end();
  }

  /** Ends the environments that no call uses, with what they remember: the next call starts a new one. */
  async renew(): Promise<void> {
    await Promise.all(this.#environments.filter(({ busy }) => busy === 0).map((each) => each.end()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const waiting of this.#queue.splice(0)) waiting.reject(new FunctionProblem('Runtime.ExitError', 'The runner stops'));
    await Promise.all([...this.#environments, ...this.#doomed].map((environment) => environment.end()));
  }

  #take(): Promise<Environment> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ resolve, reject });
      this.#serve();
    });
  }

  #giveBack(environment: Environment): void {
    environment.busy--;
    if (environment.busy === 0) environment.freeSince = performance.now();
    this.#serve();
  }

  #serve(): void {
    while (this.#queue.length > 0) {
      const free = this.#environments
        .filter((each) => !each.isStopped && each.busy < this.limits.concurrency)
        .reduce<Environment | undefined>((best, each) => (best && best.busy <= each.busy ? best : each), undefined);
      if (!free) break;
      free.busy++;
      this.#queue.shift()?.resolve(free);
    }
    const running = this.#environments.filter((each) => !each.isStopped).length;
    if (this.#queue.length > this.#starting * this.limits.concurrency && running + this.#starting < this.limits.environments) this.#start();
  }

  #start(): void {
    this.#starting++;
    Environment.start(this.spec, this.limits, (ended) => {
      this.#environments = this.#environments.filter((each) => each !== ended);
      if (!this.#stopped) this.#serve();
    })
      .then(
        (environment) => {
          if (this.#stopped) void environment.end();
          else this.#environments.push(environment);
        },
        (problem: unknown) => this.#queue.shift()?.reject(problem),
      )
      .finally(() => {
        this.#starting--;
        if (!this.#stopped) this.#serve();
      })
      .catch(() => {});
  }
}

const crashing = async (environment: Environment, event: Json, crash: CrashPoint): Promise<Json> => {
  const work = environment.invoke(event);
  if (crash.at === 'start') void environment.end();
  if (crash.at === 'middle') setTimeout(() => void environment.end(), crash.afterMs);
  await work.catch(() => {});
  await environment.end();
  throw new InjectedCrash();
};
