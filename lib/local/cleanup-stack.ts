/** The steps that stop what was started; they run in reverse. */
export interface CleanupStack {
  add(step: () => unknown): void;
  /** Waits for a start and stacks the step that stops it, also when another start fails meanwhile. */
  register<T extends { stop(): unknown }>(starting: Promise<T>): Promise<T>;
  /** Runs every step, once. */
  all(): Promise<void>;
}

export const createCleanupStack = (): CleanupStack => {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    register: async (starting) => {
      const started = await starting;
      steps.push(() => started.stop());
      return started;
    },
    all: async () => {
      for (const step of steps.splice(0).reverse()) await step();
    },
  };
};
