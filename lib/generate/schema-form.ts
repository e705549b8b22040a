import { commonDescriptions } from './property-descriptions.ts';

/**
 * The document in the form that readers and code generators understand: null as a type, objects without declared fields as open ones, defaults
 * in words, each content type with its own schema, patterns that every language reads. Fields that mean the same everywhere get their description
 * here where their schema gives none.
 */
export const withPlainForms = (document: Json): Json => {
  const components = document['components'] as Record<string, Json>;
  const schemas = (components['schemas'] ??= {}) as Record<string, Json>;
  const operations = Object.values(document['paths'] as Record<string, Record<string, Json>>).flatMap((path) => Object.values(path));
  splitForms(operations, schemas);
  openObjects(document['paths']);
  openObjects(schemas);
  plainKeywords(document);
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
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** What may have schemas in it. A field of an example may have the name of a keyword, and stays as it is; a property may have the name `examples`. */
const partsOf = (value: object): unknown[] =>
  Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    if (key === 'properties' && typeof each === 'object' && each !== null) return Object.values(each);
    return key === 'example' || key === 'examples' ? [] : [each];
  });

/**
 * A body that is JSON or a form: the files are in the schema of the form alone, which has the name of the body and `Form`. A generated client
 * would otherwise put a file into JSON.
 */
function splitForms(operations: readonly Json[], schemas: Record<string, Json>): void {
  for (const operation of operations) {
    const content = ((operation['requestBody'] as Json | undefined)?.['content'] ?? {}) as Record<string, { schema: Json }>;
    const [json, form] = [content['application/json'], content['multipart/form-data']];
    if (!json || !form) continue;
    const name = String(json.schema['$ref']).replace('#/components/schemas/', '');
    const whole = schemas[name];
    if (!whole) throw new Error(`There is no schema ${name}.`);
    const properties = Object.entries(whole['properties'] as Record<string, Json>);
    schemas[`${name}Form`] = { ...whole, properties: Object.fromEntries(properties.map(([field, each]) => [field, asFormField(each)])) };
    form.schema = { $ref: `#/components/schemas/${name}Form` };
    schemas[name] = { ...whole, properties: Object.fromEntries(properties.filter(([, each]) => each['format'] !== 'binary')) };
  }
}

/** The description of a schema with a sentence more. */
const describedBy = ({ description }: Json, sentence: string): string =>
  typeof description === 'string' && description !== '' ? `${description} ${sentence}` : sentence;

/** A field of a form is text. What JSON takes as a structure or as its JSON text is the text alone: a generated client could not send the others. */
function asFormField(field: Json): Json {
  const ways = listOf(field['oneOf'] ?? field['anyOf']);
  const text = ways.find((way) => way['type'] === 'string');
  if (!text || !ways.some((way) => way['type'] === 'object')) return field;
  const { oneOf: _oneOf, anyOf: _anyOf, ...others } = field;
  return { ...text, ...others, description: describedBy(field, 'In a form, the JSON text.') };
}

/**
 * Keywords that say nothing beside others, or that not every reader understands: of a reference what stands in the schema it names, of a number
 * the pattern of its text, of a text a pattern with classes of Unicode, which Python does not know. A whole number without an upper bound of 32
 * bits says that it may have 64: ids are greater. And a field that is refused whatever it has, with a reason, is none to send.
 */
function plainKeywords(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Json;
  if ('$ref' in schema) delete schema['additionalProperties'];
  const types = [schema['type']].flat();
  // a word of a list and a time have their length by being one
  if ('enum' in schema || ['uuid', 'date', 'date-time'].includes(String(schema['format'])))
    for (const length of ['minLength', 'maxLength']) delete schema[length];
  if (types.includes('integer')) {
    delete schema['pattern'];
    if (!(typeof schema['maximum'] === 'number' && schema['maximum'] < 2 ** 31)) schema['format'] = 'int64';
  }
  const properties = schema['properties'];
  if (typeof properties === 'object' && properties !== null)
    for (const [name, each] of Object.entries(properties as Record<string, Json>))
      if (JSON.stringify(each['not']) === '{}') delete (properties as Record<string, Json>)[name];
  if (/\\p\{/i.test(String(schema['pattern']))) delete schema['pattern'];
  boundsOfValuesInWords(schema);
  for (const each of partsOf(schema)) plainKeywords(each);
}

/** How long or great a value of a map may be, in words: orval 7 writes such a bound as a line of code that does not compile. */
function boundsOfValuesInWords(schema: Json): void {
  const given = schema['additionalProperties'] as Json | boolean | undefined;
  if (typeof given !== 'object') return;
  const ways = listOf(given['anyOf']).filter(({ type }) => type !== 'null');
  // of a value that may be null too
  const values = ways.length === 1 && ways[0] ? ways[0] : given;
  for (const [least, most, sentence] of [
    ['minLength', 'maxLength', (bound: string) => `Each value has ${bound} characters.`],
    ['minimum', 'maximum', (bound: string) => `Each value is ${bound}.`],
  ] as const) {
    const { [least]: from = 0, [most]: to } = values as Record<string, number>;
    if (to === undefined) continue;
    delete values[least];
    delete values[most];
    schema['description'] = describedBy(schema, sentence(from === 0 ? `at most ${to}` : `${from} to ${to}`));
  }
}

/** An object without declared fields takes any field. Code generators would otherwise type it as an object without fields. */
function openObjects(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Json;
  if (schema['type'] === 'object' && !('properties' in schema) && !('additionalProperties' in schema))
    schema['additionalProperties'] = true;
  for (const each of partsOf(schema)) openObjects(each);
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
  for (const each of partsOf(value)) nullsAsTypes(each);
  const { anyOf } = value as { anyOf?: Json[] };
  const [shown, none] = anyOf ?? [];
  if (anyOf?.length !== 2 || !shown || none?.['type'] !== 'null' || 'type' in value) return;
  if (!['string', 'integer', 'number', 'boolean'].includes(String(shown['type'])) || 'enum' in shown || 'const' in shown) return;
  const { anyOf: _ways, ...others } = value as Json;
  for (const key of Object.keys(value)) delete (value as Json)[key];
  Object.assign(value, shown, others);
  (value as Json)['type'] = [shown['type'], 'null'];
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
