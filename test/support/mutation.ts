import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { type Edit, withEdits } from './edits.ts';

/** What a test must notice the absence of: one place, or several that are taken out together because each alone would do. */
export type Condition = Edit | readonly Edit[];

/** A test that must fail without a condition, as the list for `npm run test:all` has it (mutated-runs.ts). */
export interface Mutation {
  title: string;
  edits: readonly Edit[];
  /** What it must fail with: source and flags of an expression. Undefined: with anything that it expects. */
  expected?: readonly [source: string, flags: string];
}

/** Where the mutations are listed, in a run without one of the conditions. */
const list = process.env['MUTATIONS'] || undefined;
const root = join(import.meta.dirname, '../..');

/** Whether a condition is taken out: what else the product would be checked for is not the matter of this run. */
export const isMutated = list !== undefined;

/** Lists a mutation of a test. The condition must be in the source as it is written here, also where no run takes it out. */
export const listMutation = (title: string, condition: Condition, expected?: RegExp): void => {
  const edits = 'in' in condition ? [condition] : condition;
  for (const { in: path } of edits) withEdits(path, readFileSync(join(root, path), 'utf8'), edits);
  const mutation: Mutation = { title, edits, ...(expected ? { expected: [expected.source, expected.flags] } : {}) };
  if (list) appendFileSync(list, `${JSON.stringify(mutation)}\n`);
};

/**
 * A condition of the product by which the runs of a fault suite hold. `npm run test:all` takes it out, by itself, and the runs must then show the
 * expected violation: round after round, until one does or there were too many. In `npm test` the condition must be in the source, and no more.
 *
 * @param run the violations of a round
 */
export const holdsBy = (
  name: string,
  condition: Condition,
  expected: RegExp,
  rounds: number,
  run: (round: number) => Promise<readonly string[]>,
): void => {
  const title = `the runs hold by this condition: ${name}`;
  listMutation(title, condition, expected);
  if (!isMutated) return;
  test(
    title,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const violation = (await run(round)).find((what) => expected.test(what));
        if (violation !== undefined) throw new Error(violation);
      }
    },
    longestMs,
  );
};

/**
 * A schedule that seeds meet too rarely, made by hand. In `npm test` it is a test like any other; `npm run test:all -- mends` takes the mend out, which puts
 * the defect of before back, and the test must then fail.
 */
export const mendedBy = (title: string, mend: Condition, run: () => Promise<void> | void): void => {
  listMutation(title, mend);
  test(title, run);
};

/** Until one of the rounds noticed, or there were too many: minutes on a busy machine. */
const longestMs = 1_800_000;

/** Of every row: each record of the change stream is new to it, however often it is projected. */
export const checkpoints: Edit = {
  in: 'shared/events/checkpoints.ts',
  replace: 'return last === undefined || BigInt(sequence) > last;',
  by: 'return true;',
};

/** Of every worker: what failed comes again. */
export const failuresComeAgain: Edit = {
  in: 'shared/queue/consume.ts',
  replace: 'return record.messageId;',
  by: 'return undefined;',
};
