import { pause } from './deliveries.ts';

/** What is left to do now, by place; empty when nothing is. */
export type PendingWork = Record<string, number>;

/** Where work can wait or run. Delayed work that is due within `horizonMs` counts, later work does not. */
export interface WorkSources {
  queues(): readonly { name: string; pending(horizonMs: number): number }[];
  streams(): readonly { name: string; behind(): number }[];
  /** Function invocations that run or wait for an environment. */
  running(): number;
  /** Deliveries between receiving and acknowledging. */
  delivering(): number;
  /** Webhooks the provider simulator owes now. */
  webhooks(): number;
}

export const pendingWork = (places: WorkSources, horizonMs: number): PendingWork => {
  const left: PendingWork = {};
  const note = (place: string, count: number): void => {
    if (count > 0) left[place] = count;
  };
  for (const queue of places.queues()) note(`queue ${queue.name}`, queue.pending(horizonMs));
  for (const stream of places.streams()) note(`stream ${stream.name}`, stream.behind());
  note('functions running', places.running());
  note('deliveries', places.delivering());
  note('provider webhooks', places.webhooks());
  return left;
};

/** Waits until nothing is left at two checks in a row; answers with what is left when the time is over. */
export const waitUntilIdle = async (places: WorkSources, horizonMs: number, timeoutMs: number): Promise<PendingWork> => {
  const deadline = performance.now() + timeoutMs;
  let quiet = 0;
  for (;;) {
    const left = pendingWork(places, horizonMs);
    quiet = Object.keys(left).length === 0 ? quiet + 1 : 0;
    if (quiet >= 2) return {};
    if (performance.now() >= deadline) return left;
    await pause(quiet > 0 ? 15 : 25);
  }
};

/** Retries of throttled work come back within some ten seconds and count as work of now. */
export const retryHorizonMs = 15_000;
