import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import type { Context, HttpFunction } from '../../shared/contract/context.ts';
import { problemBodies } from '../../shared/contract/envelope.ts';
import { type ProblemCode, type ProblemEntry, problems } from '../../shared/contract/problems.ts';
import { codeSamples } from './code-samples.ts';
import { errorTable, guides } from './guides.ts';
import { type LimitClass, limits, problemsOf, roles, type RouteSpec, scopes } from '../../shared/contract/route.ts';

/** The OpenAPI 3.1 document of every route that the contexts declare. The same contexts give the same bytes. */
export const generateOpenApi = (contexts: readonly Context[]): { path: string; content: string } => ({
  path: 'openapi.json',
  content: `${JSON.stringify(openApi(contexts), withoutAlternatives, 2)}\n`,
});

export const openApi = (contexts: readonly Context[]) =>
  createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Switchboard', version: '1.0', description: [introduction, guides(), errorTable()].join('\n\n') },
      servers: [{ url: '/' }],
      tags: contexts.filter((each) => routesOf(each).length > 0).map(({ name, purpose }) => ({ name, description: purpose })),
      paths: pathsOf(contexts),
      components: {
        schemas: { Problem: problemSchema },
        examples: Object.fromEntries(Object.entries(problems).map(([code, entry]) => [code, problemExample(code, entry)])),
        headers,
        parameters: { IdempotencyKey: idempotencyKey },
        securitySchemes,
      },
    },
    { override: ({ jsonSchema, io }) => loosen(jsonSchema, io) },
  );

/** Every route with its name; names are unique in the product. */
const routesOf = (context: Context): [string, RouteSpec][] =>
  context.functions.filter((each): each is HttpFunction => each.wokenBy === 'http').flatMap((each) => Object.entries(each.routes));

const introduction = `The contract of a multi-tenant WhatsApp business-messaging platform.

Every address that takes GET takes HEAD. Ids are whole numbers, unique in a company for their kind of record; a record of another
company is answered as if it did not exist. Times are UTC with microseconds. Every answer carries X-Request-Id; say it when you ask
for help. Lists page by \`page\` and \`limit\` (also \`per_page\`), or by \`cursor\` with \`meta.next_cursor\`: any depth at the same cost.
Every write takes an Idempotency-Key: repeat a request with the same key after a lost answer and it happens once.`;

const problemSchema = problemBodies.standard.meta({
  id: 'Problem',
  description: 'The body of every refusal. `code` says which; the examples say what to do.',
});

const headers = {
  'X-Request-Id': header('The id of this request: `req_` and a ULID.', 'string'),
  'X-Api-Version': header('The version of the contract.', 'string'),
  'X-RateLimit-Limit': header('Requests a minute that this limit allows.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this minute.', 'integer'),
  'X-RateLimit-Reset': header('When the minute ends, Unix seconds.', 'integer'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
  'Idempotent-Replayed': header('`true` when the answer was kept from the first request under this Idempotency-Key.', 'string'),
  Deprecation: header('Since when the form is deprecated (RFC 9745).', 'string'),
  Sunset: header('Not before when the form may go (RFC 8594).', 'string'),
  Link: header('The successor of a deprecated form.', 'string'),
};
type HeaderName = keyof typeof headers;

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeat a request with the same key and it happens once; kept for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: `A personal access token, \`swb_...\`. Scopes: ${scopes.join(', ')}. Roles, least first: ${roles.join(', ')}.`,
  },
  queryToken: { type: 'apiKey', in: 'query', name: 'token', description: 'The same token in the query; the header wins.' },
  erpToken: { type: 'http', scheme: 'bearer', description: 'An ERP token, `erp_...`.' },
  publicKey: { type: 'apiKey', in: 'header', name: 'X-Public-Key', description: 'The public key of a verification profile.' },
} as const;

const securityOf: Record<RouteSpec['caller']['kind'], Record<string, string[]>[]> = {
  token: [{ token: [] }, { queryToken: [] }],
  erp_token: [{ erpToken: [] }],
  webhook_token: [],
  public_key: [{ publicKey: [] }],
  nobody: [],
};

