import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { jsonSchemaOf } from '../../lib/generate/json-schema.ts';
import { sampleOf } from '../../lib/generate/sample.ts';
import { erpRow } from '../../functions/shop/contract/erp.ts';
import { withoutAbsent } from '../../shared/http/absent.ts';
import type { Answer } from '../support/gateway-event.ts';
import { allRoutes, type ContractFixture, type NamedRoute, rowsOf, startFixture } from './fixture.ts';

/** An optional field that says nothing is not given: JSON null everywhere, an empty text in forms. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(() => fixture.testApp.clock.advance(60_000));
afterAll(() => fixture[Symbol.asyncDispose]());

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];

const withBody = allRoutes.filter(({ route }) => route.body && !route.accepts?.includes('raw'));
const creating = withBody.filter(({ route }) => route.method === 'POST');
const withForms = withBody.filter(({ route }) => route.accepts?.includes('multipart'));

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The alternatives of a schema that a value can be of. */
const waysOf = (schema: Json, value: unknown): Json[] => {
  const ways = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (ways) return ways.flatMap((each) => waysOf(each, value));
  const properties = Object.keys((schema['properties'] ?? {}) as Json);
  const required = (schema['required'] ?? []) as string[];
  const fits =
    !isObject(value) || (required.every((name) => name in value) && Object.keys(value).every((name) => properties.includes(name)));
  return fits ? [schema] : [];
};

/** The optional fields of an object, and of the objects and lists in it. */
function optionalFields(schema: Json, value: unknown, path: Path = []): Path[] {
  const [way] = waysOf(schema, value);
  if (!way) return [];
  if (Array.isArray(value)) return value.flatMap((each, nth) => optionalFields((way['items'] ?? {}) as Json, each, [...path, nth]));
  if (!isObject(value)) return [];
  return Object.entries((way['properties'] ?? {}) as Record<string, Json>).flatMap(([name, field]) => [
    ...(((way['required'] ?? []) as string[]).includes(name) ? [] : [[...path, name]]),
    ...(name in value ? optionalFields(field, value[name], [...path, name]) : []),
  ]);
}

/** A copy with another value at a path; undefined leaves the field out. */
function withValue(value: unknown, [key, ...rest]: Path, put: null | undefined): unknown {
  if (Array.isArray(value)) return value.map((each, nth) => (nth === key ? withValue(each, rest, put) : each));
  const { [String(key)]: own, ...others } = value as Json;
  if (rest.length > 0) return { ...others, [String(key)]: withValue(own, rest, put) };
  return put === undefined ? others : { ...others, [String(key)]: put };
}

const outcomeOf = (schema: z.ZodType, body: unknown): unknown => {
  const read = schema.safeParse(withoutAbsent(schema, body));
  return read.success ? read.data : read.error.issues;
};
const fieldAt = (path: Path): string => path.join('.');

interface WithOptionalFields {
  schema: z.ZodType;
  body: unknown;
  fields: readonly Path[];
}
const withOptionalFields = withBody.flatMap(({ name, route }: NamedRoute): [string, WithOptionalFields][] => {
  const schema = route.body ?? z.unknown();
  const body = sampleOf(name, route).body ?? {};
  const fields = optionalFields(jsonSchemaOf(schema) as Json, body);
  return fields.length === 0 ? [] : [[name, { schema, body, fields }]];
});

describe.each(withOptionalFields)('%s', (_name, { schema, body, fields }) => {
  test('takes null for each optional field: as not given, or as what null means there', () => {
    const nulls = fields.map((path) => ({ path, given: outcomeOf(schema, withValue(body, path, null)) }));
    const refused = nulls.filter(
      ({ path, given }) =>
        Array.isArray(given) && given.some((issue: z.core.$ZodIssue) => fieldAt(issue.path as Path) === fieldAt(path) && path.length > 0),
    );
    const withoutThem = refused.filter(
      ({ path, given }) => JSON.stringify(given) !== JSON.stringify(outcomeOf(schema, withValue(body, path, undefined))),
    );
    expect(withoutThem.map(({ path }) => fieldAt(path))).toEqual([]);
  });
});

describe.each(rowsOf(creating))('%s', (_title, named) => {
  test('is as good with null in all optional fields that the request does not use', async () => {
    const call = await fixture.goodCall(named);
    const schema = jsonSchemaOf(named.route.body ?? z.unknown()) as Json;
    const fields = optionalFields(schema, call.body).filter((path) => path.length === 1);
    const nulls = Object.fromEntries(fields.map(([name]) => [String(name), null]));
    const answer = await fixture.call(named, { ...call, body: { ...nulls, ...(call.body as Json) } });
    expect(answer.status, answer.raw).toBeLessThan(300);
  });
});

describe.each(rowsOf(withForms))('%s', (_title, named) => {
  test('is the same as a form that leaves all other fields empty', async () => {
    const { body, headers, ...call } = await fixture.goodCall(named);
    const given = body as Json;
    const form = new FormData();
    for (const [name, value] of Object.entries(given)) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    const empty = optionalFields(jsonSchemaOf(named.route.body ?? z.unknown()) as Json, given).map(String);
    for (const name of empty.filter((each) => !(each in given))) form.set(name, '');
    expect([...form.values()].filter((value) => value === '').length).toBeGreaterThan(10);
    const encoded = new Response(form);
    const contentType = encoded.headers.get('content-type') ?? '';
    const bytes = Buffer.from(await encoded.arrayBuffer());
    const asForm = await fixture.call(named, { ...call, body: bytes, headers: { ...headers, 'content-type': contentType } });
    const asJson = await fixture.call(named, { ...call, body: given, ...(headers ? { headers } : {}) });
    expect(asForm.status, asForm.raw).toBeLessThan(300);
    expect(withoutIds(asForm)).toEqual(withoutIds(asJson));
    expect(asForm.headers['x-unknown-fields']).toBeUndefined();
  });
});

test('an empty text in JSON is a text, and no file or text that a form needs is left out', () => {
  const schema = z.object({ name: z.string(), note: z.string().optional(), limit: z.int().nullable().optional() });
  expect(withoutAbsent(schema, { name: '', note: '', limit: null })).toEqual({ name: '', note: '', limit: null });
  expect(withoutAbsent(schema, { name: '', note: '', limit: '' }, { isForm: true })).toEqual({ name: '', note: '' });
  expect(withoutAbsent(schema, { name: null, note: null, limit: null, unknown: null })).toEqual({ name: null, limit: null, unknown: null });
});

test('null in a row of an ERP leaves what was stored, or clears it where the field says so', async () => {
  const named = allRoutes.find(({ name }) => name === 'syncErp');
  if (!named) throw new Error('There is no syncErp.');
  const call = await fixture.goodCall(named);
  const nulls = Object.fromEntries(Object.keys(erpRow.shape).map((name) => [name, null]));
  const row = { ...nulls, external_id: 'with-nulls', name: 'Bread', price: '2.50' };
  const answer = await fixture.call(named, { ...call, body: { products: [row] } });
  expect(answer.body).toMatchObject({ success: true, data: { created: 1, failed: 0 } });
});

/** Of an answer what two equal requests have in common. */
function withoutIds({ body }: Answer): Json {
  const { data } = body as { data: Json };
  return Object.fromEntries(Object.entries(data).filter(([name]) => !/^id$|_at$|^message_(id|wamid)$/.test(name)));
}
