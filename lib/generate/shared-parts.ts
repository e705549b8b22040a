import { commonDescriptions } from './property-descriptions.ts';

/**
 * The document with what its parts share stated once: request bodies as named schemas, and parameters that many operations take.
 * Fields that mean the same everywhere get their description here where their schema gives none.
 */
export const withSharedParts = (document: Json): Json => {
  const components = document['components'] as Record<string, Json>;
  const operations = Object.values(document['paths'] as Record<string, Record<string, Json>>).flatMap((path) => Object.values(path));
  nameRequestBodies(operations, (components['schemas'] ??= {}));
  shareParameters(operations, (components['parameters'] ??= {}));
  openObjects(document['paths']);
  openObjects(components['schemas']);
  for (const schema of Object.values(components['schemas'])) {
    defaultsInWords(schema);
    describe(schema);
  }
  for (const parameter of [...Object.values(components['parameters']), ...operations.flatMap((each) => listOf(each['parameters']))])
    describeParameter(parameter as Json);
  components['schemas'] = sorted(components['schemas']);
  return document;
};

type Json = Record<string, unknown>;

/** `CreateContactRequest` for the body of createContact. Operations with the same body share the name of the first. */
function nameRequestBodies(operations: readonly Json[], schemas: Json): void {
  const names = new Map<string, string>();
  for (const operation of operations) {
    const content = (operation['requestBody'] as Json | undefined)?.['content'] as Record<string, { schema: Json }> | undefined;
    for (const media of Object.values(content ?? {})) {
      if ('$ref' in media.schema) continue;
      const text = JSON.stringify(media.schema);
      const name = names.get(text) ?? `${capitalized(String(operation['operationId']))}Request`;
      names.set(text, name);
      schemas[name] ??= media.schema;
      media.schema = { $ref: `#/components/schemas/${name}` };
    }
  }
}

const timesToShare = 2;

/** A parameter that is the same in many operations becomes a component of its name: `Cursor`. */
function shareParameters(operations: readonly Json[], parameters: Json): void {
  const counts = new Map<string, number>();
  const all = operations.flatMap((each) => listOf(each['parameters']));
  for (const each of all) counts.set(JSON.stringify(each), (counts.get(JSON.stringify(each)) ?? 0) + 1);
  const names = new Map<string, string>();
  for (const [text, count] of counts) {
    const { name, in: place } = JSON.parse(text) as { name?: string; in?: string };
    if (name === undefined || count < timesToShare) continue;
    const wanted = name.split(/[_-]/).map(capitalized).join('');
    const free = [wanted, `${capitalized(place ?? '')}${wanted}`, ...Array.from({ length: 9 }, (_, index) => `${wanted}${index + 2}`)].find(
      (each) => !(each in parameters),
    );
    if (free === undefined) continue;
    parameters[free] = JSON.parse(text) as Json;
    names.set(text, free);
  }
  for (const operation of operations) {
    if (!operation['parameters']) continue;
    operation['parameters'] = listOf(operation['parameters']).map((each) => {
      const name = names.get(JSON.stringify(each));
      return name === undefined ? each : { $ref: `#/components/parameters/${name}` };
    });
  }
}

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

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
