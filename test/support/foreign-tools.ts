import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** A folder of packages that only a test at full size needs: too large for `npm ci`, and installed once for each set of versions. */
export interface ForeignTools {
  /** The folder whose node_modules has them. */
  folder: string;
  /** The path of a command that one of them brings. */
  command: (name: string) => string;
}

/** The packages in these versions, from the registry, without scripts of theirs. */
export async function installTools(name: string, versions: Readonly<Record<string, string>>): Promise<ForeignTools> {
  const folder = join(root, '.cache/tools', name);
  const wanted = JSON.stringify({ private: true, dependencies: versions }, null, 1);
  const installed = join(folder, 'installed.json');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), wanted);
    const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    await promisify(execFile)('npm', options, { cwd: folder, maxBuffer: 1e8 });
    writeFileSync(installed, wanted);
  }
  return { folder, command: (command) => join(folder, 'node_modules/.bin', command) };
}
