import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest, type TestCase, type Vitest } from 'vitest/node';
import { type Edit, editedSource } from './edits.ts';
import type { Mutation } from './mutation.ts';
import type { Suite } from './suites.ts';

/** A test without one of its conditions: whether it failed as it must, and why not if it did not. */
export interface MutatedRun extends Mutation {
  file: string;
  outcome: 'noticed' | 'passed' | 'failed otherwise' | 'not reached' | 'timed out' | 'broken';
  /** What the test failed with. */
  why: string;
  seconds: number;
}

const root = join(import.meta.dirname, '../..');
/** A test that waits for its whole limit has shown nothing: what it waited for may have been slow. */
const testTimeout = 60_000;
/** A condition that a mend makes true does not come without it: what is waited for in vain ends the run, as a failed expectation. */
const poll = { timeout: 8_000 };

/**
 * Runs each test of these files that names conditions once more for each of them, with that one taken out, and yields what happened as it
 * happens. One vitest serves all runs: it transforms the edited files alone anew. `of` chooses among them by file, title or edited file.
 */
export async function* mutatedRuns(
  { files, env }: Pick<Suite, 'files' | 'env'>,
  of = '',
): AsyncGenerator<MutatedRun & { place: number; count: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-mutations-'));
  const list = join(folder, 'mutations.jsonl');
  let edits: readonly Edit[] = [];
  const reached = new Set<string>();
  const vitest = await createVitest(
    'test',
    {
      root,
      watch: false,
      maxWorkers: 1,
      reporters: [{}],
      testTimeout,
      expect: { poll },
      env: { ...env, MUTATIONS: list },
      // a module without its condition must not be taken from, or left in, the cache of transformed modules
      fsModuleCache: false,
    },
    {
      plugins: [
        editedSource(
          root,
          () => edits,
          (path) => reached.add(path),
        ),
      ],
    },
  );
  try {
    const collected = await run(vitest, files, /$^/);
    // its conditions would be listed by no one, and the rest would pass for all
    if (collected.errors.length > 0) throw new Error(`A file could not be read: ${collected.errors.join('; ')}`);
    const fileOf = new Map(collected.tests.map((test) => [test.name, test.module.relativeModuleId]));
    const mutations = mutationsIn(list)
      .map((mutation) => ({ ...mutation, file: fileOf.get(mutation.title) ?? '' }))
      .filter(({ file, title, edits: taken }) => [file, title, ...taken.map((edit) => edit.in)].some((text) => text.includes(of)));
    for (const [index, mutation] of mutations.entries()) {
      const { file, title } = mutation;
      const began = performance.now();
      edits = mutation.edits;
      reached.clear();
      const changed = new Set(edits.map((edit) => edit.in));
      for (const path of changed) vitest.invalidateFile(join(root, path));
      const { tests, errors } = await run(vitest, [file], new RegExp(`${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`));
      edits = [];
      for (const path of changed) vitest.invalidateFile(join(root, path));
      const outcome = outcomeOf(
        mutation,
        tests.find(({ name }) => name === title),
        reached.size === changed.size,
        errors,
      );
      const seconds = (performance.now() - began) / 1_000;
      yield { ...mutation, ...outcome, seconds, place: index + 1, count: mutations.length };
    }
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function mutationsIn(list: string): Mutation[] {
  if (!existsSync(list)) throw new Error('No test of these files names what it must notice the absence of.');
  return readFileSync(list, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Mutation);
}

async function run(vitest: Vitest, files: readonly string[], testNamePattern: RegExp) {
  const project = vitest.getRootProject();
  const specifications = files.map((file) => project.createSpecification(join(root, file), { testNamePattern }));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  return {
    tests: testModules.flatMap((module) => [...module.children.allTests()]),
    errors: [...testModules.flatMap((module) => module.errors()), ...unhandledErrors].map(messageOf),
  };
}

function outcomeOf(
  { expected }: Mutation,
  test: TestCase | undefined,
  isReached: boolean,
  errors: readonly string[],
): Pick<MutatedRun, 'outcome' | 'why'> {
  const result = test?.result();
  if (result?.state !== 'failed') {
    if (result?.state === 'passed' && isReached) return { outcome: 'passed', why: 'the test holds without this condition' };
    return isReached
      ? { outcome: 'broken', why: errors[0] ?? 'the test did not run' }
      : { outcome: 'not reached', why: 'the test does not load what the condition is in' };
  }
  const whys = (result.errors ?? []).map(messageOf);
  const why = whys[0] ?? '';
  if (whys.some((each) => each.startsWith('Test timed out'))) return { outcome: 'timed out', why };
  // what does not compile without the condition shows nothing of it
  const isBroken =
    (result.errors ?? []).some(({ name }) => name === 'SyntaxError' || name === 'ReferenceError') ||
    whys.some((each) => each.startsWith('Transform failed'));
  if (isBroken) return { outcome: 'broken', why };
  return { outcome: expected && !new RegExp(...expected).test(why) ? 'failed otherwise' : 'noticed', why };
}

const messageOf = (error: unknown): string =>
  (error instanceof Object && 'message' in error ? String(error.message) : String(error)).split('\n')[0] ?? '';
