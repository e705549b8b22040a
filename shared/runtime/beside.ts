import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where a file is that a function reads at run time: beside its bundle, as its declaration's `files` puts it there; where nothing is
 * bundled, at its place in the repository.
 *
 * @param source from the repository's root
 */
export const besideCode = (name: string, source: string): string => {
  const beside = join(import.meta.dirname, name);
  return existsSync(beside) ? beside : join(import.meta.dirname, '../..', source);
};
