import type * as z from 'zod';
import { definitionOf, innerSchemaOf } from './schema-definition.ts';

/** A field that a schema does not know, with dots, and the one of which it is a misspelling. */
export interface UnknownField {
  name: string;
  meant?: string;
}

/**
 * The fields of a body, or the parameters of a query, that its schema does not know. A schema that takes any field, or reads the body in its own
 * way, knows all. Of a thousand it says which field was meant: a body may have fifty thousand, and each is compared with every field there is.
 */
export const unknownFields = (schema: z.ZodType, value: unknown): UnknownField[] =>
  strangersIn(schema, value, '').map(({ path, name, known }, nth) => {
    const meant = nth < mostCompared ? misspelt(name, known) : undefined;
    return { name: path + name, ...(meant === undefined ? {} : { meant: path + meant }) };
  });

const mostCompared = 1_000;

interface Stranger {
  /** Where it stands, with a dot at its end. */
  path: string;
  name: string;
  /** The fields that there are in its place. */
  known: readonly string[];
}

function strangersIn(schema: z.ZodType, value: unknown, path: string): Stranger[] {
  const definition = definitionOf(schema);
  const { type, shape, catchall, element, options } = definition;
  if (shape) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const known = Object.keys(shape);
    return Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field) return strangersIn(field, each, `${path}${name}.`);
      return catchall && definitionOf(catchall).type !== 'never' ? [] : [{ path, name, known }];
    });
  }
  if (element) return Array.isArray(value) ? value.flatMap((each, nth) => strangersIn(element, each, `${path}${nth}.`)) : [];
  if (type === 'union')
    return (options ?? []).map((each) => strangersIn(each, value, path)).toSorted((a, b) => a.length - b.length)[0] ?? [];
  const inner = innerSchemaOf(definition);
  return inner ? strangersIn(inner, value, path) : [];
}

/** The name that this one is a misspelling of: in another form (`scheduledAt`), or with a letter too few, too many or wrong; two in long names. */
function misspelt(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  const given = plain(name);
  if (given.length < 4 || given.length > longestName) return undefined;
  const most = given.length < 9 ? 1 : 2;
  const near = known.map((each) => [each, plain(each)] as const).filter(([, each]) => Math.abs(each.length - given.length) <= most);
  return (near.find(([, each]) => each === given) ?? near.find(([, each]) => distance(given, each) <= most))?.[0];
}

const longestName = 60;

/** Letters to add, leave out or change until both are equal. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [nth, letter] of from.split('').entries()) {
    const next = [nth + 1];
    for (const [at, other] of to.split('').entries())
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + Number(letter !== other)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
