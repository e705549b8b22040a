import { setting } from '../../../shared/runtime/env.ts';
import { isTableBusy } from '../../../shared/table/busy.ts';
import { Conflict } from '../../../shared/table/conflict.ts';

class TooSlow extends Error {
  override name = 'TooSlow';
}

/**
 * The write's result, or `TooSlow` where it takes longer than a shard waits for one company: the SDK repeats a throttled write for
 * up to seven seconds. The write itself may still be done: the changes stay at their
 * positions, so the row then contains them.
 */
export const soonEnough = async <T>(write: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow('The table took no write in time.')), Number(setting('CHANGES_PATIENCE_MS')));
  });
  try {
    return await Promise.race([write, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Whether the write may succeed later, and what it writes to is what has too much to do. */
export const isBusy = (error: unknown): boolean => error instanceof TooSlow || error instanceof Conflict || isTableBusy(error);
