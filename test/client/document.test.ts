import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { app } from '../../functions/app.ts';
import type { HttpFunction } from '../../shared/contract/context.ts';
import { type ProblemCode, problems } from '../../shared/contract/problems.ts';
import { problemsOf } from '../../shared/contract/route.ts';
import { refusalByDocument } from '../support/document-schemas.ts';

/** The published document, as committed: what a reader, a code generator and a reviewer may count on. */
type Json = Record<string, unknown>;
const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
const document = JSON.parse(text) as {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Json>; responses: Record<string, unknown>; parameters: Record<string, Json> };
};
interface Operation extends Json {
  operationId: string;
  summary: string;
  description: string;
  parameters?: Json[];
  requestBody?: { content: Record<string, { schema: Json; example?: unknown; examples?: unknown }> };
  responses: Record<string, Json>;
  'x-error-codes'?: Record<string, ProblemCode[]>;
}
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const { schemas } = document.components;

/** Every property of a schema at any depth, with its place. */
function* propertiesIn(value: unknown, place: string): Generator<[place: string, property: Json]> {
  if (typeof value !== 'object' || value === null) return;
  const { properties } = value as { properties?: Record<string, Json> };
  if (typeof properties === 'object' && properties !== null)
    for (const [name, property] of Object.entries(properties)) yield [`${place}.${name}`, property];
  for (const [key, each] of Object.entries(value)) yield* propertiesIn(each, key === 'properties' ? place : `${place}.${key}`);
}

const isDescribed = (property: Json): boolean => {
  if (typeof property['description'] === 'string' && property['description'] !== '') return true;
  const ref = property['$ref'];
  return typeof ref === 'string' && typeof schemas[ref.slice(ref.lastIndexOf('/') + 1)]?.['description'] === 'string';
};

/** A status stands by itself, or in the range of its kind. */
const responseOf = (status: string, responses: Json = {}): string => (status in responses ? status : `${status[0] ?? ''}XX`);

