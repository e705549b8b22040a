import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of the function's own (its `files`, name by source): beside the bundle; where nothing is bundled, at its place in the repository. */
export const readOwnFile = <Files extends Readonly<Record<string, string>>>(files: Files, name: keyof Files & string): Promise<Buffer> => {
  const beside = join(import.meta.dirname, name);
  return readFile(existsSync(beside) ? beside : join(import.meta.dirname, '../..', files[name] ?? ''));
};
