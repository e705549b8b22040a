import { Temporary } from '../runtime/temporary.ts';

/** A write lost to other writers too often. */
export class Conflict extends Temporary {
  override name = 'Conflict';
}

/** The attempts of a write that would otherwise be repeated without end. */
export const maxConflicts = 50;

/** What an attempt returns when another writer was faster. */
export const conflict: unique symbol = Symbol('conflict');

/**
 * Runs an optimistic write until it returns anything but `conflict`, with a random pause between attempts. Each attempt reads what it
 * needs anew, or keeps the `current` item of the refused write in a variable outside. After the last attempt: `exhausted`, or Conflict.
 */
export const retryOnConflict = async <T>(
  attempts: number,
  attempt: (attempt: number) => Promise<T | typeof conflict>,
  exhausted: () => T | Promise<T> = () => {
    throw new Conflict(`Lost to other writers ${attempts} times.`);
  },
): Promise<T> => {
  for (let number = 1; number <= attempts; number++) {
    if (number > 1) await pause(number - 1);
    const outcome = await attempt(number);
    if (outcome !== conflict) return outcome;
  }
  return exhausted();
};

/** Full jitter, see https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/ */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** attempt)));
