import type * as z from 'zod';

interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  in?: z.ZodType;
  innerType?: z.ZodType;
  element?: z.ZodType;
  options?: z.ZodType[];
}

/** Every field that a schema takes, as the way to it: `['items', 0, 'product_id']`; 0 is the first of a list. */
export const fieldsOf = (schema: z.ZodType | undefined, way: readonly (string | 0)[] = []): (string | 0)[][] => {
  if (!schema) return [];
  const { shape, in: source, innerType, element, options } = schema.def as Definition;
  if (shape) return Object.entries(shape).flatMap(([name, field]) => [[...way, name], ...fieldsOf(field, [...way, name])]);
  if (element) return fieldsOf(element, [...way, 0]);
  return [source, innerType, ...(options ?? [])].flatMap((inner) => fieldsOf(inner, way));
};

/** Whether the field at the end of the way takes a list of plain values, such as ids. */
export const isListOfValues = (schema: z.ZodType | undefined, way: readonly (string | 0)[]): boolean => {
  if (!schema) return false;
  const { shape, in: source, innerType, element, options } = schema.def as Definition;
  const [step, ...rest] = way;
  if (step === undefined && element) return fieldsOf(element).length === 0;
  if (shape && step !== undefined) return isListOfValues(shape[step], rest);
  if (element && step === 0) return isListOfValues(element, rest);
  return [source, innerType, ...(options ?? [])].some((inner) => isListOfValues(inner, way));
};

/** A copy of the data with the value at the end of the way; what is missing on the way is made. */
export const placed = (data: unknown, [step, ...rest]: readonly (string | 0)[], value: unknown): unknown => {
  if (step === undefined) return value;
  if (step === 0) {
    const [first, ...others] = Array.isArray(data) ? (data as unknown[]) : [];
    return [placed(first, rest, value), ...others];
  }
  const known = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
  return { ...known, [step]: placed(known[step], rest, value) };
};
