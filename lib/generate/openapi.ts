import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import type { Context, HttpFunction } from '../../shared/contract/context.ts';
import { contentTypesOf, roles, type RouteSpec, scopes } from '../../shared/contract/route.ts';
import { compactJson } from './compact-json.ts';
import { describedOperation } from './description.ts';
import { feedSchemas } from './feed.ts';
import { errorTable, guides } from './guides.ts';
import { errorCodes, problemExamples, problemReferences, problemResponses } from './problem-responses.ts';
import { refusalTable } from './refusals.ts';
import { bodiesOf, sampleOf } from './sample.ts';
import { withPlainForms } from './schema-form.ts';
import { SchemaNames } from './schema-names.ts';
import { webhookHeaders, webhooksOf } from './webhooks.ts';

/** The OpenAPI 3.1 document of every route and outgoing event that the contexts declare. The same contexts give the same bytes. */
export const generateOpenApi = (contexts: readonly Context[]): { path: string; content: string } => ({
  path: 'openapi.json',
  content: compactJson(openApi(contexts)),
});

export const openApi = (contexts: readonly Context[]): Record<string, unknown> => {
  const routes = contexts.flatMap(routesOf).map(([, route]) => route);
  const names = new SchemaNames();
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Switchboard', version: '1.0', description: [introduction, guides(), errorTable()].join('\n\n') },
      servers,
      security: tokenSecurity,
      tags: contexts
        .filter((each) => routesOf(each).length > 0)
        .map((each) => [chapterOf(each), each.purpose] as const)
        .map(([name, description]) => ({ name, 'x-displayName': displayNames[name] ?? capitalized(name), description })),
      paths: pathsOf(contexts),
      webhooks: webhooksOf(contexts.flatMap(({ events }) => events ?? [])),
      components: {
        responses: problemResponses(routes),
        examples: problemExamples(routes),
        headers,
        parameters: { IdempotencyKey: idempotencyKey, ...webhookHeaders },
        securitySchemes,
      },
    },
    {
      override: ({ zodSchema, jsonSchema, io }) => {
        names.collect(zodSchema);
        loosen(jsonSchema, io);
      },
    },
  );
  const schemas = (document.components?.schemas ?? {}) as Record<string, Record<string, unknown>>;
  names.check(Object.keys(schemas));
  // where there is a feed
  if (schemas['Event'])
    Object.assign(
      schemas,
      feedSchemas(contexts, schemas['Event'], (schema) => loosen(schema, 'output')),
    );
  return withPlainForms(JSON.parse(JSON.stringify(document, withoutAlternatives)) as Record<string, unknown>);
};

const chapterOf = ({ name, chapter = name }: Context): string => chapter;

/** Every route with its name; names are unique in the product. */
const routesOf = (context: Context): [string, RouteSpec][] =>
  context.functions.filter((each): each is HttpFunction => each.trigger === 'http').flatMap((each) => Object.entries(each.routes));

const displayNames: Readonly<Record<string, string>> = {
  messaging: 'Messages',
  crm: 'CRM',
  reference: 'API reference',
};

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const introduction = `A multi-tenant WhatsApp business-messaging API.

**Base URL.** The URL of your deployment, or \`http://127.0.0.1:3000\` when you run it locally. **Ids** are whole numbers, unique in a
company for their kind of record. A record of another company is answered as if it did not exist. **Times** are UTC with microseconds.

**Pagination.** Lists take \`page\` and \`limit\` (or \`per_page\`), or \`cursor\` with the \`meta.next_cursor\` of the previous page. A
cursor costs the same at any depth.

**Idempotency.** Every write takes the header \`Idempotency-Key\`. Repeat a request with the same key after a lost response, and it
happens once; the repeated response carries \`Idempotent-Replayed: true\`.

**Headers of every response.** \`X-Request-Id\` (quote it to support), \`X-Api-Version\`, and \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\` of the limit that the request counted against. Deprecated operations add \`Deprecation\`,
\`Sunset\` and \`Link\` with their successor. Every endpoint that takes GET takes HEAD.

**Unknown fields.** A field of a body, or a parameter of a query, that an operation does not know is left out and named: in the header
\`X-Unknown-Fields\` and, beside \`status\` and \`message\`, in \`warnings\`. What sends refuses a misspelt one (422 \`unknown_field\`, with
the name that was meant): \`schedule_at\` would send at once. Campaigns, bulk-sync, imports and the settings of verification refuse every
unknown field, and so does every operation while the company setting \`strict_input\` is on.

**Optional fields.** JSON \`null\` in an optional field is as if the field were not given, unless its description says what null does
there (it clears a value). In a form an empty optional field is not given either.

**Refused bodies.** A body that fits the schema may be refused by a rule that no schema says. Each operation names, after **Refuses**, the
kinds of such rules that it has; the answer names the field and the reason.

${refusalTable()}

**Tokens in the address.** \`?token=\` keeps working, and is answered with a \`Deprecation\` header: logs and browsers keep addresses. Send
\`Authorization: Bearer\` in its place.`;

