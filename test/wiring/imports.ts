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
      .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(dist(-local)?|node_modules)\//.test(name))
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

/** Groups of files that import each other in a circle, found as strongly connected components (Tarjan). */
export const circlesIn = (files: readonly SourceFile[]): string[][] => {
  const imports = new Map(files.map(({ path, imports: names }) => [path, names]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const place = order.size;
    order.set(path, place);
    lowest.set(path, place);
    open.push(path);
    for (const imported of imports.get(path) ?? []) {
      if (!imports.has(imported)) continue;
      const reached = order.has(imported) ? (open.includes(imported) ? (order.get(imported) ?? place) : place) : visit(imported);
      lowest.set(path, Math.min(lowest.get(path) ?? place, reached));
    }
    if (lowest.get(path) === place) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1 || imports.get(path)?.includes(path)) circles.push(circle.toSorted());
    }
    return lowest.get(path) ?? place;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return circles;
};

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const resolve = (name: string): string => (name.startsWith('.') ? relative(root, join(root, dirname(path), name)) : name);
  return { path, text, imports: importsIn(text).map(resolve), loaded: loadedBy(text).map(resolve) };
}
