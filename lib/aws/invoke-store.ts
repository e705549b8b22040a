/**
 * Replaces the SDK's store of concurrent invocations in every bundle (lib/bundle.ts): a function of ours has one invocation at a time, whose
 * trace id the SDK reads from the environment when this store has none.
 */
export const InvokeStore = {
  getInstanceAsync: (): Promise<undefined> => Promise.resolve(undefined),
};
