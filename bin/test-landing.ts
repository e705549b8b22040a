import './closed-output.ts';
import './help.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { stepResult, type StepResult, sumOfSteps } from '../test/support/steps.ts';

/**
 * `npm run test:landing`: what must hold before a change lands, in turns of commands that run side by side. `npm test` has both cores to itself; what users do in a
 * browser mostly waits and is measured, so what computes runs beside it at a lower priority (docs/decisions/landing-checks.md). A few tests that fail run once
 * more, alone (bin/test.ts).
 */
const root = join(import.meta.dirname, '..');
const samples = join(root, '../shared/samples');

const turns: readonly (readonly { command: readonly string[]; priority: number }[])[] = [
  [{ command: ['test'], priority: 0 }],
  [
    { command: ['run', '--silent', 'test:browser', '--', 'test/browser/walks'], priority: 0 },
    { command: ['run', '--silent', 'check'], priority: 19 },
    // recorded payloads lie beside the repository, where there are any
    ...(existsSync(samples) ? [{ command: ['run', '--silent', 'test:samples', '--', '../shared/samples'], priority: 19 }] : []),
  ],
  [
    { command: ['run', '--silent', 'test:browser', '--', 'test/browser/screens'], priority: 0 },
    { command: ['run', '--silent', 'test:product'], priority: 5 },
  ],
];

const steps: StepResult[] = [];
for (const turn of turns) steps.push(...(await Promise.all(turn.map(({ command, priority }) => run(command, priority)))));
process.stdout.write(sumOfSteps(steps));
process.exitCode = steps.every(({ failed }) => failed === 0) ? 0 : 1;

/** Runs an npm command and prints its output once it has ended: the output of several at once would be mixed. */
async function run(command: readonly string[], priority: number): Promise<StepResult> {
  const env = { ...process.env, SECOND_RUN: '1' };
  const child = spawn('npm', [...command], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined && priority > 0) setPriority(child.pid, priority);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const title = `npm ${command.join(' ')}`;
  process.stdout.write(`== ${title}\n${output}\n`);
  return stepResult(title, output, code);
}
