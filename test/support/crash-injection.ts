import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { onFetch } from './fetch-hook.ts';
import type { TestApp } from './test-app.ts';
import { atCrashPoint, Crash, isTargeting, reachPoint } from './crash-points.ts';

/**
 * Lets a process crash between any two of its calls to the outside; what it had still to do is lost, and what it kept in memory.
 * `livesBetweenVisits` live in peace from one visit to the next: a message that everybody crashes over goes to the dead letters, as it should.
 */
export const crashInjection = ({ livesBetweenVisits: runsBetweenTargeted = 5 } = {}) => {
  const crash = { in: Number.POSITIVE_INFINITY, isDead: false, canCrash: false };
  /** Lives since the last visit. */
  let runsSinceTargeted = runsBetweenTargeted;
  /** Of the work that runs, or ran last. */
  let steps = 0;
  const passStep = (): void => {
    if (crash.canCrash) steps++;
    // what no one may die in is no fault point: a suite's own preparations
    const isTargeted = crash.canCrash && !crash.isDead && reachPoint() && runsSinceTargeted >= runsBetweenTargeted;
    if (isTargeted) runsSinceTargeted = 0;
    // error handlers of a process that died already: no further point, because the table is as at the first death
    if (crash.isDead) throw new Crash('The process died.', { isAftermath: true });
    if (--crash.in <= 0 || isTargeted) {
      crash.isDead = true;
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
     * While it lives, who works for the world may die at any call to the table, a queue, the bus or the mail service, and at calls over the
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
      try {
        const result = await work();
        return crash.isDead ? undefined : result;
      } catch {
        return undefined;
      } finally {
        if (crash.isDead) clearProcessMemory();
        crash.in = Number.POSITIVE_INFINITY;
        crash.isDead = false;
        crash.canCrash = false;
      }
    },
    /** How many steps the last `runWithCrash` work had, up to its death. */
    steps: (): number => steps,
    /** Whether this process is certain to live, so that others may work while it waits. */
    isSafe: (): boolean => !crash.isDead && crash.in === Number.POSITIVE_INFINITY && !(crash.canCrash && isTargeting()),
  };
};
export type RunWithCrash = ReturnType<typeof crashInjection>['runWithCrash'];
