import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const file = join(import.meta.dirname, '../../bin/few-arenas.ts');
const show = `await import(${JSON.stringify(file)}); console.log(JSON.stringify([process.pid, process.env.MALLOC_ARENA_MAX ?? null, process.argv.slice(1)]));`;

async function startedWith(env: Record<string, string>): Promise<{ pid: number | undefined; seen: unknown }> {
  const { MALLOC_ARENA_MAX: _, ...inherited } = process.env;
  const started = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', show, 'first', 'second'], {
    env: { ...inherited, ...env },
  });
  const { pid } = started.child;
  return { pid, seen: JSON.parse((await started).stdout) };
}

test('the program starts anew as the same process, on Linux with two arenas, and with its own arguments', async () => {
  const { pid, seen } = await startedWith({});
  expect(seen).toEqual([pid, process.platform === 'linux' ? '2' : null, ['first', 'second']]);
});

test('a program whose environment says how many arenas it wants goes on with that', async () => {
  const { pid, seen } = await startedWith({ MALLOC_ARENA_MAX: '5' });
  expect(seen).toEqual([pid, '5', ['first', 'second']]);
});
