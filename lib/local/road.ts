/**
 * Who goes first when there are two cores for everything: somebody waits for a request, nobody for a delivery. While requests are served,
 * deliveries to queue and stream functions go one at a time; in the cloud they would have machines of their own.
 */
export interface Road {
  request<T>(work: () => Promise<T>): Promise<T>;
  delivery<T>(work: () => Promise<T>): Promise<T>;
}

/** A request that takes longer waits for something else than a core (the provider's answer), and keeps nobody back. */
const courtesyMs = 1_000;

export const openRoad = (): Road => {
  let requests = 0;
  let deliveries = 0;
  const waiting: (() => void)[] = [];
  const mayGo = (): boolean => requests === 0 || deliveries === 0;
  const letGo = (): void => {
    while (waiting.length > 0 && mayGo()) {
      deliveries++;
      waiting.shift()?.();
    }
  };
  return {
    request: async (work) => {
      requests++;
      let isCounted = true;
      const leave = (): void => {
        if (isCounted) requests--;
        isCounted = false;
        letGo();
      };
      const timer = setTimeout(leave, courtesyMs);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        leave();
      }
    },
    delivery: async (work) => {
      if (waiting.length === 0 && mayGo()) deliveries++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        deliveries--;
        letGo();
      }
    },
  };
};
