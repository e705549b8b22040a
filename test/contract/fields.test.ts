import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { Answer, Call } from '../support/gateway-event.ts';
import { isFullSize } from '../support/run-size.ts';
import { allRoutes, type ContractFixture, type NamedRoute, startFixture } from './fixture.ts';
import { type Change, companionsOf, isNamed, namedFields, refused, shownBy, valuesOf } from './field-values.ts';
import { jsonSchemaOf } from '../../lib/generate/json-schema.ts';

/**
 * Every field of every body and query, those within objects and lists included, has an effect: with another value of it the operation answers
 * something else, reads or writes something else, or sends something else to the provider. What differs between two equal calls (ids, times) is
 * no effect. Another name of a field is tried without that field. Fields that are refused, or have no effect, are named in field-values.ts.
 */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
// the examples share it: the operation whose walk takes it away fails, and not each one after it
afterEach(async () => {
  const { status, body } = await fixture.testApp.call({
    method: 'GET',
    path: `/api/v1/contacts/${fixture.contactId}`,
    token: fixture.company.tokens.owner,
  });
  expect([status, body]).toMatchObject([200, { data: { id: fixture.contactId } }]);
});

type Part = 'body' | 'query';
type Json = Record<string, unknown>;

const fieldsOf = (schema: z.ZodType | undefined): [path: string, schema: Json][] =>
  schema === undefined ? [] : within(jsonSchemaOf(schema) as Json);

/** The fields of an object, of the objects in it and of the elements of its lists (`lines[]/quantity`), by path; names have dots (`hub.mode`). */
const within = (schema: Json, prefix = ''): [string, Json][] =>
  objectsIn(schema).flatMap((each) =>
    Object.entries((each['properties'] ?? {}) as Record<string, Json>).flatMap(([name, field]): [string, Json][] => [
      [`${prefix}${name}`, field],
      ...within(field, `${prefix}${name}/`),
      ...listsIn(field).flatMap((list) => within((list['items'] ?? {}) as Json, `${prefix}${name}[]/`)),
    ]),
  );

const waysOf = (schema: Json): Json[] => ((schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined)?.flatMap(waysOf) ?? [schema];
const objectsIn = (schema: Json): Json[] => waysOf(schema).filter((each) => each['type'] === 'object');
const listsIn = (schema: Json): Json[] => waysOf(schema).filter((each) => each['type'] === 'array');

// a signed query says of itself that nothing was added
const routes = allRoutes.filter(({ route }) => !route.accepts?.includes('raw') && !route.errors.includes('installation_refused'));
/** In the quick suite one field in twelve is tried, at full size every one, with those within objects and lists, by which those have theirs. */
let walked = 0;

/** Each of these has a company of its own, since its walk changes what all later calls of the company must hold. They are last. */
const apart = ['createContactJob', 'createField', 'updateField', 'updateCompanySettings'];
const isApart = ({ name }: NamedRoute): boolean => apart.includes(name);
const rows = [...routes.filter((each) => !isApart(each)), ...routes.filter(isApart)].flatMap((named) =>
  (['body', 'query'] as const).flatMap((part) => {
    const all = [...new Map(fieldsOf(named.route[part]))];
    const hasFields = (path: string): boolean => all.some(([each]) => each.startsWith(`${path}/`) || each.startsWith(`${path}[]/`));
    const fields = all.filter(([path]) => isFullSize() || (!path.includes('/') && !hasFields(path) && walked++ % 12 === 0));
    return fields.length > 0 ? [[`${named.name} (${part})`, named, part, fields] as const] : [];
  }),
);

test.each(rows)('%s: each field has an effect', { timeout: 600_000 }, async (_title, named, part, fields) => {
  if (isApart(named)) {
    await fixture[Symbol.asyncDispose]();
    fixture = await startFixture();
  }
  const withEffect: string[] = [];
  const without: string[] = [];
  for (const [path, schema] of fields) {
    if (isNamed(named.name, path)) continue;
    ((await hasEffect(named, part, path, schema)) ? withEffect : without).push(path);
  }
  // an object has the effects of its fields
  expect(without.filter((path) => !withEffect.some((each) => each.startsWith(`${path}/`) || each.startsWith(`${path}[]/`)))).toEqual([]);
});

const declared = new Set(
  routes.flatMap(({ name, route }) =>
    (['body', 'query'] as const).flatMap((part) => fieldsOf(route[part]).map(([path]) => `${name}.${path}`)),
  ),
);

test('a field that is named apart is one that an operation takes', () => {
  const isDeclared = (key: string): boolean =>
    key.startsWith('*.') ? [...declared].some((each) => each.endsWith(key.slice(1))) : declared.has(key);
  expect(namedFields().filter((key) => !isDeclared(key))).toEqual([]);
});

test.each(Object.entries(refused))('%s is refused by its name', async (key, value) => {
  const [operation = '', field = ''] = key.split('.');
  const named = routes.find(({ name }) => name === operation);
  if (!named) throw new Error(`There is no operation ${operation}.`);
  const call = await fixture.goodCall(named);
  const answer = await fixture.testApp.call({ ...call, body: { ...(call.body as Json), [field]: value } });
  expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
});

test.each(Object.entries(shownBy))('%s is shown by %s', (field, file) => {
  const name = field.split(/[./]/).at(-1) ?? '';
  expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).toContain(name);
});

