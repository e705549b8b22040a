/**
 * Who goes first when there are two cores for everything: somebody waits for a request, nobody for a delivery. While requests are served,
 * each queue or stream function has one delivery at a time; in the cloud they would have machines of their own.
 */
export interface DeliveryScheduler {
  runRequest<T>(work: () => Promise<T>): Promise<T>;
  /** `to`: the function's name. No function waits for another's deliveries: a code would wait for a campaign's. */
  runDelivery<T>(to: string, work: () => Promise<T>): Promise<T>;
}

/** What takes longer waits for something else than a core (the provider's answer, its place in the pace), and keeps nobody back. */
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

/** Does the work; `leave` is called once, at its end or after the courtesy, whichever is first. */
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
