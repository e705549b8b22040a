import './closed-output.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { app } from '../functions/app.ts';
import type { Use } from '../shared/contract/resource.ts';
import { durations, longestFirst, recordDurations } from '../test/support/durations.ts';
import { mutatedRuns } from '../test/support/mutated-runs.ts';
import { type Suite, suitesOf } from '../test/support/suites.ts';
import { type FaultPoints, crashAtMissedPoints, struckIn } from '../test/support/missed-points.ts';

const root = join(import.meta.dirname, '..');

/**
 * Permissions that no fault run uses: of functions that sign links, as the user of a link makes the call; and to read a credential where its
 * address is refused, which changes nothing.
 */
const neverCalled = new Set(['conversations-http bucket', 'messaging-template-sends bucket', 'events-http GetItem']);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '4' },
    missed: { type: 'boolean', default: false },
    mends: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const all = suitesOf(values.seeds);
const named = new Set(
  positionals.flatMap((name) => (name === 'faults' ? all.filter((suite) => suite.injectsFaults).map((suite) => suite.name) : [name])),
);
const unknown = [...named].filter((name) => !all.some((suite) => suite.name === name));
const isChosen = ({ name, isMutated, isByNameOnly }: Suite): boolean =>
  (named.has(name) || (named.size === 0 && isByNameOnly !== true)) && (values.mends === undefined || isMutated === true);
