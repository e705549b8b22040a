import type * as z from 'zod';

/** A field that a schema does not know, with dots, and the one of which it is a misspelling. */
export interface UnknownField {
  name: string;
  meant?: string;
}

/**
 * The fields of a body, or the parameters of a query, that its schema does not know. A schema that takes any field, or reads the body in its own
 * way, knows all.
 */
export const unknownFields = (schema: z.ZodType, value: unknown, path = ''): UnknownField[] => {
  const { type, shape, catchall, element, innerType, in: from, out, options } = schema.def as Definition;
  if (shape) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
      const place = path === '' ? name : `${path}.${name}`;
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field) return unknownFields(field, each, place);
      if (catchall && (catchall.def as Definition).type !== 'never') return [];
      const meant = misspelt(name, Object.keys(shape));
      return [{ name: place, ...(meant === undefined ? {} : { meant: path === '' ? meant : `${path}.${meant}` }) }];
    });
  }
  if (element) return Array.isArray(value) ? value.flatMap((each, nth) => unknownFields(element, each, `${path}.${nth}`)) : [];
  if (type === 'union')
    return (options ?? []).map((each) => unknownFields(each, value, path)).toSorted((a, b) => a.length - b.length)[0] ?? [];
  const inner = from && (from.def as Definition).type !== 'transform' ? from : (out ?? innerType);
  return inner ? unknownFields(inner, value, path) : [];
};

/** The name that this one is a misspelling of: in another form (`scheduledAt`), or with a letter too few, too many or wrong; two in long names. */
function misspelt(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  const given = plain(name);
  if (given.length < 4 || given.length > longestName) return undefined;
  const most = given.length < 9 ? 1 : 2;
  return known.find((each) => plain(each) === given) ?? known.find((each) => distance(given, plain(each)) <= most);
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

interface Definition {
  type: string;
  shape?: Readonly<Record<string, z.ZodType>>;
  catchall?: z.ZodType;
  element?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  options?: readonly z.ZodType[];
}
