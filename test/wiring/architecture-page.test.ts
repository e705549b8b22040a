import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placeOf, sourceFiles } from './imports.ts';

/** What docs/architecture.md says of contexts and roles is what the import statements of functions/ say; generated registries know all contexts. */
const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
const isRegistry = (path: string): boolean => path.endsWith('/registry.generated.ts');
const imports = sourceFiles('functions').flatMap(({ path, imports: names }) => {
  const from = placeOf(path);
  if (!from || isRegistry(path)) return [];
  return names.flatMap((name) => {
    const to = isRegistry(name) ? undefined : placeOf(name);
    return to ? [{ from, to, isOwn: from.context === to.context }] : [];
  });
});
const contexts = [...new Set(sourceFiles('functions').flatMap(({ path }) => placeOf(path)?.context ?? []))].toSorted();

/** How many contexts stand below it at most. */
const layerOf = (context: string): number => {
  const below = new Set(imports.filter(({ from, isOwn }) => from.context === context && !isOwn).map(({ to }) => to.context));
  return Math.max(0, ...[...below].map((each) => layerOf(each) + 1));
};

const rolesOf = (role: string, own: boolean): string[] =>
  [...new Set(imports.filter(({ from, isOwn }) => from.role === role && isOwn === own).map(({ to }) => to.role))].toSorted();
const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || '–';

describe('docs/architecture.md', () => {
  test('has each context in its layer, and what it imports', () => {
    const rows = contexts
      .map((context) => ({ context, layer: layerOf(context) }))
      .toSorted((a, b) => b.layer - a.layer || (a.context < b.context ? -1 : 1))
      .map(({ context, layer }) => {
        const below = imports.filter(({ from, isOwn }) => from.context === context && !isOwn).map(({ to }) => to.context);
        return `| ${layer} | \`${context}\` | ${listed([...new Set(below)].toSorted())} |`;
      });
    expect(rows.filter((row) => !page.includes(row)).join('\n')).toBe('');
    expect(page.split('\n').filter((line) => /^\| \d \| `/.test(line))).toEqual(rows);
  });

  test('has each role with the roles that it imports', () => {
    const roles = [...new Set(imports.map(({ from }) => from.role))].toSorted();
    const rowOf = (role: string): string | undefined => page.split('\n').find((line) => line.startsWith(`| \`${role}\` |`));
    const expected = roles.map((role) => `${role}: ${listed(rolesOf(role, true))} | ${listed(rolesOf(role, false))}`);
    const found = roles.map((role) => `${role}: ${(rowOf(role) ?? '').split(' | ').slice(2).join(' | ').replace(/ \|$/, '')}`);
    expect(found).toEqual(expected);
  });
});
