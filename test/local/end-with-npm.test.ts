import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../lib/local/emulators.ts';
import { compileCache } from '../support/compile-cache.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-npm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const isTaken = async (port: number): Promise<boolean> => {
  const socket = createConnection(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
};

describe('npm run dev', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'ended by %s to npm alone ends the product and the emulator, and frees the port',
    async (signal) => {
      const port = await freePort();
      const data = join(folder, signal);
      const args = ['run', 'dev', '--', '--port', String(port), '--data', data, '--no-pages', '--no-example'];
      const npm = spawn('npm', args, { cwd: root, env: { ...process.env, ...compileCache }, stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      npm.stdout.on('data', (text: Buffer) => (output += text.toString()));
      await expect.poll(() => output, { timeout: 170_000 }).toMatch(/^ready/m);
      const { pid: product } = JSON.parse(readFileSync(join(data, 'runtime.json'), 'utf8')) as { pid: number };
      const { pid: emulator } = JSON.parse(readFileSync(join(data, 'dynoxide.pid'), 'utf8')) as { pid: number };
      expect([isRunning(product), isRunning(emulator), await isTaken(port)]).toEqual([true, true, true]);

      npm.kill(signal);
      await once(npm, 'exit');
      await expect.poll(() => [isRunning(product), isRunning(emulator)], { timeout: 30_000 }).toEqual([false, false]);
      expect(await isTaken(port)).toBe(false);
    },
  );
});