if (values.help) {
  process.stdout.write(`The thorough tests: what npm test runs small or not at all, two suites at a time, and last, alone, those that measure times.

  npm run test:all -- [--seeds N] [--missed] [--mends TEXT] [NAME...]

  --seeds N    runs of each fault suite (4); the contract suite walks every step of every route, whatever N
  --missed     names the points at which no process crashed
  --mends TEXT only the attacks without a mend, and the fault runs without a condition. Of them those whose test, title or edited file
               contains TEXT: npm run test:all -- --mends '' security
  NAME         only these suites; all unless given, but those that fetch tools of others; "faults" means all fault suites

${all.map(({ name, shows }) => `  ${name.padEnd(15)}${shows}`).join('\n')}

Exits with 1 on any failed test; when a point that the fault suites reach was struck by none of them (a call on a kind of item, before or after
it), though one of them ran again for it; when the absence of a mend or a condition was not noticed; and, if all fault suites run, when a call that a function's permissions allow was never crashed at.
`);
} else if (!/^[1-9]\d{0,5}$/.test(values.seeds) || unknown.length > 0) {
  const why =
    unknown.length > 0
      ? `There is no suite ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}.`
      : '--seeds must be a number from 1.';
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
} else {
  const began = performance.now();
  const runs = await runAll(all.filter(isChosen));
  await crashAtMissedPoints(runs, runAgain);
  print(runs);
  const struck = struckIn(runs);
  const isWhole = runs.every(
    ({ failed, reached, listed, noticed }) =>
      failed.length === 0 && [...reached].every((point) => struck.has(point)) && noticed.size >= listed.size,
  );
  const isCovered =
    !all.every(({ name, injectsFaults }) => !injectsFaults || runs.some((run) => run.suite.name === name)) || printDeclared(runs);
  const passed = runs.reduce((sum, { held }) => sum + held.length, 0);
  const failed = runs.reduce((sum, run) => sum + run.failed.length, 0);
  console.log(`${Math.ceil((performance.now() - began) / 60_000)} minutes.`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = isWhole && isCovered ? 0 : 1;
}

interface Run extends FaultPoints {
  suite: Suite;
  seconds: number;
  held: string[];
  failed: string[];
  /** `function action`: in which function a process crashed, at what kind of call. */
  died: Set<string>;
  /** Mends and conditions that were taken out, and those whose absence was noticed. */
  listed: Set<string>;
  noticed: Set<string>;
}

/** As many suites at once as there are cores, two at most: each has an emulator beside it. Those that measure times come last, alone. */
async function runAll(suites: readonly Suite[]): Promise<Run[]> {
  const runs = new Map<Suite, Run>();
  // the longest first, so that none runs alone at the end
  const ordered = longestFirst(suites, ({ name }) => durations.suites[name]);
  const together = ordered.filter(({ runsAlone }) => runsAlone !== true).values();
  const turn = async (left: Iterable<Suite>): Promise<void> => {
    for (const suite of left) {
      const run = await runSuite(suite);
      runs.set(suite, run);
      console.log(`${suite.name}: ${run.held.length} passed, ${run.failed.length} failed, ${run.seconds.toFixed(0)} seconds`);
      // at once: the whole report comes an hour later
      for (const why of run.failed) console.log(`  failed: ${why.split('\n').slice(0, 2).join(' ').slice(0, 2_000)}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, () => turn(together)));
  await turn(ordered.filter(({ runsAlone }) => runsAlone === true));
  recordDurations('suites', Object.fromEntries([...runs.values()].map(({ suite, seconds }) => [suite.name, seconds])));
  return suites.flatMap((suite) => runs.get(suite) ?? []);
}

/** The suite of a run once more, for points that no suite struck. */
async function runAgain(run: Run, sought: readonly string[]): Promise<Run['struck']> {
  const again = await runSuite({ ...run.suite, isMutated: false }, { FAULT_POINTS_SOUGHT: sought.join('\n') });
  run.failed.push(...again.failed);
  run.seconds += again.seconds;
  console.log(`${run.suite.name} again, for ${sought.join(', ')}: ${sought.filter((point) => again.struck.has(point)).length} struck`);
  return again.struck;
}

/** One suite in a process of its own. */
async function runSuite(suite: Suite, more: NodeJS.ProcessEnv = {}): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-all-'));
  const points = join(folder, 'points.jsonl');
  const began = performance.now();
  const env = { ...suite.env, ...(suite.injectsFaults ? { FAULT_POINTS: points } : {}), ...more };
  // with --mends the mutated runs alone, below
  const { code, tests, stderr } = values.mends === undefined ? await runFiles(folder, suite, env) : { code: 0, tests: [], stderr: '' };
  const failed = tests
    .filter(({ status }) => status !== 'passed')
    .map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n'));
  // an unhandled rejection fails the run, though every test passed
  if (code !== 0 && failed.length === 0) failed.push(`The suite ended with ${code}: ${stderr}`);
  if (tests.length === 0 && values.mends === undefined) failed.push(`The suite did not run: ${stderr}`);
  const seen = linesOf(points).map((line) => z.record(z.string(), z.string()).parse(line));
  const mutated = await runMutated(suite);
  const setOf = (field: string): Set<string> => new Set(seen.flatMap((each) => each[field] ?? []));
  rmSync(folder, { recursive: true, force: true });
  return {
    suite,
    seconds: (performance.now() - began) / 1_000,
    held: tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    failed,
    reached: setOf('passed'),
    struck: setOf('struck'),
    died: setOf('died'),
    ...mutated,
  };
}

interface FileRuns {
  code: number | null;
  stderr: string;
  tests: ReturnType<typeof testsOf>;
}

/** Some test files in a process of its own. */
async function runFiles(folder: string, { files, config }: Pick<Suite, 'files' | 'config'>, env: NodeJS.ProcessEnv): Promise<FileRuns> {
  const report = join(folder, 'report.json');
  const args = [
    'run',
    ...files,
    ...(config === undefined ? [] : [`--config=${config}`]),
    '--maxWorkers=1',
    '--testTimeout=600000',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr = `${stderr}${text.toString()}`.slice(-10_000)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr, tests: existsSync(report) ? testsOf(report) : [] };
}

/** Each attack and each fault run once more, without what it must notice the absence of, with a line for each. */
async function runMutated(suite: Suite): Promise<Pick<Run, 'listed' | 'noticed'>> {
  const [listed, noticed] = [new Set<string>(), new Set<string>()];
  if (suite.isMutated !== true) return { listed, noticed };
  for await (const { file, title, edits, outcome, why, seconds, place, count } of mutatedRuns(suite, values.mends)) {
    const name = `${file}  ${title}, without ${edits.map((edit) => `${edit.in}: ${edit.replace}`).join('; ')}`;
    listed.add(name);
    if (outcome === 'noticed') noticed.add(name);
    console.log(`${place} of ${count}  ${outcome}, ${seconds.toFixed(1)} s  ${name}  (${why.slice(0, 300)})`);
  }
  return { listed, noticed };
}

function linesOf(path: string): unknown[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    : [];
}

function testsOf(report: string) {
  const assertion = z.object({
    fullName: z.string(),
    title: z.string(),
    status: z.string(),
    failureMessages: z.array(z.string()).default([]),
  });
  const results = z.object({ name: z.string(), assertionResults: z.array(assertion), message: z.string().optional() });
  const parsed = z.object({ testResults: z.array(results) });
  return parsed.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults.flatMap(({ name, assertionResults, message }) =>
    assertionResults.length > 0
      ? assertionResults.map((each) => ({ ...each, file: relative(root, name) }))
      : [
          {
            fullName: 'A file could not be loaded',
            title: '',
            status: 'failed',
            failureMessages: [message ?? ''],
            file: relative(root, name),
          },
        ],
  );
}

function print(runs: readonly Run[]): void {
  for (const { failed } of runs) for (const why of failed) console.log(`VIOLATED  ${why}`);
  console.log(
    `\n${'suite'.padEnd(16)}${'tests'.padStart(7)}${'violations'.padStart(12)}${'points struck of reached'.padStart(26)}${'noticed of taken out'.padStart(22)}${'seconds'.padStart(10)}`,
  );
  for (const { suite, held, failed, reached, struck, listed, noticed, seconds } of runs) {
    const points = suite.injectsFaults ? `${struck.size} of ${reached.size}` : '-';
    const conditions = listed.size > 0 ? `${noticed.size} of ${listed.size}` : '-';
    console.log(
      `${suite.name.padEnd(16)}${String(held.length + failed.length).padStart(7)}${String(failed.length).padStart(12)}${points.padStart(26)}${conditions.padStart(22)}${seconds.toFixed(0).padStart(10)}`,
    );
  }
  const faulty = runs.filter(({ suite }) => suite.injectsFaults);
  const union = (pick: (run: Run) => ReadonlySet<string>): Set<string> => new Set(faulty.flatMap((run) => [...pick(run)]));
  const sumOf = (pick: (run: Run) => ReadonlySet<string>): number => runs.reduce((sum, run) => sum + pick(run).size, 0);
  const struck = struckIn(runs);
  console.log(
    `\nPoints, each counted once: ${struck.size} struck of ${union((run) => run.reached).size} that the suites reached. ` +
      `Mends and conditions: ${sumOf(({ noticed }) => noticed)} noticed of ${sumOf(({ listed }) => listed)} taken out. ` +
      `Violations: ${runs.reduce((sum, { failed }) => sum + failed.length, 0)}.`,
  );
  for (const point of union((run) => run.reached)) if (!struck.has(point)) console.log(`missed    by every suite: ${point}`);
  if (values.missed)
    for (const { suite, reached, struck } of faulty)
      for (const point of [...reached].filter((each) => !struck.has(each))) console.log(`missed    ${suite.name}: ${point}`);
  for (const { suite, listed, noticed } of runs)
    for (const condition of [...listed].filter((each) => !noticed.has(each))) console.log(`unnoticed ${suite.name}: ${condition}`);
}

/** Of all that the functions declare to call (which is all that they call: test/security/permissions.test.ts), where a process crashed. */
function printDeclared(runs: readonly Run[]): boolean {
  const died = new Set(runs.flatMap((run) => [...run.died]));
  const declared = app
    .flatMap((context) => context.functions)
    .flatMap((spec) => spec.uses.flatMap(actionsOf).map((action) => `${spec.name} ${action}`))
    .filter((kind) => !neverCalled.has(kind));
  const missed = declared.filter((each) => !died.has(each));
  console.log(
    `Declared points (a function and an action that its permissions allow): crashed at ${declared.length - missed.length} of ${declared.length}.`,
  );
  for (const each of missed) console.log(`missed    ${each}`);
  return missed.length === 0;
}

/** Secrets are read once per process, before any write: a crash there leaves nothing behind. */
function actionsOf(use: Use): string[] {
  switch (use.resource) {
    case 'table':
      return [...use.actions];
    case 'queue':
      return [use.queue.name];
    case 'secret':
      return [];
    default:
      return [use.resource];
  }
}
