/**
 * Requests go before deliveries, because a caller waits for a request and two cores serve both. While a request runs, each queue or stream
 * function works on one delivery at a time. In the cloud every function has machines of its own.
 */
export interface DeliveryScheduler {
  runRequest<T>(work: () => Promise<T>): Promise<T>;
  /** `to`: the function's name. A function never waits for the deliveries of another: a code would wait for a campaign. */
  runDelivery<T>(to: string, work: () => Promise<T>): Promise<T>;
}

/** Work that takes longer waits for the provider or for its send slot, not for a core, so it no longer holds back other work. */
const yieldForMs = 1_000;

export const createDeliveryScheduler = (): DeliveryScheduler => {
  let requests = 0;
  const functions = new Map<string, { working: number; waiting: (() => void)[] }>();
  const canStart = (working: number): boolean => requests === 0 || working === 0;
  const startWaiting = (): void => {
    for (const each of functions.values()) {
      while (each.waiting.length > 0 && canStart(each.working)) {
        each.working++;
        each.waiting.shift()?.();
      }
    }
  };
  return {
    runRequest: (work) => {
      requests++;
      return whileCounted(work, () => {
        requests--;
        startWaiting();
      });
    },
    runDelivery: async (to, work) => {
      const mine = functions.get(to) ?? { working: 0, waiting: [] };
      functions.set(to, mine);
      if (mine.waiting.length === 0 && canStart(mine.working)) mine.working++;
      else await new Promise<void>((resolve) => mine.waiting.push(resolve));
      return whileCounted(work, () => {
        mine.working--;
        startWaiting();
      });
    },
  };
};

/** Runs the work. `leave` is called once: at the end of the work, or after `yieldForMs`. */
const whileCounted = async <T>(work: () => Promise<T>, leave: () => void): Promise<T> => {
  let isCounted = true;
  const leaveOnce = (): void => {
    if (isCounted) leave();
    isCounted = false;
  };
  const timer = setTimeout(leaveOnce, yieldForMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    leaveOnce();
  }
};
