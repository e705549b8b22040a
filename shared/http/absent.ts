import type * as z from 'zod';
import { UploadedFile } from '../contract/file.ts';
import { definitionOf, innerSchemaOf } from './schema-definition.ts';

/**
 * The body without the optional fields that say nothing. JSON `null` is one rule for all of them: not given, unless the field has a meaning for
 * it. A form cannot leave out a field that its sender left empty, so an empty one is not given there either, unless it is a text that may be empty.
 */
export const withoutAbsent = (schema: z.ZodType, body: unknown, { isForm = false }: { isForm?: boolean } = {}): unknown => {
  const isEmpty = (value: unknown): boolean => value === null || (isForm && value === '');
  return holds(body, isEmpty) ? strip(schema, body, isEmpty) : body;
};

type IsEmpty = (value: unknown) => boolean;

const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null && !(value instanceof UploadedFile);

const holds = (value: unknown, isEmpty: IsEmpty): boolean =>
  isEmpty(value) || (isStructure(value) && Object.values(value).some((each) => holds(each, isEmpty)));

function strip(schema: z.ZodType, value: unknown, isEmpty: IsEmpty): unknown {
  if (!isStructure(value) || !holds(value, isEmpty)) return value;
  const definition = definitionOf(schema);
  const { shape, element, valueType, options } = definition;
  if (shape) return Array.isArray(value) ? value : stripFields(shape, value, isEmpty);
  if (element) return Array.isArray(value) ? value.map((each) => strip(element, each, isEmpty)) : value;
  if (valueType)
    return Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, strip(valueType, each, isEmpty)]));
  if (options) {
    const ways = options.map((option) => [option, strip(option, value, isEmpty)] as const);
    return (ways.find(([option, stripped]) => option.safeParse(stripped).success) ?? ways[0])?.[1];
  }
  const inner = innerSchemaOf(definition);
  return inner ? strip(inner, value, isEmpty) : value;
}

/** Whether a field has a meaning for null, or is a text that may be empty. */
const means = (field: z.ZodType, value: unknown): boolean => (value === null ? field.isNullable() : field.safeParse(value).data === value);

const stripFields = (shape: Readonly<Record<string, z.ZodType>>, value: object, isEmpty: IsEmpty): object =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (!field) return [[name, each]];
      if (isEmpty(each) && field.isOptional() && !means(field, each)) return [];
      return [[name, strip(field, each, isEmpty)]];
    }),
  );