const servers = [
  { url: 'http://127.0.0.1:3000', description: 'Your computer, with `npm run dev`.' },
  // a description of the variable itself is refused by the schema of OpenAPI that orval 7 carries
  {
    url: '{baseUrl}',
    description: 'Your deployment: its address, without a slash at its end.',
    variables: { baseUrl: { default: 'https://switchboard.example' } },
  },
];

const headers = {
  'X-Request-Id': header('The id of this request: `req_` and a ULID.', 'string'),
  'X-RateLimit-Limit': header('Requests a minute that this limit allows.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this minute.', 'integer'),
  'X-RateLimit-Reset': header('When the minute ends, in Unix seconds.', 'integer'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeat a request with the same key and it happens once. The response is stored for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: `A personal access token, \`swb_...\`. Scopes: ${scopes.join(', ')}. Roles, least first: ${roles.join(', ')}.`,
  },
  queryToken: { type: 'apiKey', in: 'query', name: 'token', description: 'The same token in the query. The header wins.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-swb_session',
    description:
      'A session that POST /api/v1/sessions started, from pages of the same origin; writes with `X-Session-Request: 1`. With `X-Session: <company id>:<user id>` a page names the company and user that it shows: where the cookie is of others by now, the answer is 409 `other_session`.',
  },
  erpToken: { type: 'http', scheme: 'bearer', description: 'An ERP token, `erp_...`.' },
  publicKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Public-Key',
    description: 'The public key of a verification profile, `pk_...`. Safe in an app or a web page.',
  },
  secretKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Secret-Key',
    description: 'The secret key of a verification profile, `sk_...`. For your server only; it makes the caller a trusted one.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'Base64 of the HMAC-SHA256 of `<X-Timestamp>.<METHOD>.<path>.<raw body>` under the secret key.',
  },
  signatureTimestamp: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Timestamp',
    description: 'Unix seconds, at most 300 seconds off. Part of what `X-Signature` signs.',
  },
} as const;
type Credential = keyof typeof securitySchemes;

/** What most operations take, stated once for all. */
const tokenSecurity: Partial<Record<Credential, string[]>>[] = [{ token: [] }, { queryToken: [] }, { session: [] }];

/** OpenAPI has no scheme for a credential in the path: those operations need nothing beside their path parameter, which is the token. */
function securityOf({ caller, path }: RouteSpec): Partial<Record<Credential, string[]>>[] {
  switch (caller.kind) {
    case 'token':
      return tokenSecurity;
    case 'erp_token':
      return path.includes('{erp_token}') ? [] : [{ erpToken: [] }];
    case 'public_key':
      return [
        { publicKey: [] },
        { secretKey: [] },
        { publicKey: [], signature: [], signatureTimestamp: [] },
        { token: [] },
        { session: [] },
      ];
    case 'webhook_token':
    case 'public':
      return [];
  }
}

/** Paths in the order of their declaration, so that a context decides what comes first in its chapter. */
function pathsOf(contexts: readonly Context[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const each of contexts)
    for (const [name, route] of routesOf(each))
      (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(name, route, chapterOf(each));
  return paths;
}

function operation(name: string, route: RouteSpec, tag: string): ZodOpenApiOperationObject {
  const { caller } = route;
  return {
    operationId: name,
    summary: route.summary,
    description: describedOperation(route),
    tags: [tag],
    ...(route.deprecated ? { deprecated: true, 'x-successor': route.deprecated.successor } : {}),
    ...(route.aliases?.length ? { 'x-aliases': route.aliases } : {}),
    ...('scope' in caller ? { 'x-scope': caller.scope, 'x-role': caller.role } : {}),
    ...(caller.kind === 'token' ? {} : { security: securityOf(route) }),
    requestParams: {
      ...(route.params ? { path: objectOf(route.params) } : {}),
      ...(route.query ? { query: objectOf(route.query) } : {}),
    },
    ...(route.effect === 'write' && caller.kind !== 'public' ? { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] } : {}),
    ...requestBody(name, route),
    responses: { ...answersOf(name, route), ...problemReferences(route) },
    'x-error-codes': errorCodes(route),
  };
}

