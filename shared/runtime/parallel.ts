/**
 * Runs the work for every item, at most `width` at a time, and returns the results in the items' order. After a failure no further item is
 * begun; it throws the first failure once all that had begun has ended, so that no work continues in the background.
 */
export async function inParallel<T, R>(items: readonly T[], width: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const waiting = items.entries();
  const runWorker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, runWorker));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** Runs works that are begun anywhere in the process, at most `width` of them at a time, in the order of the calls. */
export const limited = (width: number): (<R>(work: () => Promise<R>) => Promise<R>) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= width) await new Promise<void>((begin) => waiting.push(begin));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
