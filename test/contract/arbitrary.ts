import * as fc from 'fast-check';
import * as z from 'zod';
import { jsonSchemaOf } from '../../lib/generate/json-schema.ts';

/** Bodies near a schema and far from it: every field now as declared, now as something else, some missing, some unknown. */
export const bodiesNear = (schema: z.ZodType): fc.Arbitrary<unknown> => {
  const json = jsonSchemaOf(schema) as JsonSchema;
  return fc.oneof({ weight: 4, arbitrary: near(json) }, { weight: 1, arbitrary: garbage });
};

/** Queries near a schema: the names of its fields with all kinds of texts. */
export const queriesNear = (names: readonly string[]): fc.Arbitrary<Record<string, string>> => {
  const name = names.length > 0 ? fc.oneof(fc.constantFrom(...names), oddText) : oddText;
  return fc.dictionary(name, queryValues, { maxKeys: 8 });
};

interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  enum?: unknown[];
  const?: unknown;
}

/** Of all code points, lone surrogates among them. By the library's own `binary` unit it would take two seconds to make. */
const anyCharacters = fc.array(fc.integer({ min: 0, max: 0x10_ff_ff })).map((points) => String.fromCodePoint(...points));

/** Texts that have broken parsers before. */
const oddText = fc.oneof(
  fc.string(),
  anyCharacters,
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '__proto__',
    'constructor',
    'null',
    '-1',
    '1e999',
    '9007199254740993',
    '2026-02-30',
    '\ud800',
    '🇮🇳',
    "'; --",
  ),
  fc.constantFrom('+4915112345678', '919876543210', 'a'.repeat(5_000)),
);

/** Made once: fast-check builds a table of all characters for each arbitrary of texts. */
const queryValues = fc.oneof(oddText, fc.integer().map(String), fc.double().map(String), fc.json());

const garbage: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  oddText,
  fc.double(),
  fc.constantFrom(null, [], {}, true, -0, 2 ** 53),
);

function near(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 6) return garbage;
  return fc.oneof({ weight: 6, arbitrary: declared(schema, depth) }, { weight: 1, arbitrary: garbage });
}

function declared(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum && schema.enum.length > 0) return fc.constantFrom(...schema.enum);
  const ways = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (ways && ways.length > 0) return fc.oneof(...ways.map((way) => near(way, depth + 1)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object':
      return objects(schema, depth);
    case 'array':
      return fc.array(near(schema.items ?? {}, depth + 1), { maxLength: 5 });
    case 'string':
      return oddText;
    case 'integer':
      return fc.oneof(fc.integer(), fc.nat(50), fc.maxSafeInteger());
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true }));
    case 'boolean':
      return fc.boolean();
    default:
      return garbage;
  }
}

function objects(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, near(each, depth + 1)]));
  const known = fc.record(fields, { requiredKeys: [] });
  const more = typeof schema.additionalProperties === 'object' ? near(schema.additionalProperties, depth + 1) : garbage;
  return fc.tuple(known, fc.dictionary(oddText, more, { maxKeys: 2 })).map(([own, extra]) => ({ ...extra, ...own }));
}
