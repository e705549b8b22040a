import type { Page } from 'playwright-core';

/** A task that kept a page from answering for more than 50 ms, as the browser reports it. */
export interface LongTask {
  /** Milliseconds since the page's navigation began. */
  startTime: number;
  duration: number;
}

const record = `globalThis.longTasks = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) longTasks.push({ startTime, duration });
}).observe({ type: 'longtask', buffered: true });`;

/** Has the browser record long tasks from now on. */
export const recordLongTasks = async (page: Page): Promise<{ end: () => Promise<{ seconds: number; tasks: LongTask[] }> }> => {
  const began = await page.evaluate<number>(`${record}; performance.now()`);
  return {
    end: async () => {
      const { now, tasks } = await page.evaluate<{ now: number; tasks: LongTask[] }>('({ now: performance.now(), tasks: longTasks })');
      return { seconds: (now - began) / 1_000, tasks: tasks.filter(({ startTime }) => startTime >= began) };
    },
  };
};

/**
 * The longest task of each second, below which the share of seconds lies, milliseconds. A second without a long task counts as 50, the least that
 * the browser reports.
 */
export const longestOfSeconds = ({ seconds, tasks }: { seconds: number; tasks: readonly LongTask[] }, share: number): number => {
  const longest = new Map<number, number>();
  for (const { startTime, duration } of tasks) {
    const second = Math.floor(startTime / 1_000);
    longest.set(second, Math.max(longest.get(second) ?? 0, duration));
  }
  const count = Math.max(Math.ceil(seconds), longest.size);
  const all = [...longest.values(), ...Array<number>(count - longest.size).fill(50)].toSorted((a, b) => a - b);
  return all[Math.ceil(count * share) - 1] ?? 50;
};
