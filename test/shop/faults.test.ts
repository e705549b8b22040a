import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { visitMs, visits } from '../support/fault-points.ts';
import { startFaultStage } from './fault-run.ts';

/** Guards that a test takes away, one at a time, to see that the runs notice; and the way of the product's calls to a store platform. */
const removed = vi.hoisted(() => ({ guard: '' }));
const outside = vi.hoisted(() => ({ through: <T>(_address: string, call: () => Promise<T>): Promise<T> => call() }));

vi.mock('../../shared/runtime/fetch.ts', async (original) => {
  const real = await original<typeof import('../../shared/runtime/fetch.ts')>();
  return {
    ...real,
    guardedFetch: (...args: Parameters<typeof real.guardedFetch>) => outside.through(args[0], () => real.guardedFetch(...args)),
  };
});

const stage = await startFaultStage(outside);
afterAll(() => stage[Symbol.asyncDispose]());
afterEach(() => void (removed.guard = ''));

const seeds = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);
const count = Number(process.env['SEEDS'] ?? 4);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs nothing acknowledged is lost or stands twice, counts equal a recount, customers are told once`,
    async () => {
      for (let first = 1; first <= count; first += 4) expect(await stage.run(seeds(first, Math.min(4, count + 1 - first)))).toEqual([]);
      for (const round of visits()) expect(await stage.run(seeds(50_001 + round * 4, 4))).toEqual([]);
    },
    60_000 + count * 10_000 + visitMs,
  );
});
