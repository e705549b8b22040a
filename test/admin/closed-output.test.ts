import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';

/** The scripts of package.json that are commands of ours, with their files. */
const scripts = Object.fromEntries(
  Object.entries(
    z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(readFileSync('package.json', 'utf8'))).scripts,
  ).flatMap(([name, line]) => {
    const file = /&& node ((?:bin|bench)\/[\w-]+\.ts)$/.exec(line)?.[1];
    return file === undefined ? [] : [[name, file]];
  }),
);

async function run(...args: string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, output, errors };
}

/** Runs a command whose reader has gone before the first line. */
async function runUnread(...args: string[]): Promise<{ code: unknown; errors: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, errors };
}

test.each([
  ['bin/admin.ts', '--help'],
  ['bin/receiver.ts', '--help'],
])('%s %s whose reader has gone ends quietly', async (...args) => {
  expect(await runUnread(...args)).toEqual({ code: 0, errors: '' });
});

test('every command prepares for a reader that goes, before anything else is loaded', () => {
  const commands = readdirSync('bin').filter(
    (file) => file.endsWith('.ts') && !['app.ts', 'closed-output.ts', 'end-with-npm.ts', 'memory-limits.ts', 'help.ts'].includes(file),
  );
  expect(commands.length).toBeGreaterThan(10);
  for (const file of commands) expect(readFileSync(`bin/${file}`, 'utf8'), file).toMatch(/^import '\.\/closed-output\.ts';/);
  expect(readFileSync('bench/run.ts', 'utf8')).toMatch(/^import '\.\.\/bin\/closed-output\.ts';/);
});

/** It passes the question on to the test runner, as `npm run test:product` and `npm run test:browser` do. */
const withoutHelp = ['test'];

test.each(Object.entries(scripts).filter(([name]) => !withoutHelp.includes(name)))(
  'npm run %s -- --help says how it is used, and does nothing',
  async (_name, file) => {
    const before = readdirSync('.');
    const { code, output, errors } = await run(file, '--help');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^(Usage: |.*\.\n\n {2}npm run )/);
    expect(readdirSync('.')).toEqual(before);
  },
);
