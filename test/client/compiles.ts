import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** What the compiler says of these files (name without ending, source), which import the client as its package; nothing: they compile. */
export async function compilerErrors(
  sources: Iterable<readonly [name: string, source: string]>,
  options: Readonly<Record<string, boolean>> = {},
): Promise<string> {
  mkdirSync(join(root, '.local'), { recursive: true });
  const folder = mkdtempSync(join(root, '.local/compiled-'));
  try {
    for (const [name, source] of sources) writeFileSync(join(folder, `${name}.ts`), source);
    const compilerOptions = {
      noEmit: true,
      types: ['node'],
      paths: { 'switchboard-client': [join(root, 'client/client.ts')] },
      ...options,
    };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
      (error: unknown) => error as { stdout: string },
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