describe('openapi.json', () => {
  it('has at most 6,000 bytes an operation and 250,000 in all as it is sent, in lines that a diff can show', () => {
    // docs/decisions/openapi-document.md: what repeats itself shows in the first, what a reader waits for in the second
    expect(Buffer.byteLength(text) / operations.length).toBeLessThanOrEqual(6_000);
    expect(gzipSync(JSON.stringify(document)).byteLength).toBeLessThanOrEqual(250_000);
    // a longer line is one text, which JSON cannot break
    const long = text.split('\n').filter((line) => line.length > 201 && !/^ *("[^"]+": )?"/.test(line));
    expect(long).toEqual([]);
  });

  it('repeats neither a format as a pattern nor the description of a parameter in its schema', () => {
    expect(JSON.stringify(document)).not.toMatch(/"format":"(date-time|uuid)","pattern"|"pattern":"[^"]*","format":"(date-time|uuid)"/);
    const parameters = [...operations.flatMap((each) => each.parameters ?? []), ...Object.values(document.components.parameters)];
    const twice = parameters.filter(
      ({ description, schema }) => description !== undefined && (schema as Json)['description'] === description,
    );
    expect(twice).toEqual([]);
  });

  it('describes every property of every named schema, request bodies among them', () => {
    const bare = Object.entries(schemas).flatMap(([name, schema]) =>
      [...propertiesIn(schema, name)].flatMap(([place, property]) => (isDescribed(property) ? [] : [place])),
    );
    expect(bare).toEqual([]);
  });

  it('describes every operation beyond its access and limit, which every description names', () => {
    expect(operations.filter(({ description }) => description.startsWith('**')).map(({ operationId }) => operationId)).toEqual([]);
    expect(operations.filter(({ description }) => !description.includes('**Access:**')).map(({ operationId }) => operationId)).toEqual([]);
  });

  it('gives an example for every JSON request body', () => {
    const without = operations.filter(({ requestBody }) => {
      const json = requestBody?.content['application/json'];
      return json !== undefined && json.example === undefined && json.examples === undefined;
    });
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('gives an example for every JSON answer, and a strict reader accepts each', () => {
    // of an operation that has two, the one that the demo gave
    const hasOne = ({ responses }: Operation): boolean =>
      Object.values(responses).some((each) => JSON.stringify(each).includes('"example"'));
    const wrong = operations.flatMap((operation) => {
      const { operationId, responses } = operation;
      return Object.entries(responses).flatMap(([status, response]) => {
        const json = (response['content'] as Record<string, { example?: unknown }> | undefined)?.['application/json'];
        if (!json || operationId === 'showReferenceFile') return [];
        if (json.example === undefined) return hasOne(operation) ? [] : [`${operationId} ${status} has none`];
        const refusal = refusalByDocument(operationId, Number(status), json.example);
        return refusal === undefined ? [] : [`${operationId} ${status}: ${refusal}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('has only what every generator reads: no schema beside a reference, no pattern of a number, no range of statuses, ids of 64 bits', () => {
    const found: string[] = [];
    for (const [place, each] of schemasIn(document, '')) {
      const types = [each['type']].flat();
      if ('$ref' in each && 'additionalProperties' in each) found.push(`${place}: a reference that takes no field`);
      if (types.includes('integer') && 'pattern' in each) found.push(`${place}: a pattern of a whole number`);
      if (place.endsWith('id') && types.includes('integer') && each['format'] !== 'int64' && !(Number(each['maximum']) < 2 ** 31))
        found.push(`${place}: an id of 32 bits`);
      if (/\\p\{/i.test(String(each['pattern']))) found.push(`${place}: a pattern that Python does not read`);
    }
    for (const { operationId, responses, requestBody } of operations) {
      if (Object.keys(responses).some((status) => !/^\d{3}$/.test(status))) found.push(`${operationId}: a range of statuses`);
      const named = requestBody?.content['application/json']?.schema['$ref'];
      if (typeof named === 'string' && JSON.stringify(schemas[named.split('/').at(-1) ?? '']).includes('"binary"'))
        found.push(`${operationId}: a file in JSON`);
    }
    expect(found).toEqual([]);
  });

  it('leaves code samples to the reference page, which has curl for every operation', () => {
    const file = join(import.meta.dirname, '../../functions/api-reference/files/code-samples.generated.json');
    const samples = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { label: string; source: string }[]>;
    expect(Object.keys(samples).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
    for (const [name, [first]] of Object.entries(samples))
      expect(first, name).toMatchObject({ label: 'curl', source: expect.stringMatching(/^curl -s /) });
    expect(text).not.toContain('x-codeSamples');
  });

  it('names request bodies, refers to shared error responses, and lists the codes of each operation by status as data', () => {
    for (const { operationId, requestBody, responses } of operations) {
      for (const { schema } of Object.values(requestBody?.content ?? {})) expect(schema['$ref'], operationId).toBeDefined();
      for (const [status, response] of Object.entries(responses))
        if (/^[45]/.test(status) && status !== '410') expect(response, `${operationId} ${status}`).toHaveProperty('$ref');
    }
    const declared = app
      .flatMap(({ functions }) => functions.filter((each): each is HttpFunction => each.trigger === 'http'))
      .flatMap(({ routes }) => Object.entries(routes));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(declared.map(([name]) => name).toSorted());
    for (const [name, route] of declared) {
      const operation = operations.find(({ operationId }) => operationId === name);
      const codes = Object.entries(operation?.['x-error-codes'] ?? {});
      expect(codes.flatMap(([, ofStatus]) => ofStatus).toSorted(), name).toEqual(problemsOf(route).toSorted());
      for (const [status, ofStatus] of codes) {
        for (const code of ofStatus) expect(String(problems[code].status), `${name} ${code}`).toBe(status);
        expect(Object.keys(operation?.responses ?? {}), name).toContain(responseOf(status, operation?.responses));
      }
      expect(operation?.description).not.toContain('**Errors:**');
    }
  });

  it('publishes every event that the contexts declare', () => {
    const events = app.flatMap(({ events }) => events ?? []).map(({ name }) => name);
    expect(events.length).toBeGreaterThanOrEqual(16);
    expect(Object.keys(document.webhooks).toSorted()).toEqual(events.toSorted());
  });

  test.each(['Contact', 'Message', 'Campaign', 'Lead', 'Task', 'Order', 'Product', 'Template', 'Conversation', 'Group', 'WebhookEndpoint'])(
    'has the schema %s, once',
    (name) => {
      expect(schemas[name]).toBeDefined();
      const keys = Object.keys((schemas[name] as { properties: Json }).properties).join();
      const again = [...inlineObjects(operations)].filter((each) => Object.keys(each).join() === keys);
      expect(again).toEqual([]);
    },
  );
});

/** Every object of the document that could be a schema, with its place. */
function* schemasIn(value: unknown, place: string): Generator<[place: string, schema: Json]> {
  if (typeof value !== 'object' || value === null) return;
  yield [place, value as Json];
  for (const [key, each] of Object.entries(value)) if (key !== 'example' && key !== 'examples') yield* schemasIn(each, `${place}/${key}`);
}

/** The properties of every object schema that stands in place of a reference. */
function* inlineObjects(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  const { properties } = value as { properties?: Json };
  if (typeof properties === 'object' && properties !== null) yield properties;
  for (const each of Object.values(value)) yield* inlineObjects(each);
}

test('lastmessagetime is described by what it lists: what is newer', () => {
  const described = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter(({ name }) => name === 'lastmessagetime').map(({ description }) => [operationId, String(description)]),
  );
  expect(described.map(([operation]) => operation)).toEqual(expect.arrayContaining(['listConversations', 'listConversationMessages']));
  for (const [, description] of described) expect(description).toMatch(/\bnewer\b/);
});

test('the limit of verification says what its 30 a minute are counted by', () => {
  const limitOf = (name: string): string => {
    const description = operations.find(({ operationId }) => operationId === name)?.description ?? '';
    return /\*\*Limit:\*\* (.*)/.exec(description)?.[1] ?? '';
  };
  const others = '; in all 6,000 a minute per key or token, and 300 a minute per IP address';
  expect(limitOf('getVerificationConfig')).toBe(`30 a minute per key and IP address${others}`);
  expect(limitOf('requestVerification')).toMatch(/^30 a minute per key and address of the end user \(.*identifier\); in all /);
  for (const name of ['verifyCode', 'getVerificationStatus', 'resendCode'])
    expect(limitOf(name)).toBe(`30 a minute per key and \`request_id\` (of an id that is not known: per key and IP address)${others}`);
});
