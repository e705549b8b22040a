import * as fc from 'fast-check';
import openapi from '../../openapi.json' with { type: 'json' };
import { refusalOfBody } from '../support/document-schemas.ts';
import type { Random } from '../support/random.ts';

/** Bodies that openapi.json allows, as a caller who has nothing but the document would write them. */
export interface DocumentSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, DocumentSchema>;
  required?: string[];
  additionalProperties?: DocumentSchema | boolean;
  propertyNames?: DocumentSchema;
  minProperties?: number;
  items?: DocumentSchema;
  minItems?: number;
  maxItems?: number;
  anyOf?: DocumentSchema[];
  oneOf?: DocumentSchema[];
  allOf?: DocumentSchema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

const schemas = openapi.components.schemas as unknown as Readonly<Record<string, DocumentSchema>>;
interface DocumentOperation {
  operationId: string;
  description: string;
  requestBody?: { content: Record<string, { schema: DocumentSchema }> };
}
const operations = new Map(
  Object.values(openapi.paths)
    .flatMap((methods) => Object.values(methods as unknown as Record<string, DocumentOperation>))
    .map((each) => [each.operationId, each]),
);

export const descriptionOf = (operationId: string): string => operations.get(operationId)?.description ?? '';

/** The schema of the JSON body of an operation; undefined: it takes none. */
export const bodySchemaOf = (operationId: string): DocumentSchema | undefined =>
  operations.get(operationId)?.requestBody?.content['application/json']?.schema;

/**
 * A body that the document allows: drawn whole, or a good one with some fields as the document allows them and some left out. What the document
 * refuses is drawn anew, and after ten draws the good one is taken.
 */
export const allowedBody = (operationId: string, good: unknown, random: Random): unknown => {
  const schema = bodySchemaOf(operationId) ?? {};
  for (let draws = 0; draws < 10; draws++) {
    const drawn = value(schema, random);
    const body = random() < 0.2 ? drawn : mixed(good, drawn, random);
    if (refusalOfBody(operationId, body) === undefined) return body;
  }
  return good;
};

const chosen = <T>(of: readonly T[], random: Random): T => {
  const found = of[Math.floor(random() * of.length)];
  if (found === undefined) throw new Error('There is nothing to choose from.');
  return found;
};
const whole = (min: number, max: number, random: Random): number => min + Math.floor(random() * (max - min + 1));

type Fields = Record<string, unknown>;
const isFields = (given: unknown): given is Fields => typeof given === 'object' && given !== null && !Array.isArray(given);

/** The good body with up to three fields of the drawn one, at any depth, or without some of its own. */
function mixed(good: unknown, drawn: unknown, random: Random): unknown {
  if (Array.isArray(good) && Array.isArray(drawn) && random() < 0.7)
    return good.map((each: unknown, at) => (at === 0 && drawn.length > 0 ? mixed(each, drawn[0], random) : each));
  if (!isFields(good) || !isFields(drawn)) return drawn;
  const body: Fields = { ...good };
  const names = [...new Set([...Object.keys(drawn), ...Object.keys(good)])];
  for (let changes = whole(1, 3, random); changes > 0 && names.length > 0; changes--) {
    const name = chosen(names, random);
    if (!Object.hasOwn(drawn, name)) delete body[name];
    else body[name] = Object.hasOwn(good, name) ? mixed(good[name], drawn[name], random) : drawn[name];
  }
  return body;
}

const resolved = (schema: DocumentSchema): DocumentSchema => {
  const { $ref, ...others } = schema;
  return $ref === undefined ? schema : { ...schemas[$ref.replace('#/components/schemas/', '')], ...others };
};

