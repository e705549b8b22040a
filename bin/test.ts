import './closed-output.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { compareRuns, type Failure, fileOf, mayRunAgain, summary } from '../test/support/failures.ts';
import type { Counted } from '../test/support/reporter.ts';

/**
 * `npm test`: all tests, or those of the files named after `--`; `npm run test:product`: those of the product as people run it; `npm run test:browser`: those of
 * the pages. At the end are the first lines of every failure, and then the sum, "N passed, N failed", which .ci/run reads; the exit code says the same. Types,
 * style and generated files are `npm run check`.
 *
 * With `SECOND_RUN` set, as .ci/run sets it, the tests of a few files that failed run once more, alone. What failed in one of the two runs is printed as unsteady,
 * with its failure: it is a defect of the test or of the product that has to be found, and no defect of the change that waits for this run.
 */
const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const first = await runTests(args);
const files = [...new Set(first.failures.map(fileOf))];
const { passed, failed, failures, unsteady } = mayRunAgain(files.length) ? await secondRun(first) : { ...first, unsteady: [] };
process.stdout.write(summary(passed, failed, failures, unsteady));
process.exitCode = failed === 0 ? 0 : 1;

/** The counts come from test/support/reporter.ts. A run that ends with an error has failed, whatever it counted. */
async function runTests(given: readonly string[]): Promise<Counted> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...given], { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  let counted: Counted | undefined;
  child.on('message', (message) => (counted = message as Counted));
  const ok = await succeeds(child);
  if (!counted) {
    const error = 'The tests were not counted. A --reporter of your own takes the place of the one that counts: leave it out.';
    return { passed: 0, failed: 1, failures: [{ name: 'vitest', error }] };
  }
  if (ok || counted.failed > 0) return counted;
  return { ...counted, failed: 1, failures: [{ name: 'vitest', error: 'It ended with an error, which its output above describes.' }] };
}

/** The run with its failed tests replaced by what they did alone; the same run when one of them cannot run alone. */
async function secondRun(run: Counted): Promise<Counted & { unsteady: Failure[] }> {
  const names = files.filter((file) => file !== undefined);
  if (names.length < files.length) return { ...run, unsteady: [] };
  const options = args.filter((arg) => arg.startsWith('--'));
  const again = await runTests([...options, ...names]);
  const { failed, unsteady } = compareRuns(run.failures, again.failures);
  return { passed: run.passed + run.failed - failed.length, failed: failed.length, failures: failed, unsteady };
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}
