import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { consoleFolders } from './config.ts';

/** What the pages are built from. */
const sources = ['console', 'client', 'functions', 'lib/console', 'package-lock.json'];
const stampName = '.built';

/** Whether the built pages are newer than everything that they are built from. */
export const isConsoleBuilt = (root: string): boolean => {
  const stamp = statSync(join(root, consoleFolders.built, stampName), { throwIfNoEntry: false });
  if (!stamp || !existsSync(join(root, consoleFolders.built, 'index.html'))) return false;
  return stamp.mtimeMs > Math.max(...sources.map((source) => newestIn(join(root, source))));
};

/** Notes in the built folder from which time on a source is newer. */
export const stampConsole = (root: string, startedAt: Date): void => {
  const stamp = join(root, consoleFolders.built, stampName);
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
};

/**
 * Builds the pages in a process of their own, unless they are up to date.
 *
 * @returns whether they were built; the reason in the thrown error where that fails
 */
export const ensureConsole = async (root: string, signal?: AbortSignal): Promise<boolean> => {
  if (isConsoleBuilt(root)) return false;
  await new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, [join('bin', 'build-console.ts')], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal ? { signal } : {}),
    });
    let output = '';
    const collect = (chunk: unknown): void => {
      output = (output + String(chunk)).slice(-4_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`bin/build-console.ts failed:\n${output.trim()}`))));
  });
  return true;
};

function newestIn(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return 0;
  if (!status.isDirectory()) return status.mtimeMs;
  const names = readdirSync(path).filter((name) => !['dist', 'dist-local', 'node_modules'].includes(name));
  return Math.max(0, ...names.map((name) => newestIn(join(path, name))));
}
