import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, type Stats, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartProblem, lockPidFile } from './data-folder.ts';
import { pause } from './deliveries.ts';

/**
 * Makes sure that cdk.out is what the sources say: synthesizes unless it is newer than all of them. Two runners of one checkout
 * wait for each other.
 *
 * @param signal ends a synthesis under way
 * @returns whether it was synthesized
 */
export const ensureTemplate = async (root: string, outDir: string, signal: AbortSignal): Promise<boolean> => {
  if (isCurrent(root, outDir)) return false;
  mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true });
  const release = await turn(join(root, 'node_modules', '.cache', 'switchboard-synth.pid'));
  try {
    if (isCurrent(root, outDir)) return false;
    const startedAt = new Date();
    await synthesize(root, signal);
    const stamp = join(outDir, stampName);
    writeFileSync(stamp, '');
    // the time it started: a source that changed meanwhile is newer
    utimesSync(stamp, startedAt, startedAt);
    return true;
  } finally {
    release();
  }
};

const stampName = '.synthesized';
const sources = ['bin', 'lib', 'shared', 'functions', 'package.json', 'cdk.json'];

const isCurrent = (root: string, outDir: string): boolean => {
  const [stamp, manifest] = [statOf(join(outDir, stampName)), statOf(join(outDir, 'manifest.json'))];
  if (!manifest) return false;
  // the stamp counts unless a synthesis by hand came after it
  const madeAt = stamp && manifest.mtimeMs <= stamp.ctimeMs ? stamp.mtimeMs : manifest.mtimeMs;
  return madeAt > Math.max(...sources.map((source) => newestIn(join(root, source))));
};

/** Folders count too: their time changes when a file in them is removed. The runner itself is not part of the template. */
const newestIn = (path: string): number => {
  if (path.endsWith(join('lib', 'local'))) return 0;
  if (!existsSync(path)) return 0;
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  return Math.max(status.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
};

const statOf = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false });

const turn = async (pidFile: string): Promise<() => void> => {
  for (let waited = 0; waited < 120_000; waited += 100) {
    const release = lockPidFile(pidFile);
    if (release) return release;
    await pause(100);
  }
  throw new StartProblem('Another synthesis of this checkout does not end.');
};

const synthesize = (root: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join('bin', 'synth.ts')], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], signal });
    let output = '';
    const collect = (chunk: unknown): void => {
      output = (output + String(chunk)).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => reject(new StartProblem(`bin/synth.ts could not be run: ${error.message}`)));
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new StartProblem(`bin/synth.ts failed:\n${output.trim()}`))));
  });
