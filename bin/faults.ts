import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { app } from '../functions/app.ts';
import type { Use } from '../shared/contract/resource.ts';

const help = `Fault runs of every context: processes die between any two calls, answers of the table get lost, deliveries come twice, late, shuffled and half
a day later, nobody can read a message, dead letters are redriven twice, ticks are missed and doubled, clocks are wrong, the provider misbehaves;
then the table is recounted and the simulator's ledger is read. Guards are taken away one by one, and a run must notice.

  npm run faults -- [--seeds N] [--missed] [CONTEXT...]

  --seeds N    runs for each context (50); of the contract, every step of every route, whatever N
  --missed     names the points at which nobody died
  CONTEXT      only these; all unless given

Fails on any violation, and below 100 %: of the points that a suite passes (a call on a kind of item, before or after it), and, when all run, of
what the functions are allowed to call (a process of each function must have died at each).
`;

/** What a function may do and never calls: it signs links, and whoever opens one makes the call. */
const withoutCalls = new Set(['conversations-http bucket', 'messaging-template-sends bucket']);
const pointsLine = z.object({ passed: z.string().optional(), struck: z.string().optional(), died: z.string().optional() });
const root = join(import.meta.dirname, '..');
const all = readdirSync(join(root, 'test')).filter((name) => name !== 'local' && existsSync(join(root, 'test', name, 'faults.test.ts')));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '50' },
    missed: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const strangers = positionals.filter((name) => !all.includes(name));
if (values.help) {
  process.stdout.write(help);
} else if (!/^[1-9]\d{0,5}$/.test(values.seeds) || strangers.length > 0) {
  const why =
    strangers.length > 0
      ? `There are no fault runs of ${strangers.join(', ')}; there are ${all.join(', ')}.`
      : '--seeds must be a number from 1.';
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
} else {
  const suites = await runAll(positionals.length > 0 ? positionals : all);
  print(suites);
  const reached = positionals.length > 0 || printReach(suites);
  const isWhole = suites.every(({ failed, passed, struck }) => failed.length === 0 && passed.size > 0 && struck.size >= passed.size);
  process.exitCode = isWhole && reached ? 0 : 1;
}

interface Suite {
  name: string;
  seconds: number;
  held: string[];
  failed: string[];
  passed: Set<string>;
  struck: Set<string>;
  /** `function call`: in which function, at what kind of call. */
  died: Set<string>;
}

/** As many suites at once as there are cores, two at most: each has an emulator beside it. In the order of their names. */
async function runAll(names: readonly string[]): Promise<Suite[]> {
  const suites = new Map<string, Suite>();
  const left = names.values();
  const turn = async (): Promise<void> => {
    for (const name of left) suites.set(name, await run(name, values.seeds));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, turn));
  return names.flatMap((name) => suites.get(name) ?? []);
}

/** One context's suite in a process of its own, with as many seeds as asked. */
async function run(name: string, seeds: string): Promise<Suite> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-faults-'));
  const [report, points] = [join(folder, 'report.json'), join(folder, 'points.jsonl')];
  const began = performance.now();
  const args = ['run', `test/${name}/faults.test.ts`, '--reporter=json', `--outputFile=${report}`];
  process.stdout.write(`${name}: ${seeds} seeds ...\n`);
  const env = { ...process.env, SEEDS: seeds, FAULT_POINTS: points };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const suite = spawn(process.execPath, [vitest, ...args], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  suite.stderr.on('data', (said: Buffer) => (stderr = `${stderr}${said.toString()}`.slice(-10_000)));
  const [code] = (await once(suite, 'close')) as [number | null];
  const tests = existsSync(report) ? testsOf(report) : [];
  const failed = tests
    .filter(({ status }) => status !== 'passed')
    .map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n'));
  // a rejection that nobody heard fails the run, though every test passed
  if (code !== 0 && failed.length === 0) failed.push(`The suite ended with ${code}: ${stderr}`);
  if (tests.length === 0) failed.push(`The suite did not run: ${stderr}`);
  const lines = existsSync(points) ? readFileSync(points, 'utf8').trim().split('\n') : [];
  const seen = lines.map((line) => pointsLine.parse(JSON.parse(line)));
  rmSync(folder, { recursive: true, force: true });
  return {
    name,
    seconds: (performance.now() - began) / 1_000,
    held: tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    failed,
    passed: new Set(seen.flatMap((each) => each.passed ?? [])),
    struck: new Set(seen.flatMap((each) => each.struck ?? [])),
    died: new Set(seen.flatMap((each) => each.died ?? [])),
  };
}

function testsOf(report: string) {
  const assertion = z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) });
  const parsed = z.object({ testResults: z.array(z.object({ assertionResults: z.array(assertion) })) });
  return parsed.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults.flatMap(({ assertionResults }) => assertionResults);
}

function print(suites: readonly Suite[]): void {
  for (const { held, failed } of suites) {
    for (const name of held) console.log(`held      ${name}`);
    for (const why of failed) console.log(`VIOLATED  ${why}`);
  }
  console.log(
    `\n${'context'.padEnd(16)}${'seeds'.padStart(7)}${'violations'.padStart(12)}${'fault points hit'.padStart(22)}${'seconds'.padStart(10)}`,
  );
  for (const { name, failed, passed, struck, seconds } of suites) {
    const share = passed.size === 0 ? '-' : `${struck.size} of ${passed.size} (${Math.floor((100 * struck.size) / passed.size)} %)`;
    console.log(
      `${name.padEnd(16)}${values.seeds.padStart(7)}${String(failed.length).padStart(12)}${share.padStart(22)}${seconds.toFixed(0).padStart(10)}`,
    );
  }
  if (values.missed)
    for (const { name, passed, struck } of suites)
      for (const point of [...passed].filter((each) => !struck.has(each))) console.log(`missed    ${name}: ${point}`);
}

/** Of all that the functions declare to call (which is all that they call: test/security/permissions.test.ts), where somebody died. */
function printReach(suites: readonly Suite[]): boolean {
  const died = new Set(suites.flatMap((suite) => [...suite.died]));
  const declared = app
    .flatMap((context) => context.functions)
    .flatMap((spec) => spec.uses.flatMap(actsOf).map((act) => `${spec.name} ${act}`))
    .filter((kind) => !withoutCalls.has(kind));
  const missed = declared.filter((each) => !died.has(each));
  console.log(`\nA process died in ${declared.length - missed.length} of ${declared.length} kinds of calls that the functions may make.`);
  for (const each of missed) console.log(`missed    ${each}`);
  return missed.length === 0;
}

/** Secrets are read once an environment: who dies there has done nothing. */
function actsOf(use: Use): string[] {
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
