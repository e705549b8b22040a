import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { objectOf, numberOf, parseJson, textOf } from './json.ts';

/** A sentence for the developer: printed without a stack, exit code 1. */
export class StartProblem extends Error {}

/** Writes a file so that a reader, and a crash, sees the old content or the new, never a part. */
export const writeFileAtomically = (file: string, content: string, mode = 0o644): void => {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
};

/** Takes the folder for this process alone, emptied first when `fresh`; returns how to give it back. */
export const lockFolder = (folder: string, fresh: boolean): (() => void) => {
  if (fresh) refuseToEmpty(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // it holds tokens, keys and everything that was sent; a folder that existed may be open to others
  chmodSync(folder, 0o700);
  const release = lockPidFile(join(folder, lockName));
  if (!release) {
    const holder = readPidFile(join(folder, lockName))?.pid;
    throw new StartProblem(
      `Another runner${holder ? ` (process ${holder})` : ''} is using ${folder}. Stop it, or choose another folder with --data.`,
    );
  }
  return release;
};

/** Empties a folder that this process has taken. */
export const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) if (name !== lockName) rmSync(join(folder, name), { recursive: true, force: true });
};

/** Creates a pid file for this process; undefined if another running process has it. */
export const lockPidFile = (file: string): (() => void) | undefined => {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, pidLine(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      if (runningHolder(file) !== undefined) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
};

/** Notes a child's process id, so that the next start finds it should this process be killed. */
export const writePid = (file: string, pid: number): void => writeFileAtomically(file, pidLine(pid));

/** The running process that a pid file names; undefined when it is gone or its number belongs to another by now. */
export const runningHolder = (file: string): number | undefined => {
  const noted = readPidFile(file);
  if (noted === undefined || noted.pid === undefined) return undefined;
  const started = startOf(noted.pid);
  return started !== undefined && started === noted.started ? noted.pid : undefined;
};

const lockName = 'runner.pid';

const pidLine = (pid: number): string => JSON.stringify({ pid, started: startOf(pid) ?? '' });

const readPidFile = (file: string): { pid: number | undefined; started: string | undefined } | undefined => {
  if (!existsSync(file)) return undefined;
  try {
    const noted = objectOf(parseJson(readFileSync(file, 'utf8')));
    return { pid: numberOf(noted.pid), started: textOf(noted.started) };
  } catch {
    return undefined; // half-written by a process that was killed meanwhile
  }
};

/** When a process started, as text to compare; undefined when there is none. Process numbers are reused, start times are not. */
const startOf = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
};

/** One of these is in every folder that a runner has used. */
const writtenFiles = [lockName, 'runtime.json', 'demo.json', 'functions.log', 'functions.log.1', 'clock.json'];

const refuseToEmpty = (folder: string): void => {
  const path = resolve(folder);
  const precious = existsSync(join(path, 'package.json')) || existsSync(join(path, '.git')) || resolve(homedir()).startsWith(path);
  const isOthers = existsSync(path) && readdirSync(path).length > 0 && !writtenFiles.some((name) => existsSync(join(path, name)));
  if (precious || isOthers) throw new StartProblem(`--fresh would empty ${path}, which is not a data folder. Choose another with --data.`);
};
