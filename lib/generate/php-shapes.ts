import { type JsonSchema, nameIn } from './client-document.ts';

/** A schema as PHPStan and Psalm write types: `array{id: int, name?: string}`. Named schemas are aliases. */
export function shapeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return constant(schema.const);
  if (schema.enum) return union(schema.enum.map(constant));
  if (schema.allOf) throw new Error('The PHP client has no shape for allOf.');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return shapeOfAll(choices);
  return union([schema.type ?? []].flat().map((type) => ofType(type, schema))) || 'mixed';
}

/** Any of several. */
export const shapeOfAll = (schemas: readonly JsonSchema[]): string => union(schemas.map(shapeOf));

/** The type that PHP itself checks; of what is one of several it checks each that it has. */
export function nativeType(schema: JsonSchema): string {
  const natives = new Set(nativeTypes(schema));
  return natives.has('mixed') ? 'mixed' : [...natives].toSorted().join('|');
}

function nativeTypes(schema: JsonSchema): string[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap(nativeTypes);
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values) return values.map((value) => scalars[typeof value === 'number' ? 'integer' : typeof value] ?? 'mixed');
  return [schema.type ?? 'mixed'].flat().map((type) => scalars[type] ?? (type === 'array' || type === 'object' ? 'array' : 'mixed'));
}

const scalars: Readonly<Record<string, string>> = { string: 'string', integer: 'int', number: 'float', boolean: 'bool', null: 'null' };

function ofType(type: string, schema: JsonSchema): string {
  if (type === 'array') return `list<${schema.items ? shapeOf(schema.items) : 'mixed'}>`;
  if (type === 'object') return objectShape(schema);
  // a number without a fraction is read as int
  return type === 'number' ? 'float|int' : (scalars[type] ?? 'mixed');
}

function objectShape({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${/^\w+$/.test(name) ? name : `'${name}'`}${required.includes(name) ? '' : '?'}: ${shapeOf(schema)}`,
  );
  if (fields.length === 0) return `array<string, ${typeof additionalProperties === 'object' ? shapeOf(additionalProperties) : 'mixed'}>`;
  const isOpen = typeof additionalProperties === 'object' || additionalProperties === true;
  return `array{${[...fields, ...(isOpen ? ['...'] : [])].join(', ')}}`;
}

const constant = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));

/** A text beside any text says nothing more. */
function union(shapes: readonly string[]): string {
  const parts = [...new Set(shapes.flatMap((shape) => (/[{<']/.test(shape) ? [shape] : shape.split('|'))))];
  if (parts.includes('mixed')) return 'mixed';
  return parts.filter((part) => !(parts.includes('string') && part.startsWith("'"))).join('|');
}
