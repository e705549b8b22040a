import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { onFetch } from './fetch-hook.ts';
import type { TestApp } from './test-app.ts';
import { atCrashPoint, Crash, isTargeting, reachPoint } from './crash-points.ts';

/** A process from its start to its crash or end. What it began is its own for good: what still runs after the crash fails at its next call. */
interface Life {
  isDead: boolean;
  /** Under way, of the SDK and to receivers: these may still take effect after the crash. */
  requests: Set<ClientRequest>;
}
/** Of the process whose code runs now; none where a test calls by itself. */
const lives = new AsyncLocalStorage<Life>();

const startLife = (): Life => ({ isDead: false, requests: new Set() });

subscribe('http.client.request.created', (message) => {
  const life = lives.getStore();
  if (!life) return;
  const { request } = message as { request: ClientRequest };
  if (life.isDead) {
    request.destroy(new Crash('The process died.', { isAftermath: true }));
    return;
  }
  life.requests.add(request);
  request.once('close', () => life.requests.delete(request));
});

/** What a process sent before it crashed arrives before the next begins: minutes pass by the clock of a run within milliseconds. */
const untilArrived = async ({ requests }: Life): Promise<void> => {
  await Promise.all([...requests].map((request) => new Promise((resolve) => request.once('close', resolve))));
};

/**
 * Lets a process crash between any two of its calls to the outside; what it had still to do is lost, and what it kept in memory.
 * `livesBetweenVisits` live in peace from one visit to the next: a message that everybody crashes over goes to the dead letters, as it should.
 */
export const crashInjection = ({ livesBetweenVisits: runsBetweenTargeted = 5 } = {}) => {
  const crash = { in: Number.POSITIVE_INFINITY, canCrash: false };
  /** The process that runs, or ran last: also of what it lets others begin, such as a server's request. */
  let current = startLife();
  /** Lives since the last visit. */
  let runsSinceTargeted = runsBetweenTargeted;
  /** Of the work that runs, or ran last. */
  let steps = 0;
  const passStep = (): void => {
    const life = lives.getStore() ?? current;
    // error handlers and branches of a process that died already: no further point, because the table is as at its death
    if (life.isDead) throw new Crash('The process died.', { isAftermath: true });
    if (crash.canCrash) steps++;
    // what no one may die in is no fault point: a suite's own preparations
    const isTargeted = crash.canCrash && reachPoint() && runsSinceTargeted >= runsBetweenTargeted;
    if (isTargeted) runsSinceTargeted = 0;
    if (--crash.in <= 0 || isTargeted) {
      life.isDead = true;
      throw new Crash('The process died.');
    }
  };
  /** A call over the network that is no call to the table or a queue, with a step on either side. */
  const fetching = async <T>(address: string, call: () => Promise<T>): Promise<T> => {
    await atCrashPoint('before', 'fetch', { address }, passStep);
    const answer = await call();
    await atCrashPoint('after', 'fetch', { address }, passStep);
    return answer;
  };
  return {
    /**
     * While it lives, who works for the test app may die at any call to the table, a queue, the bus or the mail service, and at calls over the
     * network to `outside`: addresses that begin so.
     */
    over: ({ onTable, onQueue }: Pick<TestApp, 'onTable' | 'onQueue'>, ...outside: readonly string[]): Disposable => {
      const steps = new DisposableStack();
      steps.use(onTable(passStep));
      steps.use(onQueue(passStep));
      const isOutside = (address: string): boolean => outside.some((start) => address.startsWith(start));
      steps.use(onFetch((address, call) => (isOutside(address) ? fetching(address, call) : call())));
      return steps;
    },
    fetching,
    /**
     * The work of a process that crashes at its n-th step, or lives (undefined); in a round of visits, at a point that was never struck instead.
     * Undefined: it died, or failed.
     */
    runWithCrash: async <T>(nth: number | undefined, work: () => Promise<T>): Promise<T | undefined> => {
      crash.in = isTargeting() ? Number.POSITIVE_INFINITY : (nth ?? Number.POSITIVE_INFINITY);
      crash.canCrash = true;
      steps = 0;
      runsSinceTargeted++;
      const before = current;
      const life = startLife();
      current = life;
      try {
        const result = await lives.run(life, work);
        return life.isDead ? undefined : result;
      } catch {
        return undefined;
      } finally {
        if (life.isDead) {
          await untilArrived(life);
          clearProcessMemory();
        }
        current = before;
        crash.in = Number.POSITIVE_INFINITY;
        crash.canCrash = false;
      }
    },
    /** How many steps the last `runWithCrash` work had, up to its death. */
    steps: (): number => steps,
    /** Whether this process is certain to live, so that others may work while it waits. */
    isSafe: (): boolean => !current.isDead && crash.in === Number.POSITIVE_INFINITY && !(crash.canCrash && isTargeting()),
  };
};
export type RunWithCrash = ReturnType<typeof crashInjection>['runWithCrash'];
