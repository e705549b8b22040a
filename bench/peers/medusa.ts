import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { freePort } from '../../lib/local/emulators.ts';
import { installPeer, startPostgres } from './servers.ts';

/** Medusa 2 in production mode on Debian's PostgreSQL: its own migrations, one admin, one process. */
export interface Medusa extends AsyncDisposable {
  url: string;
  token: string;
}

export const startMedusa = async (): Promise<Medusa> => {
  const folder = installPeer('medusa');
  const postgres = await startPostgres();
  const port = await freePort();
  const env = { ...process.env, DATABASE_URL: postgres.url, NODE_ENV: 'production', LOG_LEVEL: 'error' };
  const program = join(folder, 'node_modules', '@medusajs', 'cli', 'cli.js');
  const run = (...args: string[]): void => void execFileSync(process.execPath, [program, ...args], { cwd: folder, env, stdio: 'ignore' });
  const [email, password] = ['bench@example.com', 'of the bench only'];
  run('db:migrate', '--skip-scripts');
  run('user', '-e', email, '-p', password);
  const child = spawn(process.execPath, [program, 'start', '--port', String(port)], { cwd: folder, env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      const end = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGKILL');
      await end;
    }
    await postgres[Symbol.asyncDispose]();
  };
  try {
    for (let attempt = 0; !(await isUp(url)); attempt++) {
      if (attempt > 480 || child.exitCode !== null) throw new Error('Medusa did not come up.');
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const answer = await fetch(`${url}/auth/user/emailpass`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    return { url, token: z.object({ token: z.string() }).parse(await answer.json()).token, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
