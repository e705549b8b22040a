import { commonDescriptions } from './property-descriptions.ts';

/**
 * The document in the form that readers and code generators understand: null as a type, objects without declared fields as open ones, defaults
 * in words. Fields that mean the same everywhere get their description here where their schema gives none.
 */
export const withPlainForms = (document: Json): Json => {
  const components = document['components'] as Record<string, Json>;
  const schemas = (components['schemas'] ??= {});
  const operations = Object.values(document['paths'] as Record<string, Record<string, Json>>).flatMap((path) => Object.values(path));
  openObjects(document['paths']);
  openObjects(schemas);
  for (const schema of Object.values(schemas)) {
    defaultsInWords(schema);
    describe(schema);
  }
  for (const parameter of operations.flatMap((each) => listOf(each['parameters']))) describeParameter(parameter as Json);
  components['schemas'] = sorted(schemas);
  nullsAsTypes(document);
  return document;
};

type Json = Record<string, unknown>;

/** An object without declared fields takes any field. Code generators would otherwise type it as an object without fields. */
function openObjects(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Json;
  if (schema['type'] === 'object' && !('properties' in schema) && !('additionalProperties' in schema))
    schema['additionalProperties'] = true;
  for (const each of Object.values(schema)) openObjects(each);
}

/** Code generators make a property with a default a required one; in words it stays optional. */
function defaultsInWords(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { properties } = value as { properties?: Record<string, Json> };
  for (const property of Object.values(properties ?? {})) {
    if (typeof property !== 'object' || !('default' in property)) continue;
    const { default: given, description = '' } = property;
    delete property['default'];
    property['description'] = `${String(description)} Default: \`${JSON.stringify(given)}\`.`.trim();
  }
  for (const each of Object.values(value)) defaultsInWords(each);
}

/** Every property of a schema, at any depth, by its name where it has no description of its own. */
function describe(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const properties = (schema as Json)['properties'];
  if (typeof properties === 'object' && properties !== null)
    for (const [name, property] of Object.entries(properties as Record<string, Json>)) {
      const common = Object.hasOwn(commonDescriptions, name) ? commonDescriptions[name] : undefined;
      if (common !== undefined && !('description' in property) && !('$ref' in property)) property['description'] = common;
    }
  for (const value of Object.values(schema)) if (typeof value === 'object') describe(value);
}

/** A parameter's description stands beside its schema, not in it too. */
function describeParameter(parameter: Json): void {
  const common = commonDescriptions[String(parameter['name'])];
  const schema = parameter['schema'] as Json | undefined;
  if (schema && parameter['description'] === schema['description']) delete schema['description'];
  if (common !== undefined && parameter['description'] === undefined) parameter['description'] = common;
}

/** `{anyOf: [{type: 'string'}, {type: 'null'}]}` in its short form. */
function nullsAsTypes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) nullsAsTypes(each);
  const { anyOf } = value as { anyOf?: Json[] };
  const [shown, none] = anyOf ?? [];
  if (anyOf?.length !== 2 || !shown || none?.['type'] !== 'null' || 'type' in value) return;
  if (!['string', 'integer', 'number', 'boolean'].includes(String(shown['type'])) || 'enum' in shown || 'const' in shown) return;
  const { anyOf: _ways, ...others } = value as Json;
  for (const key of Object.keys(value)) delete (value as Json)[key];
  Object.assign(value, shown, others);
  (value as Json)['type'] = [shown['type'], 'null'];
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
