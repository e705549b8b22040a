import { type ApiDocument, followed, type Schema } from './document.ts';

/** A field of a body, by the path to it: `data[].contact.id`. */
export interface FieldRow {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** What lies deeper is in the document itself. */
const deepest = 4;
const mostValues = 24;

/** The fields of a schema, those within them behind each. */
export const fieldsOf = (document: ApiDocument, schema: Schema | undefined): FieldRow[] => {
  const rows = new Map<string, FieldRow>();
  const walk = (given: Schema, before: string, depth: number): void => {
    const own = followed<Schema>(document, 'schemas', given);
    for (const each of [...(own.allOf ?? []), ...(own.anyOf ?? []), ...(own.oneOf ?? [])]) walk(each, before, depth);
    if (own.items) walk(own.items, before === '' ? '[]' : `${before}[]`, depth);
    if (depth >= deepest) return;
    for (const [key, field] of Object.entries(own.properties ?? {})) {
      const name = before === '' ? key : `${before}.${key}`;
      if (rows.has(name)) continue;
      const isRequired = own.required?.includes(key) === true;
      const description = field.description ?? followed<Schema>(document, 'schemas', field).description ?? '';
      rows.set(name, { name, type: typeOf(document, field), isRequired, description });
      walk(field, name, depth + 1);
    }
  };
  if (schema) walk(schema, '', 0);
  return [...rows.values()];
};

/** The type of a field in words: `string or null`, `list of integer (int64)`, its values where they are few. */
export const typeOf = (document: ApiDocument, given: Schema, depth = 0): string => {
  const own = followed<Schema>(document, 'schemas', given);
  if (own.const !== undefined) return `\`${JSON.stringify(own.const)}\``;
  if (own.enum) return valuesOf(own.enum);
  const choices = own.anyOf ?? own.oneOf;
  if (choices && depth < deepest) return [...new Set(choices.map((each) => typeOf(document, each, depth + 1)))].join(' or ');
  if (own.type === 'array') return `list of ${own.items && depth < deepest ? typeOf(document, own.items, depth + 1) : 'values'}`;
  const types = typeof own.type === 'string' ? [own.type] : (own.type ?? (own.allOf || own.properties ? ['object'] : ['any']));
  return `${types.join(' or ')}${own.format === undefined ? '' : ` (${own.format})`}${limitsOf(own)}`;
};

const valuesOf = (values: readonly unknown[]): string => {
  const shown = values.slice(0, mostValues).map((each) => `\`${JSON.stringify(each)}\``);
  return [...shown, ...(values.length > mostValues ? [`${values.length - mostValues} more`] : [])].join(', ');
};

function limitsOf({ minimum, maximum, maxLength }: Schema): string {
  if (maxLength !== undefined) return `, at most ${maxLength}`;
  // an id's greatest number says nothing to a reader
  const most = maximum !== undefined && Math.abs(maximum) < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (minimum !== undefined && most !== undefined) return `, ${minimum} to ${most}`;
  return most === undefined ? '' : `, at most ${most}`;
}
