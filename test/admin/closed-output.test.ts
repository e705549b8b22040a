import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

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
  ['bench/run.ts', '--help'],
])('%s %s whose reader has gone ends quietly', async (...args) => {
  expect(await runUnread(...args)).toEqual({ code: 0, errors: '' });
});

test('every command prepares for a reader that goes, before anything else is loaded', () => {
  const commands = readdirSync('bin').filter(
    (file) => file.endsWith('.ts') && !['app.ts', 'closed-output.ts', 'few-arenas.ts'].includes(file),
  );
  expect(commands.length).toBeGreaterThan(10);
  for (const file of commands) expect(readFileSync(`bin/${file}`, 'utf8'), file).toMatch(/^import '\.\/closed-output\.ts';/);
});
