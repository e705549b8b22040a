import { onFetch } from './outgoing.ts';
import type { World } from './world.ts';
import { atPoint, Crash, isVisiting, passPoint } from './fault-points.ts';

/**
 * Processes that die: between any two of their calls to the outside, and with everything that they had still meant to do.
 * `livesBetweenVisits` live in peace from one visit to the next: a message that everybody dies over goes to the dead letters, as it should.
 */
export const mortality = ({ livesBetweenVisits = 5 } = {}) => {
  const death = { in: Number.POSITIVE_INFINITY, isDead: false, isMortal: false };
  /** Lives since the last visit. */
  let lives = livesBetweenVisits;
  /** Of the work that runs, or ran last. */
  let steps = 0;
  const step = (): void => {
    if (death.isMortal) steps++;
    // what nobody may die in is no fault point: a suite's own preparations
    const isVisited = death.isMortal && !death.isDead && passPoint() && lives >= livesBetweenVisits;
    if (isVisited) lives = 0;
    // error handlers of a process that died already: no further point, because the table is as at the first death
    if (death.isDead) throw new Crash('The process died.', { isAftermath: true });
    if (--death.in <= 0 || isVisited) {
      death.isDead = true;
      throw new Crash('The process died.');
    }
  };
  /** A call over the network that is no call to the table or a queue, with a step on either side. */
  const fetching = async <T>(address: string, call: () => Promise<T>): Promise<T> => {
    await atPoint('before', 'fetch', { address }, step);
    const answer = await call();
    await atPoint('after', 'fetch', { address }, step);
    return answer;
  };
  return {
    /**
     * While it lives, who works for the world may die at any call to the table, a queue, the bus or the mail service, and at calls over the
     * network to `outside`: addresses that begin so.
     */
    over: ({ onTable, onQueue }: Pick<World, 'onTable' | 'onQueue'>, ...outside: readonly string[]): Disposable => {
      const steps = new DisposableStack();
      steps.use(onTable(step));
      steps.use(onQueue(step));
      const isOutside = (address: string): boolean => outside.some((start) => address.startsWith(start));
      steps.use(onFetch((address, call) => (isOutside(address) ? fetching(address, call) : call())));
      return steps;
    },
    fetching,
    /**
     * The work of a process that dies at its n-th step, or lives (undefined); in a round of visits, at a point that was never struck instead.
     * Undefined: it died, or failed.
     */
    mortal: async <T>(nth: number | undefined, work: () => Promise<T>): Promise<T | undefined> => {
      death.in = isVisiting() ? Number.POSITIVE_INFINITY : (nth ?? Number.POSITIVE_INFINITY);
      death.isMortal = true;
      steps = 0;
      lives++;
      try {
        const result = await work();
        return death.isDead ? undefined : result;
      } catch {
        return undefined;
      } finally {
        death.in = Number.POSITIVE_INFINITY;
        death.isDead = false;
        death.isMortal = false;
      }
    },
    /** How many steps the last `mortal` work had, up to its death. */
    steps: (): number => steps,
    /** Whether this process is certain to live, so that others may work while it waits. */
    isSafe: (): boolean => !death.isDead && death.in === Number.POSITIVE_INFINITY && !(death.isMortal && isVisiting()),
  };
};
export type Mortal = ReturnType<typeof mortality>['mortal'];
