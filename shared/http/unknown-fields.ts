import type * as z from 'zod';

/** The fields of a body that its schema does not know, with dots. A schema that takes any field, or reads the body in its own way, knows all. */
export const unknownFields = (schema: z.ZodType, value: unknown, path = ''): string[] => {
  const { type, shape, catchall, element, innerType, in: from, out, options } = schema.def as Definition;
  if (shape) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
      const place = path === '' ? name : `${path}.${name}`;
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field) return unknownFields(field, each, place);
      return catchall && (catchall.def as Definition).type !== 'never' ? [] : [place];
    });
  }
  if (element) return Array.isArray(value) ? value.flatMap((each, nth) => unknownFields(element, each, `${path}.${nth}`)) : [];
  if (type === 'union')
    return (options ?? []).map((each) => unknownFields(each, value, path)).toSorted((a, b) => a.length - b.length)[0] ?? [];
  const inner = from && (from.def as Definition).type !== 'transform' ? from : (out ?? innerType);
  return inner ? unknownFields(inner, value, path) : [];
};

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
