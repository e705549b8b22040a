import { test } from 'vitest';
import { type Condition, isMutated, listMutation } from './mutation.ts';

/**
 * An attack that must not succeed, with the mends that stop it. In `npm test` it is a test like any other, and the mends must be in the
 * source as they are written here. `npm run test:all -- security` takes each mend out by itself, and the test must then fail.
 */
export const attack = (
  title: string,
  mends: readonly [Condition, ...Condition[]],
  run: () => Promise<void> | void,
  timeoutMs?: number,
): void => {
  for (const mend of mends) listMutation(title, mend);
  // without a mend it must fail by what it expects, and soon: the limit is that of mutated-runs.ts
  test(title, run, isMutated ? undefined : timeoutMs);
};
