import { afterEach, expect, test, vi } from 'vitest';
import { atSlice, reachesSlice, runSlices } from '../../shared/queue/slices.ts';

/** A job of three slices that takes 10 seconds for each; another delivery moves it on at `takenAt`. */
const walk = async ({ turnMs, takenAt = 99, lostAt = 99 }: { turnMs?: number; takenAt?: number; lostAt?: number }): Promise<string[]> => {
  const steps: string[] = [];
  const step = async <T>(name: string, result: T): Promise<T> => {
    steps.push(name);
    return result;
  };
  await runSlices<number, number, string>(0, {
    claim: (at) => (at === 3 ? step('none left', undefined) : step(`claim ${at}`, at === takenAt ? undefined : at)),
    work: (at) => {
      vi.setSystemTime(Date.now() + 10_000);
      return step(`work ${at}`, `done ${at}`);
    },
    advance: (at, result) => step(`advance ${at} ${result}`, at === lostAt ? undefined : at + 1),
    ...(turnMs === undefined ? {} : { turn: { ms: turnMs, giveBack: (at) => step(`give back ${at}`, undefined) } }),
  });
  return steps;
};
afterEach(() => void vi.useRealTimers());

const slice = (at: number): string[] => [`claim ${at}`, `work ${at}`, `advance ${at} done ${at}`];

test.each([
  ['one slice without a turn', {}, slice(0)],
  ['all slices that a turn has time for', { turnMs: 60_000 }, [...slice(0), ...slice(1), ...slice(2), 'none left']],
  ['what a turn leaves is given back', { turnMs: 15_000 }, [...slice(0), ...slice(1), 'give back 2']],
  ['a slice that another delivery has is not worked on', { turnMs: 60_000, takenAt: 1 }, [...slice(0), 'claim 1']],
  ['a job that another delivery moved on is left to it, not given back', { turnMs: 5_000, lostAt: 0 }, slice(0)],
])('%s', async (_, given, steps) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  expect(await walk(given)).toEqual(steps);
});

test('without a job nothing is done', async () => {
  await runSlices(undefined, { claim: () => expect.unreachable(), work: () => expect.unreachable(), advance: () => expect.unreachable() });
});

test('a message is for a job that is open and at its slice', () => {
  expect(atSlice({ slice: 2, status: 'running' }, 2)).toBeDefined();
  for (const job of [undefined, { slice: 3, status: 'running' }, { slice: 2, status: 'cancelled' }])
    expect(atSlice(job, 2)).toBeUndefined();
});

test.each([
  ['a new job', undefined, { slice: 0, status: 'queued' }, true],
  ['a job that waited for its start', { slice: 0, status: 'awaiting_upload' }, { slice: 0, status: 'queued' }, true],
  ['the next slice', { slice: 0, status: 'running' }, { slice: 1, status: 'running' }, true],
  ['a claim of the same slice', { slice: 0, status: 'queued' }, { slice: 0, status: 'running' }, false],
  ['the last slice', { slice: 1, status: 'running' }, { slice: 2, status: 'completed' }, false],
  ['a job that is gone', { slice: 1, status: 'running' }, undefined, false],
])('%s is enqueued: %s', (_, before, after, does) => {
  expect(reachesSlice(before, after)).toBe(does);
});
