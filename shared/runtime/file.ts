import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Files = Readonly<Record<string, string>>;

/** The path of a file that the function declares in `files`: beside the bundle, or in the repository where nothing is bundled. */
export const ownFile = <Own extends Files>(files: Own, name: keyof Own & string): string => {
  const beside = join(import.meta.dirname, name);
  return existsSync(beside) ? beside : join(import.meta.dirname, '../..', files[name] ?? '');
};

export const readOwnFile = <Own extends Files>(files: Own, name: keyof Own & string): Promise<Buffer> => readFile(ownFile(files, name));
