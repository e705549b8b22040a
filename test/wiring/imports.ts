import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Our own modules with what each imports, by path from the repository's root; packages keep their names. */
export interface SourceFile {
  path: string;
  imports: readonly string[];
  /** Those of them that are there at run time: a type leaves nothing behind. */
  loaded: readonly string[];
  text: string;
}

export const sourceFiles = (...folders: readonly string[]): SourceFile[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(folder, name)))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  );

export interface Place {
  context: string;
  /** The role a file has, alone or within a folder of the role's name: `contract`, `service`. */
  role: string;
}

/** Where in functions/ a module is, if it is there. */
export const placeOf = (path: string): Place | undefined => {
  const [, context, role] = /^functions\/([^/]+)\/([^/.]+)/.exec(path) ?? [];
  return context && role ? { context, role } : undefined;
};

/** `import ... from`, `export ... from`, `import '...'`, `import('...')`, types included. */
export const importsIn = (text: string): string[] =>
  [...text.matchAll(/(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, from, bare]) => from ?? bare ?? '',
  );

/** Without what is imported for its type alone. */
export const loadedBy = (text: string): string[] => importsIn(text.replace(/(^|\n)\s*(import|export)\s+type\s[^;]*;/g, '$1'));

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const resolve = (name: string): string => (name.startsWith('.') ? relative(root, join(root, dirname(path), name)) : name);
  return { path, text, imports: importsIn(text).map(resolve), loaded: loadedBy(text).map(resolve) };
}
