import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest, type TestCase, type Vitest } from 'vitest/node';
import type { Edit } from './attack.ts';
import { withEdits } from './mutated-source.ts';

/** An attack without one of its mends: whether its test failed, which it must, and why not if it did not. */
export interface MendRun {
  file: string;
  attack: string;
  edits: readonly Edit[];
  outcome: 'noticed' | 'passed' | 'not reached' | 'timed out' | 'broken';
  /** What the test failed with. */
  why: string;
  seconds: number;
}

interface ListedMend {
  attack: string;
  edits: readonly Edit[];
}

const root = join(import.meta.dirname, '../..');
/** A test that waits for its whole limit has shown nothing: what it waited for may have been slow. */
const testTimeout = 60_000;
/** A condition that a mend makes true does not come without it: what is waited for in vain ends the run, as a failed expectation. */
const poll = { timeout: 8_000 };

/**
 * Runs each attack of these files once more for each of its mends, with that mend taken out, and yields what happened as it happens. One vitest serves all runs:
 * it transforms the edited files alone anew. `of` chooses among the mends by file, attack or edited file.
 */
export async function* runsWithoutMends(files: readonly string[], of = ''): AsyncGenerator<MendRun & { place: number; count: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-mends-'));
  const listing = join(folder, 'mends.jsonl');
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
      env: { ATTACK_MENDS: listing },
      fsModuleCache: false,
    },
    {
      plugins: [
        {
          name: 'mend-runs',
          enforce: 'pre',
          transform: (source, id) => {
            const path = (id.split('?')[0] ?? id).slice(root.length + 1);
            if (!edits.some((edit) => edit.in === path)) return undefined;
            reached.add(path);
            return { code: withEdits(path, source, edits), map: null };
          },
        },
      ],
    },
  );
  try {
    const fileOf = new Map((await run(vitest, files, /$^/)).tests.map((test) => [test.name, test.module.relativeModuleId]));
    const mends = readFileSync(listing, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ListedMend)
      .map((mend) => ({ ...mend, file: fileOf.get(mend.attack) ?? '' }))
      .filter((mend) => [mend.file, mend.attack, ...mend.edits.map((edit) => edit.in)].some((text) => text.includes(of)));
    for (const [index, { file, attack, edits: taken }] of mends.entries()) {
      const began = performance.now();
      edits = taken;
      reached.clear();
      const changed = new Set(taken.map((edit) => edit.in));
      for (const path of changed) vitest.invalidateFile(join(root, path));
      const { tests, errors } = await run(vitest, [file], new RegExp(`${attack.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`));
      edits = [];
      for (const path of changed) vitest.invalidateFile(join(root, path));
      const outcome = outcomeOf(
        tests.find(({ name }) => name === attack),
        reached.size === changed.size,
        errors,
      );
      const seconds = (performance.now() - began) / 1_000;
      yield { file, attack, edits: taken, ...outcome, seconds, place: index + 1, count: mends.length };
    }
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }
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

function outcomeOf(test: TestCase | undefined, isReached: boolean, errors: readonly string[]): Pick<MendRun, 'outcome' | 'why'> {
  const result = test?.result();
  if (result?.state !== 'failed') {
    if (result?.state === 'passed' && isReached) return { outcome: 'passed', why: 'the attack is stopped without this mend' };
    return isReached
      ? { outcome: 'broken', why: errors[0] ?? 'the test did not run' }
      : { outcome: 'not reached', why: 'the test does not load what the mend is in' };
  }
  const whys = (result.errors ?? []).map(messageOf);
  const why = whys[0] ?? '';
  if (whys.some((each) => each.startsWith('Test timed out'))) return { outcome: 'timed out', why };
  // what does not compile without the mend shows nothing of it
  const isBroken =
    (result.errors ?? []).some(({ name }) => name === 'SyntaxError' || name === 'ReferenceError') ||
    whys.some((each) => each.startsWith('Transform failed'));
  return { outcome: isBroken ? 'broken' : 'noticed', why };
}

const messageOf = (error: unknown): string =>
  (error instanceof Object && 'message' in error ? String(error.message) : String(error)).split('\n')[0] ?? '';
