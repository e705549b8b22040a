export type FetchArgs = Parameters<typeof fetch>;
/** Stands in the way of a call: answers by itself, or goes on with the call, which it may look at and change the answer of. */
export type FetchHook = (address: string, call: () => Promise<Response>, init: FetchArgs[1]) => Promise<Response>;

/** While it lives, calls over the network go through the hook; not those of the AWS clients, which have a way of their own. */
export const onFetch = (hook: FetchHook): Disposable => {
  const before = globalThis.fetch;
  globalThis.fetch = (...args: FetchArgs) => {
    const [address, init] = args;
    return typeof address === 'string' ? hook(address, () => before(...args), init) : before(...args);
  };
  return {
    [Symbol.dispose]: () => {
      globalThis.fetch = before;
    },
  };
};
