class Crash extends Error {
  override name = 'Crash';
}

/** Processes that die: between any two of their calls to the outside, and with everything that they had still meant to do. */
export const mortality = () => {
  const death = { in: Number.POSITIVE_INFINITY, isDead: false };
  return {
    /** One call to the outside, before it leaves or after it came back. */
    step: (): void => {
      if (death.isDead || --death.in <= 0) {
        death.isDead = true;
        throw new Crash('The process died.');
      }
    },
    /** The work of a process that dies at its n-th step, or lives (undefined). Undefined: it died, or failed. */
    mortal: async <T>(steps: number | undefined, work: () => Promise<T>): Promise<T | undefined> => {
      death.in = steps ?? Number.POSITIVE_INFINITY;
      try {
        const result = await work();
        return death.isDead ? undefined : result;
      } catch {
        return undefined;
      } finally {
        death.in = Number.POSITIVE_INFINITY;
        death.isDead = false;
      }
    },
    /** Whether this process is certain to live, so that others may work while it waits. */
    isSafe: (): boolean => !death.isDead && death.in === Number.POSITIVE_INFINITY,
  };
};