function pathsOf(contexts: readonly Context[]): ZodOpenApiPathsObject {
  const paths = new Map<string, Record<string, ZodOpenApiOperationObject>>();
  for (const each of contexts)
    for (const [name, route] of routesOf(each)) {
      const methods = paths.get(route.path) ?? {};
      methods[route.method.toLowerCase()] = operation(name, route, each.name);
      paths.set(route.path, methods);
    }
  const order = ['get', 'post', 'put', 'patch', 'delete'];
  return Object.fromEntries(
    [...paths]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))),
      ]),
  );
}

function operation(name: string, route: RouteSpec, tag: string): ZodOpenApiOperationObject {
  const { caller } = route;
  return {
    operationId: name,
    summary: route.summary,
    tags: [tag],
    ...(route.deprecated ? { deprecated: true, 'x-successor': route.deprecated.successor } : {}),
    ...(route.aliases?.length ? { 'x-aliases': route.aliases } : {}),
    ...(caller.kind === 'token' ? { 'x-scope': caller.scope, 'x-role': caller.role } : {}),
    'x-rate-limit': limitOf(route.limit),
    'x-codeSamples': codeSamples(name, route),
    security: securityOf[caller.kind],
    requestParams: {
      ...(route.params ? { path: objectOf(route.params) } : {}),
      ...(route.query ? { query: objectOf(route.query) } : {}),
    },
    ...(route.effect === 'write' ? { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] } : {}),
    ...(route.body ? { requestBody: { required: true, content: contentOf(route) } } : {}),
    responses: { ...answersOf(route), ...refusalsOf(route) },
  };
}

function limitOf(name: LimitClass): { class: string; per_minute: number; by: string } {
  return { class: name, per_minute: limits[name].perMinute, by: limits[name].by };
}

/** Parameters are listed field by field: the object before any transformation. */
function objectOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodPipe) return objectOf(schema.in as z.ZodType);
  throw new Error(`Parameters must be an object, not ${schema.type}.`);
}

function contentOf(route: RouteSpec): Record<string, { schema: z.ZodType }> {
  const schema = route.body ?? z.unknown();
  const types = { json: 'application/json', multipart: 'multipart/form-data', raw: 'application/json' };
  return Object.fromEntries((route.accepts ?? ['json']).map((kind) => [types[kind], { schema }]));
}

function answersOf(route: RouteSpec): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const shown = headersOf(route, [
    'X-Request-Id',
    'X-Api-Version',
    ...(route.effect === 'write' ? (['Idempotent-Replayed'] as const) : []),
  ]);
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, schema]) => [
      status,
      {
        description: status === '202' ? 'Accepted; the outcome is not known yet.' : 'Done.',
        headers: shown,
        ...(schema instanceof z.ZodUndefined
          ? {}
          : { content: { [schema instanceof z.ZodString ? 'text/plain' : 'application/json']: { schema } } }),
      },
    ]),
  );
}

/** Every refusal by its status, each code with what the caller does about it. */
function refusalsOf(route: RouteSpec): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const byStatus = Map.groupBy(problemsOf(route), (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('\n'),
          headers: headersOf(route, ['X-Request-Id', ...(status === 429 || status === 503 ? (['Retry-After'] as const) : [])]),
          content: {
            'application/json': {
              schema: problemSchema,
              examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
            },
          },
        },
      ]),
  );
}

function headersOf(route: RouteSpec, names: readonly HeaderName[]): Record<string, { $ref: string }> {
  const all: HeaderName[] = [
    ...names,
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    ...(route.deprecated ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  ];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function problemExample(code: string, entry: ProblemEntry): { summary: string; description: string; value: unknown } {
  return {
    summary: entry.title,
    description: entry.remedy,
    value: { status: 'error', message: entry.title, code: code as ProblemCode, request_id: 'req_01JD7Z3M5Q8V9X2B4C6D8F0G1H' },
  };
}

function header(description: string, type: 'string' | 'integer') {
  return { description, schema: { type } } as const;
}

/** What callers must not rely on is left out: that answers have no more fields than today (G20), and that whole numbers are safe ones. */
function loosen(schema: { additionalProperties?: unknown; minimum?: number; maximum?: number }, io: 'input' | 'output'): void {
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** A field shown in one way (`override` in contract/fields) is not also shown in all the ways in which it may be written. */
function withoutAlternatives(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('anyOf' in value) || !('type' in value)) return value;
  const { anyOf: _ways, ...shown } = value;
  return shown;
}
