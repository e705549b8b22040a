import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { withEdits } from './mutated-source.ts';

/** One place of the product's source, and what stands there when the mend is taken out. `replace` occurs in the file exactly once. */
export interface Edit {
  in: string;
  replace: string;
  by: string;
}

/** What stops an attack: one place, or several that are taken out together because each alone would stop it. */
export type Mend = Edit | readonly Edit[];

/** Where the mends are listed for `npm run test:all -- security` (mend-runs.ts), which runs the attack once more without each of them. */
const listing = process.env['ATTACK_MENDS'] || undefined;
const root = join(import.meta.dirname, '../..');

/**
 * An attack that must not succeed, with the mends that stop it. In `npm test` it is a test like any other, and the mends must be in the
 * source as they are written here. `npm run test:all -- security` takes each mend out by itself, and the test must then fail.
 */
export const attack = (title: string, mends: readonly [Mend, ...Mend[]], run: () => Promise<void> | void, timeoutMs?: number): void => {
  for (const mend of mends) {
    const edits = 'in' in mend ? [mend] : mend;
    for (const { in: path } of edits) withEdits(path, readFileSync(join(root, path), 'utf8'), edits);
    if (listing) appendFileSync(listing, `${JSON.stringify({ attack: title, edits })}\n`);
  }
  // without a mend it must fail by what it expects, and soon: the limit is that of mend-runs.ts
  test(title, run, listing ? undefined : timeoutMs);
};
