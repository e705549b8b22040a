import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * `npm test`: all tests, or those of the files named after `--`, and beside them the checks of types, style and generated files, one after the other: tests wait
 * for emulators and timers about a third of their time. The output of a check is shown at the end, where it failed. The last line is the sum of the tests and
 * checks, "N passed, N failed", which .ci/run reads; the exit code says the same.
 */
const root = join(import.meta.dirname, '..');
const checks = [['typecheck'], ['lint'], ['generate', '--', '--check']];

const [tests, checked] = await Promise.all([runTests(process.argv.slice(2)), runChecks()]);
for (const { name, output } of checked.filter(({ ok }) => !ok)) process.stdout.write(`\n== npm run ${name} failed\n${output}`);
const passed = tests.passed + checked.filter(({ ok }) => ok).length;
const failed = tests.failed + checked.filter(({ ok }) => !ok).length;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

interface Sum {
  passed: number;
  failed: number;
}

/** The counts come from test/support/reporter.ts. A run that ends with an error has failed, whatever it counted. */
async function runTests(args: readonly string[]): Promise<Sum> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...args], { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  let sum: Sum | undefined;
  child.on('message', (message) => (sum = message as Sum));
  const ok = await succeeds(child);
  if (!sum)
    process.stdout.write('The tests were not counted. A --reporter of your own takes the place of the one that counts: leave it out.\n');
  return ok && sum ? sum : { passed: sum?.passed ?? 0, failed: Math.max(1, sum?.failed ?? 0) };
}

async function runChecks(): Promise<{ name: string; ok: boolean; output: string }[]> {
  const done = [];
  for (const [name = '', ...args] of checks) {
    const child = spawn('npm', ['run', '--silent', name, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const ok = await succeeds(child);
    done.push({ name, ok, output });
  }
  return done;
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}
