/**
 * What occurs more than once in the document, named once and referred to: answers of operations, and schemas within schemas. A name comes
 * from the place where the part occurs first: `ContactResponse`, `CampaignTemplate`.
 */
export const withRepeatedPartsNamed = (document: Json): Json => {
  const components = document['components'] as Record<string, Json>;
  const operations = [document['paths'], document['webhooks']]
    .flatMap((paths) => Object.values(paths as Record<string, Record<string, Json>>))
    .flatMap((path) => Object.values(path));
  nullsAsTypes(document);
  nameResponses(operations, (components['responses'] ??= {}));
  const schemas = (components['schemas'] ??= {});
  nameSchemas(
    [
      ...Object.entries(schemas).map(([name, schema]) => [recordName(name), schema] as const),
      ...Object.entries(components['responses']).map(([name, response]) => [name.replace(/Response$/, ''), response] as const),
      ...operations.map((operation) => [pascal(String(operation['operationId'])), operation] as const),
    ],
    schemas,
  );
  return document;
};

type Json = Record<string, unknown>;

/** What a reference saves must be more than its own text. */
const leastSaved = 150;
const leastSavedByResponse = 100;
const referenceSize = 60;
/** A text or a number is named where it has more than so many characters, and occurs as often as this. */
const shortScalar = 100;
const timesOfScalar = 3;

function nameResponses(operations: readonly Json[], responses: Json): void {
  const places = operations.flatMap(({ operationId, responses: own }) =>
    Object.entries((own ?? {}) as Json)
      .filter(([, response]) => !('$ref' in (response as Json)))
      .map(([status, response]) => ({ own: own as Json, status, response, operationId: String(operationId) })),
  );
  const names = new Map<string, string>();
  for (const same of Map.groupBy(places, ({ response }) => JSON.stringify(response)).values()) {
    const [first] = same;
    if (!first || (same.length - 1) * (JSON.stringify(first.response).length - referenceSize) < leastSavedByResponse) continue;
    const name = freeName(`${recordIn(first.response) ?? pascal(first.operationId)}Response`, responses);
    responses[name] = first.response;
    names.set(JSON.stringify(first.response), name);
    for (const { own, status } of same) own[status] = { $ref: `#/components/responses/${name}` };
  }
}

/** The record that a response carries: the last named schema in it. */
function recordIn(response: unknown): string | undefined {
  const names = [...JSON.stringify(response).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  return names.length === 1 ? names[0] : undefined;
}

interface Place {
  holder: Json;
  key: string;
  schema: Json;
  wanted: string;
  within: readonly unknown[];
}

/** The largest parts first: what lies in copies that a reference has replaced is no longer there. */
function nameSchemas(roots: readonly (readonly [name: string, value: unknown])[], schemas: Json): void {
  const places = roots.flatMap(([name, value]) => [...placesIn(value, name)]);
  const replaced = new Set<unknown>();
  const groups = [...Map.groupBy(places, ({ schema }) => JSON.stringify(schema))].filter(([, same]) => same.length > 1);
  for (const [text, same] of groups.toSorted(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))) {
    const left = same.filter(({ within }) => !within.some((each) => replaced.has(each)));
    const [first, ...copies] = left;
    if (!first || copies.length * (text.length - referenceSize) < leastSaved) continue;
    if (isScalar(first.schema) && left.length < timesOfScalar) continue;
    const name = freeName(first.wanted, schemas);
    for (const { holder, key } of left) holder[key] = { $ref: `#/components/schemas/${name}` };
    for (const { schema } of copies) replaced.add(schema);
    schemas[name] = first.schema;
  }
}

const data = new Set(['example', 'examples', 'enum', 'const', 'default']);

/** Every schema below a value, named after the property it is in. */
function* placesIn(value: unknown, root: string, property = '', within: readonly unknown[] = [], isFields = false): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'object' || each === null || (data.has(key) && !isFields)) continue;
    const field = isFields ? pascal(key) : property;
    if (field !== '' && isSchema(each) && (!isScalar(each) || JSON.stringify(each).length > shortScalar))
      yield { holder: value as Json, key, schema: each, wanted: `${root}${field}`, within };
    yield* placesIn(each, root, field, [...within, each], key === 'properties' && !isFields);
  }
}

const isSchema = (value: object): value is Json =>
  !Array.isArray(value) &&
  ('anyOf' in value || 'oneOf' in value || ('type' in value && (typeof value.type === 'string' || Array.isArray(value.type))));

/** A text or a number needs no name, because its type says more where it stands; unless its description is long and there many times. */
const isScalar = (schema: Json): boolean =>
  !['anyOf', 'oneOf', 'items', 'properties', 'enum', 'additionalProperties'].some((each) => each in schema);

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

/** `Template` for `CreateTemplateRequest`. */
const recordName = (name: string): string => name.replace(/^(Create|Update|Replace|Set)(?=[A-Z])/, '').replace(/(?<=[a-z])Request$/, '');

const freeName = (wanted: string, taken: Json): string => {
  const free = [wanted, ...Array.from({ length: 50 }, (_, index) => `${wanted}${index + 2}`)].find((each) => !(each in taken));
  if (free === undefined) throw new Error(`Every name like ${wanted} is taken.`);
  return free;
};

const pascal = (name: string): string =>
  name
    .split(/[._-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
