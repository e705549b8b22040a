import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './emulators.ts';

/** A PostgreSQL of a test's own, from Debian's package: its data is new, and gone afterwards. */
export interface OwnPostgres extends AsyncDisposable {
  port: number;
}

/** Its programs refuse to run as root: a user without rights takes its place. */
const unprivileged = 65_534;

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const programs = programFolder();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, unprivileged, unprivileged);
  const identity = isRoot ? { uid: unprivileged, gid: unprivileged } : {};
  const data = join(folder, 'data');
  execFileSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres'], { cwd: folder, ...identity, stdio: 'ignore' });
  const port = await freePort();
  const settings = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
  const server = spawn(join(programs, 'postgres'), settings, { cwd: folder, ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
  const endWithUs = (): boolean => server.kill('SIGKILL');
  process.once('exit', endWithUs);
  await isReady(server);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', endWithUs);
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

function programFolder(): string {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions;
  if (newest === undefined) throw new Error('This test needs PostgreSQL: apt-get install postgresql.');
  return join('/usr/lib/postgresql', newest, 'bin');
}

const isReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${output}`)));
  });
