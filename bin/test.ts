import './closed-output.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { mayRunAgain, summary } from '../test/support/failures.ts';
import type { Counted } from '../test/support/reporter.ts';

/**
 * `npm test`: all tests, or those of the files named after `--`; `npm run test:product`: those of the product as people run it; `npm run test:browser`: those of
 * the pages. At the end are the first lines of every failure, and then the sum, "N passed, N failed", which .ci/run reads; the exit code says the same. Types,
 * style and generated files are `npm run check`.
 *
 * With `SECOND_RUN` set, as .ci/run sets it, a few failed tests run once more, their files alone. What passes then is printed as unsteady, with its failure: it is a
 * defect of the test or of the product that has to be found, and no defect of the change that waits for this run.
 */
const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const first = await runTests(args);
const tests = mayRunAgain(first.failed) ? await secondRun(first) : first;
process.stdout.write(summary(tests.passed, tests.failed, tests.failures, tests === first ? [] : first.failures));
process.exitCode = tests.failed === 0 ? 0 : 1;

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
async function secondRun(run: Counted): Promise<Counted> {
  const files = [...new Set(run.failures.map(({ name }) => /^(test\/\S+\.ts)(?: > |$)/.exec(name)?.[1]))];
  if (files.includes(undefined)) return run;
  const options = args.filter((arg) => arg.startsWith('--'));
  const again = await runTests([...options, ...files.filter((file) => file !== undefined)]);
  return again.failed === 0 ? { passed: run.passed + run.failed, failed: 0, failures: [] } : run;
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}
