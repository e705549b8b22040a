/** The ways back from what was started, walked in reverse. */
export interface CleanupStack {
  add(step: () => unknown): void;
  /** Waits for a start and keeps the way to stop it, also when another start fails meanwhile. */
  keep<T extends { stop(): unknown }>(starting: Promise<T>): Promise<T>;
  /** Undoes everything, once. */
  all(): Promise<void>;
}

export const createCleanupStack = (): CleanupStack => {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    keep: async (starting) => {
      const started = await starting;
      steps.push(() => started.stop());
      return started;
    },
    all: async () => {
      for (const step of steps.splice(0).reverse()) await step();
    },
  };
};
