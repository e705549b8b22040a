import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { compileCache } from './compile-cache.ts';

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

const root = join(import.meta.dirname, '../..');
/** Without the variables that name the table: the command line finds the product by itself. */
const ownEnv = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', TZ: 'UTC', ...compileCache });

export interface ProcessOptions {
  /** Standard input. */
  input?: string;
  /** In place of an environment that names no product. */
  env?: Readonly<Record<string, string>>;
  during?: (child: ChildProcess) => void;
}

/** Runs the operator's command line as a process of its own. */
export const runProcess = async (args: readonly string[], { input = '', env, during }: ProcessOptions = {}): Promise<Ran> => {
  const child = spawn(process.execPath, ['bin/admin.ts', ...args], { cwd: root, env: { ...compileCache, ...(env ?? ownEnv()) } });
  const output = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => (output.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output.err += data.toString()));
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.stdin.on('error', () => undefined); // a command that reads no input may have ended
  child.stdin.end(input);
  during?.(child);
  const [code] = await closed;
  return { code, ...output };
};

/** Commands one after the other in one process, each as new: for what needs no process of its own, at a tenth of the time. */
export interface CommandHost extends AsyncDisposable {
  /** `env`: more than what every command has. */
  run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ran>;
}

export const startCommandHost = (): CommandHost => {
  const child = spawn(process.execPath, ['test/support/command-host.ts'], {
    cwd: root,
    env: ownEnv() as NodeJS.ProcessEnv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  let turn: Promise<unknown> = Promise.resolve();
  const runNow = async (args: readonly string[], more: Readonly<Record<string, string>>): Promise<Ran> => {
    const answer = once(child, 'message') as Promise<[Ran]>;
    child.send({ args, env: more });
    const [ran] = await Promise.race([answer, ended.then(() => Promise.reject(new Error('The process of the commands ended.')))]);
    return ran;
  };
  return {
    run: (args, more = {}) => {
      const ran = turn.then(() => runNow(args, more));
      turn = ran.catch(() => undefined);
      return ran;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
};

/** The words of a line, those in quotes together. */
export const words = (line: string): string[] => line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
