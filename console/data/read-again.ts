import type { OperationName } from './client.ts';
import { queryClient } from './queries.ts';

/** What is old and waits to be read: of some records, or all of an operation. */
type Old = ReadonlySet<number> | 'all';

const waiting = new Map<OperationName, Old>();
const reading = new Set<OperationName>();

/** Between the changes and the read, for those that follow at once; and then between two reads, as many times as long as a read took. */
const gatherMs = 150;
const pausesPerRead = 4;
const longestPauseMs = 1_500;

/**
 * Reads again what an operation answered, where it is shown: one read at a time, which nothing cuts short. What becomes old meanwhile is read
 * once, after a pause: in a storm of events a slow answer makes the reads fewer.
 *
 * @param ids the records (`params.id`) whose answers are old; undefined: all
 */
export const readAgain = (name: OperationName, ids?: readonly number[]): void => {
  const before = waiting.get(name);
  waiting.set(name, ids === undefined || before === 'all' ? 'all' : new Set([...(before ?? []), ...ids]));
  if (!reading.has(name)) void readWaiting(name);
};

const readWaiting = async (name: OperationName): Promise<void> => {
  reading.add(name);
  await pause(gatherMs);
  for (let old = waiting.get(name); old !== undefined; old = waiting.get(name)) {
    waiting.delete(name);
    const began = performance.now();
    await queryClient.invalidateQueries({
      queryKey: [name],
      ...(old === 'all' ? {} : { predicate: ({ queryKey }) => old.has(idIn(queryKey[1])) }),
    });
    await pause(Math.min(longestPauseMs, pausesPerRead * (performance.now() - began)));
  }
  reading.delete(name);
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const idIn = (input: unknown): number => {
  const params = typeof input === 'object' && input !== null && 'params' in input ? input.params : undefined;
  return typeof params === 'object' && params !== null && 'id' in params ? Number(params.id) : 0;
};