/** As one schema: ways that name required fields alone are of the object beside them. */
const merged = (parts: readonly DocumentSchema[]): DocumentSchema =>
  parts.map(resolved).reduce<DocumentSchema>(
    (all, part) => ({
      ...all,
      ...part,
      ...((all.properties ?? part.properties) ? { properties: { ...all.properties, ...part.properties } } : {}),
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );

function value(given: DocumentSchema, random: Random, depth = 0): unknown {
  const schema = resolved(given);
  if ('const' in schema) return schema.const;
  if (schema.enum) return chosen(schema.enum, random);
  const { anyOf, oneOf, allOf, ...beside } = schema;
  if (allOf) return value(merged([beside, ...allOf]), random, depth);
  const ways = anyOf ?? oneOf;
  if (ways) return value(merged([beside, chosen(ways, random)]), random, depth + 1);
  return ofType(chosen([schema.type ?? (schema.properties ? 'object' : 'any')].flat(), random), schema, random, depth);
}

function ofType(type: string, schema: DocumentSchema, random: Random, depth: number): unknown {
  switch (type) {
    case 'object':
      return objectOf(schema, random, depth);
    case 'array':
      return listOf(schema, random, depth);
    case 'string':
      return textOf(schema, random);
    case 'integer':
    case 'number':
      return numberOf(type, schema, random);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    default:
      return chosen(['Hello', 7, true, { a: 1 }], random);
  }
}

function listOf({ items = {}, minItems = 0, maxItems = 4 }: DocumentSchema, random: Random, depth: number): unknown[] {
  const most = Math.max(minItems, Math.min(maxItems, depth > 4 ? 0 : 4));
  return Array.from({ length: whole(minItems, most, random) }, () => value(items, random, depth + 1));
}

function objectOf(schema: DocumentSchema, random: Random, depth: number): Fields {
  const { properties = {}, required = [], additionalProperties, propertyNames, minProperties = 0 } = schema;
  const share = depth > 4 ? 0 : random();
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || random() < share);
  const known = Object.fromEntries(fields.map(([name, each]) => [name, value(each, random, depth + 1)]));
  if (typeof additionalProperties !== 'object' || depth > 5) return known;
  const name = (): string => (propertyNames ? String(value(propertyNames, random)) : chosen(['a', 'Name', 'city'], random));
  const more = Array.from({ length: whole(minProperties, 2, random) }, () => [name(), value(additionalProperties, random, depth + 1)]);
  return { ...(Object.fromEntries(more) as Fields), ...known };
}

function numberOf(type: 'integer' | 'number', schema: DocumentSchema, random: Random): number {
  const { exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const minimum = exclusiveMinimum === undefined ? (schema.minimum ?? -10) : exclusiveMinimum + 1;
  const drawn = chosen([minimum, maximum, minimum + random() * 20, minimum + random() * (maximum - minimum)], random);
  const within = Math.min(maximum, Math.max(minimum, drawn));
  return type === 'integer' ? Math.floor(within) : within;
}

const words = ['Hello', 'a', 'DE', 'EUR', 'Mug', 'de', '12', '7.5', 'de-DE', 'x y', 'Straße 1', 'ACTIVE', 'created_at', '{{1}}', '😀'];
const addresses = [
  'https://example.com/a.png',
  'http://example.com',
  'https://10.0.0.1/x',
  'https://shop.example/x?y=1',
  'mailto:a@example.com',
];
const odd = [' ', 'a\u0000b', 'a\nb', '+4915112345678', '2026-12-24 10:00:00', 'Europe/Berlin', '10.0.0.0/8', '123456'];

const drawnBy = new Map<string, readonly string[]>();

/** Texts of a pattern; made once, because fast-check makes a table of all characters for each. */
function textsBy(pattern: string): readonly string[] {
  const texts = drawnBy.get(pattern) ?? fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed: 20_261_130, numRuns: 40 });
  drawnBy.set(pattern, texts);
  return texts;
}

function textOf({ format, pattern, minLength = 0, maxLength = 200 }: DocumentSchema, random: Random): string {
  const time = new Date(whole(Date.UTC(2020, 0), Date.UTC(2035, 0), random)).toISOString();
  const fits = (text: string): boolean => Array.from(text).length >= minLength && Array.from(text).length <= maxLength;
  const filled = Array.from({ length: whole(minLength, Math.min(maxLength, minLength + 12), random) }, () =>
    String.fromCodePoint(random() < 0.8 ? whole(0x20, 0x7e, random) : whole(0xa1, 0x2fff, random)),
  ).join('');
  switch (format) {
    case 'date-time':
      return time;
    case 'date':
      return time.slice(0, 10);
    case 'uuid':
      return `${whole(0x10000000, 0xffffffff, random).toString(16)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`;
    case 'email':
      return chosen(['ada@example.com', 'x@y.example', 'Bob.Smith@shop.example'], random);
    case 'uri':
      return chosen(addresses, random);
    case undefined:
    default:
      break;
  }
  if (pattern !== undefined) {
    const long = textsBy(pattern).map((text) => text.padEnd(minLength, text || 'a'));
    return chosen(
      long.filter((text) => fits(text) && new RegExp(pattern, 'u').test(text)),
      random,
    );
  }
  const texts = [...words, ...addresses, ...odd].filter(fits);
  return texts.length === 0 || random() < 0.25 ? filled : chosen([...texts, 'x'.repeat(Math.min(maxLength, 5_000))], random);
}
