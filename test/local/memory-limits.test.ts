import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const file = join(import.meta.dirname, '../../bin/memory-limits.ts');
const show = `await import(${JSON.stringify(file)}); console.log(JSON.stringify([process.pid, process.env.MALLOC_ARENA_MAX ?? null, process.argv.slice(1), process.execArgv.filter((each) => each.startsWith('--max-'))]));`;

async function startedWith(
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<{ pid: number | undefined; seen: unknown }> {
  const { MALLOC_ARENA_MAX: _, ...inherited } = process.env;
  const started = promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', show, 'first', 'second'], {
    env: { ...inherited, ...env },
  });
  const { pid } = started.child;
  return { pid, seen: JSON.parse((await started).stdout) };
}

const isLinux = process.platform === 'linux';

test('the program starts anew as the same process, on Linux with two arenas and limits for its heap, and with its own arguments', async () => {
  const { pid, seen } = await startedWith({});
  const limits = isLinux ? ['--max-semi-space-size=16', '--max-old-space-size=2000'] : [];
  expect(seen).toEqual([pid, isLinux ? '2' : null, ['first', 'second'], limits]);
});

test('a limit that is given stays', async () => {
  const given = '--max-old-space-size=700';
  const { pid, seen } = await startedWith({}, [given]);
  const limits = isLinux ? ['--max-semi-space-size=16', given] : [given];
  expect(seen).toEqual([pid, isLinux ? '2' : null, ['first', 'second'], limits]);
});

test('a program whose environment says how many arenas it wants goes on with that', async () => {
  const { pid, seen } = await startedWith({ MALLOC_ARENA_MAX: '5' });
  expect(seen).toEqual([pid, '5', ['first', 'second'], []]);
});
