export interface Gathering {
  /** As many are worked on at once. */
  atMost: number;
  /** How long the first one waits for others. */
  withinMs: number;
}

/**
 * Works on what callers bring within a moment in one go: `work` gets their items together, and each caller the result of its own, as soon as
 * it is there. For requests that cost little more for many items than for one.
 */
export const gathered = <T, R>(
  { atMost, withinMs }: Gathering,
  work: (items: readonly T[]) => Promise<readonly (PromiseSettledResult<R> | Promise<R>)[]>,
): ((item: T) => Promise<R>) => {
  let waiting: Waiting<T, R>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const callers = waiting;
    waiting = [];
    work(callers.map(({ item }) => item)).then(
      (results) =>
        callers.forEach((caller, index) => {
          const result = results[index];
          if (result instanceof Promise) result.then(caller.resolve, caller.reject);
          else if (result?.status === 'fulfilled') caller.resolve(result.value);
          else caller.reject(result?.reason ?? new Error('Gathered work returned no result for an item.'));
        }),
      (error: unknown) => callers.forEach(({ reject }) => reject(error)),
    );
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length >= atMost) begin();
      else timer ??= setTimeout(begin, withinMs);
    });
};

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}
