import type * as z from 'zod';
import { misspelt } from '../runtime/misspelt.ts';
import { ownNameOf } from './foreign-names.ts';
import { definitionOf, innerSchemaOf } from './schema-definition.ts';

/** A field that a schema does not know, with dots, and the one that is meant: of which it is a misspelling, or which has this name elsewhere. */
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
    const meant = nth < mostCompared ? (ownNameOf(name, known) ?? misspelt(name, known)) : undefined;
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