async function hasEffect(named: NamedRoute, part: Part, name: string, schema: Json): Promise<boolean> {
  const base: Change = (given) => ({ ...given, ...companionsOf(named.name, name) });
  const first = await outcomeOf(named, part, base);
  const second = await outcomeOf(named, part, base);
  if (!first || !second) return false;
  // where the schema of the whole refuses the example itself, the operation reads it in another way
  const check = named.route[part];
  const isChecked = check !== undefined && (await acceptsExample(named, part, base, check));
  for (const value of valuesOf(named.name, name, schema)) {
    const tried = (): Promise<Outcome | undefined> =>
      outcomeOf(named, part, (given) => withValue(base(given), name, value), isChecked ? check : undefined);
    const changed = await tried();
    if (!changed) continue;
    if (occurs(first, second, changed, value)) return true;
    if (!differs(first, second, changed)) continue;
    // once more, and with the example after it: what comes and goes by itself is no effect
    const [again, third] = [await tried(), await outcomeOf(named, part, base)];
    if (again && third && differs(first, third, again) && differs(second, third, changed)) return true;
  }
  return false;
}

async function acceptsExample(named: NamedRoute, part: Part, base: Change, check: z.ZodType): Promise<boolean> {
  const call = await fixture.goodCall(named);
  const given = base({ ...((part === 'body' ? call.body : call.query) as Json | undefined) });
  return check.safeParse(part === 'query' ? texts(given) : given).success;
}

const withValue = (given: Json, path: string, value: unknown): Json => {
  if (typeof value === 'function') return (value as Change)(given);
  const [first = '', ...deeper] = path.split('/');
  const name = first.replace('[]', '');
  const { [name]: was, ...rest } = given;
  if (deeper.length === 0) return value === undefined ? rest : { ...rest, [name]: value };
  const [part, ...others] = (first === name ? [was] : ((was as Json[] | undefined) ?? [])) as (Json | undefined)[];
  const changed = withValue(typeof part === 'object' ? part : {}, deeper.join('/'), value);
  return { ...given, [name]: first === name ? changed : [changed, ...others] };
};

type Outcome = Map<string, string>;

/** What a call did, by place; undefined: the schema itself refuses the value, which shows nothing. */
async function outcomeOf(named: NamedRoute, part: Part, change: (given: Json) => Json, schema?: z.ZodType): Promise<Outcome | undefined> {
  const call = await fixture.goodCall(named);
  const given = (part === 'body' ? call.body : call.query) as Json | undefined;
  const changed = change({ ...given });
  const isRefused = schema?.safeParse(part === 'query' ? texts(changed) : changed).success === false;
  if (isRefused && part === 'body') return undefined;
  const seen: Outcome = new Map();
  const before = fixture.provider.requests.length;
  using _hook = fixture.testApp.onTable(({ command, input, when }) => {
    if (when === 'before') leaves(input, `table ${command}`, seen);
  });
  const answer = await fixture.testApp.call({ ...call, [part]: part === 'query' ? texts(changed) : changed } as Call);
  // JSON in a query is read before the schema
  if (isRefused && answer.status >= 400) return undefined;
  await fixture.testApp.drain();
  leaves({ status: answer.status, body: bodyOf(answer) }, 'answer', seen);
  for (const { path, body } of fixture.provider.requests.slice(before)) leaves({ path, body }, 'provider', seen);
  return seen;
}

const texts = (query: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );

const bodyOf = ({ body, raw }: Answer): unknown => body ?? raw;

/** Places and values; places of a list are one, and of several values all count. */
function leaves(value: unknown, place: string, into: Outcome): void {
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as object);
    into.set(`${place}#`, `${into.get(`${place}#`) ?? ''}|${entries.length}`);
    for (const [key, each] of entries) leaves(each, Array.isArray(value) ? place : `${place}.${key}`, into);
    return;
  }
  into.set(place, `${into.get(place) ?? ''}|${String(value)}`);
}

/** A place that two equal calls agree on has another value. */
const differs = (first: Outcome, second: Outcome, changed: Outcome): boolean =>
  [...new Set([...first.keys(), ...second.keys(), ...changed.keys()])].some(
    (place) => first.get(place) === second.get(place) && changed.get(place) !== first.get(place),
  );

/** The value itself occurs where it did not before. */
function occurs(first: Outcome, second: Outcome, changed: Outcome, value: unknown): boolean {
  const text = typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
  const holds = (outcome: Outcome): boolean => text.length > 2 && [...outcome.values()].some((each) => each.includes(text));
  return holds(changed) && !holds(first) && !holds(second);
}
