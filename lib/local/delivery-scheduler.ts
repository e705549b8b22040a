/**
 * Whose turn it is on two cores. First the requests of the API, because a caller waits for each. Then what providers and stores post: they
 * wait too, but longer, and those of one moment can share a post. Then deliveries to queue and stream functions. In the cloud every function
 * has machines of its own.
 */
export interface DeliveryScheduler {
  runRequest<T>(work: () => Promise<T>): Promise<T>;
  /** Two at a time while a request runs. */
  runPost<T>(work: () => Promise<T>): Promise<T>;
  /**
   * To each function one at a time while a request runs, two while a post does.
   * @param to the function's name; a function never waits for the deliveries of another: a code would wait for a campaign
   */
  runDelivery<T>(to: string, work: () => Promise<T>): Promise<T>;
}

/** Work that takes longer waits for the provider or for its send slot, not for a core, so it no longer holds back other work. */
const yieldForMs = 1_000;

/** Work of one kind that has to share: a function's deliveries, or all posts. */
interface WorkKind {
  working: number;
  readonly waiting: (() => void)[];
  readonly atMost: () => number;
}

/** @param onRequests called with the number of requests that run, whenever it changes */
export const createDeliveryScheduler = (onRequests: (running: number) => void = () => {}): DeliveryScheduler => {
  let requests = 0;
  const posts: WorkKind = { working: 0, waiting: [], atMost: () => (requests > 0 ? 2 : Infinity) };
  const deliveriesAtMost = (): number => {
    if (requests > 0) return 1;
    return posts.working > 0 ? 2 : Infinity;
  };
  const functions = new Map<string, WorkKind>();
  const canStart = ({ working, atMost }: WorkKind): boolean => working < atMost();
  const startWaiting = (): void => {
    for (const kind of [posts, ...functions.values()]) {
      while (kind.waiting.length > 0 && canStart(kind)) {
        kind.working++;
        kind.waiting.shift()?.();
      }
    }
  };
  const inTurn = async <T>(kind: WorkKind, work: () => Promise<T>): Promise<T> => {
    if (kind.waiting.length === 0 && canStart(kind)) kind.working++;
    else await new Promise<void>((resolve) => kind.waiting.push(resolve));
    return whileCounted(work, () => {
      kind.working--;
      startWaiting();
    });
  };
  return {
    runRequest: (work) => {
      onRequests(++requests);
      return whileCounted(work, () => {
        onRequests(--requests);
        startWaiting();
      });
    },
    runPost: (work) => inTurn(posts, work),
    runDelivery: (to, work) => {
      const kind = functions.get(to) ?? { working: 0, waiting: [], atMost: deliveriesAtMost };
      functions.set(to, kind);
      return inTurn(kind, work);
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
