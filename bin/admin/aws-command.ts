import { execFileSync } from 'node:child_process';
import { Failure } from './failure.ts';

/** What the aws command answers: a few calls are not worth an SDK client each. Throws a Failure that says what could not be read. */
export const aws = (args: readonly string[], what: string): unknown => {
  try {
    return JSON.parse(execFileSync('aws', [...args, '--output', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Failure('--stack needs the aws command, which is not installed; use --table and --sealing-secret instead.');
    const detail = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Failure(`${what} could not be read: ${detail || String(error)}`);
  }
};