/** Parameters are listed field by field: the object before any transformation. */
function objectOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodPipe) return objectOf(schema.in as z.ZodType);
  throw new Error(`Parameters must be an object, not ${schema.type}.`);
}

function requestBody(name: string, route: RouteSpec): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { documents, accepts = ['json'] } = route;
  const schema = documents?.schema ?? route.body;
  if (!schema) return {};
  if (z.globalRegistry.get(schema)?.id === undefined) throw new Error(`The body of ${name} has no name: give it one with meta({ id }).`);
  if (documents)
    return {
      requestBody: {
        required: true,
        content: { [documents.contentType ?? 'application/json']: { schema, examples: { ...documents.examples } } },
      },
    };
  const types = { json: 'application/json', multipart: 'multipart/form-data', raw: 'application/json' };
  const { body: example } = sampleOf(name, route);
  const kinds = Object.entries(bodiesOf(name, route) ?? {}).map(([kind, value]) => [kind, { value }]);
  const shown = kinds.length > 0 ? { examples: Object.fromEntries(kinds) } : example === undefined ? {} : { example };
  return {
    requestBody: {
      required: true,
      content: Object.fromEntries(accepts.map((kind) => [types[kind], { schema, ...(kind === 'json' ? shown : {}) }])),
    },
  };
}

const answerTexts: Readonly<Record<number, string>> = {
  200: 'The request succeeded.',
  202: 'Accepted. The outcome is not known yet.',
  204: 'The request succeeded. There is no body.',
  302: 'A redirect.',
  410: 'The link is invalid or has expired.',
};

function answersOf(name: string, route: RouteSpec): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, schema]) => [
      status,
      {
        description: answerTexts[Number(status)] ?? 'The request succeeded.',
        ...(schema instanceof z.ZodUndefined
          ? {}
          : {
              content: Object.fromEntries(
                contentTypesOf(route).map((type) => [
                  type.split(';')[0] ?? type,
                  type === 'application/json'
                    ? {
                        // a file of JSON is sent as the text that it is, and read as what the text says
                        schema: schema instanceof z.ZodString ? z.looseObject({}) : schema,
                        ...exampleAnswer(name, Number(status)),
                      }
                    : { schema },
                ]),
              ),
            }),
      },
    ]),
  );
}

/** An answer that the product gave (test/support/example-answers.ts). */
const exampleAnswer = (name: string, status: number): { example?: unknown } => {
  const recorded = exampleAnswers[name];
  return recorded?.status === status ? { example: recorded.body } : {};
};

const exampleAnswers = z
  .record(z.string(), z.object({ status: z.int(), body: z.unknown() }))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'example-answers.json'), 'utf8')));

function header(description: string, type: 'string' | 'integer') {
  return { description, schema: { type } } as const;
}

interface Loosened {
  format?: string;
  example?: unknown;
  pattern?: string;
  required?: string[];
  properties?: unknown;
  propertyNames?: unknown;
  additionalProperties?: unknown;
  minLength?: number;
  minimum?: number;
  maximum?: number;
}

/**
 * Leaves out what callers must not rely on: that responses have no further fields, that their texts are not empty, and that whole numbers are
 * safe ones. And the pattern of what has a format, which repeats it; nor an example of a time, whose form the introduction gives.
 */
function loosen(schema: Loosened, io: 'input' | 'output'): void {
  // a record of known keys: as the object that it is
  if (schema.required && !schema.properties && schema.propertyNames && schema.additionalProperties) {
    const value = schema.additionalProperties;
    schema.properties = Object.fromEntries(
      schema.required.map((name) => [name, { ...(value as object), description: `For the ${name}.` }]),
    );
    delete schema.propertyNames;
    delete schema.additionalProperties;
  }
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern;
  if (schema.format === 'date-time') delete schema.example;
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (io === 'output' && schema.minLength === 1) delete schema.minLength;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** A field shown in one way (`override` in contract/fields) is not also shown in all the ways in which it may be written. */
function withoutAlternatives(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('anyOf' in value) || !('type' in value)) return value;
  const { anyOf: _ways, ...shown } = value;
  return shown;
}
