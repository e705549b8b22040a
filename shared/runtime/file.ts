import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Files = Readonly<Record<string, string>>;

/** Where a file of the function's own (its `files`, name by source) lies: beside the bundle; where nothing is bundled, in the repository. */
export const ownFile = <Own extends Files>(files: Own, name: keyof Own & string): string => {
  const beside = join(import.meta.dirname, name);
  return existsSync(beside) ? beside : join(import.meta.dirname, '../..', files[name] ?? '');
};

export const readOwnFile = <Own extends Files>(files: Own, name: keyof Own & string): Promise<Buffer> => readFile(ownFile(files, name));
