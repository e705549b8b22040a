import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../lib/local/emulators.ts';

/** A server that a peer needs, on a folder of its own, ended with `await using`. */
export interface Server extends AsyncDisposable {
  port: number;
  pid: number;
  /** `postgresql://...` or `redis://...` */
  url: string;
}

/**
 * PostgreSQL as Debian packages it, with its own defaults (fsync on, as a sender of messages must have it). As root it runs as the
 * `postgres` user, since it refuses to be root.
 *
 * @throws when it is not installed: `apt-get install postgresql`
 */
export const startPostgres = async (): Promise<Server> => {
  const bin = newest('/usr/lib/postgresql');
  if (!bin) throw new Error('PostgreSQL is not installed: apt-get install -y --no-install-recommends postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-postgres-'));
  const port = await freePort();
  const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const options = { ...as, cwd: folder, stdio: 'ignore' } as const;
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'peer', '--auth=trust', '-E', 'UTF8'], options);
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', `${port}`, '-k', folder, '-c', 'listen_addresses=127.0.0.1'], options);
  await listening(child, port, 'PostgreSQL');
  return {
    port,
    pid: child.pid ?? 0,
    url: `postgresql://peer@127.0.0.1:${port}/postgres`,
    [Symbol.asyncDispose]: () => ended(child, folder, 'SIGINT'),
  };
};

/** Redis as Debian packages it, every write to its log each second: what BullMQ's own guide recommends. */
export const startRedis = async (): Promise<Server> => {
  if (!existsSync('/usr/bin/redis-server'))
    throw new Error('Redis is not installed: apt-get install -y --no-install-recommends redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-redis-'));
  const port = await freePort();
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
  const child = spawn('/usr/bin/redis-server', options, { stdio: 'ignore' });
  await listening(child, port, 'Redis');
  return { port, pid: child.pid ?? 0, url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => ended(child, folder, 'SIGTERM') };
};

/** A peer's own packages, installed beside it the first time it is measured: they are no dependency of the product. */
export const installPeer = (name: string): string => {
  const folder = join(import.meta.dirname, name);
  if (!existsSync(join(folder, 'node_modules')))
    execFileSync('npm', ['install', '--no-package-lock', '--omit=optional', '--no-audit', '--no-fund', '--silent'], {
      cwd: folder,
      stdio: 'inherit',
    });
  return folder;
};

/** Runs a peer's program and reads the one line of JSON that it prints last. */
export const runPeer = async (program: string, env: Record<string, string>): Promise<unknown> => {
  const child = spawn(process.execPath, [program], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '');
};

const idOf = (which: '-u' | '-g'): number => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));

function newest(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const [version] = readdirSync(folder).toSorted((a, b) => Number(b) - Number(a));
  return version === undefined ? undefined : join(folder, version, 'bin');
}

async function listening(child: ChildProcess, port: number, name: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error(`${name} did not start (exit code ${child.exitCode}).`);
    if (await reached(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} did not listen on ${port} within 30 seconds.`);
}

const reached = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve((socket.destroy(), true)));
    socket.once('error', () => resolve(false));
  });

const ended = async (child: ChildProcess, folder: string, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode === null) {
    const end = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await end;
  }
  rmSync(folder, { recursive: true, force: true });
};
