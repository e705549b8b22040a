import * as z from 'zod';
import type { Context } from '../../shared/contract/context.ts';
import { clientNameOf } from './client-names.ts';
import { openApi } from './openapi.ts';

/** What the clients of all languages are made from: the named schemas and the operations of the OpenAPI document, with their names. */
export interface ClientDocument {
  schemas: Readonly<Record<string, JsonSchema>>;
  /** By the order of their operationIds. */
  operations: readonly ClientOperation[];
  /** The schemas of outgoing events. */
  events: readonly string[];
}

/** Reads the OpenAPI document of the contexts. */
export const clientDocument = (contexts: readonly Context[]): ClientDocument => {
  const parsed = document.parse(openApi(contexts));
  const operations = operationsOf(parsed);
  const forms = formsOf(operations);
  const schemas = Object.fromEntries(Object.entries(parsed.components.schemas).filter(([name]) => !forms.has(name)));
  const events = Object.values(parsed.webhooks).map(({ post }) => nameIn(post.requestBody.content['application/json'].schema.$ref));
  return { schemas, operations, events };
};

const jsonSchema = z.looseObject({
  $ref: z.string().optional(),
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  get anyOf() {
    return z.array(jsonSchema).optional();
  },
  get oneOf() {
    return z.array(jsonSchema).optional();
  },
  get allOf() {
    return z.array(jsonSchema).optional();
  },
  get items() {
    return jsonSchema.optional();
  },
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return z.union([z.boolean(), jsonSchema]).optional();
  },
});
export type JsonSchema = z.output<typeof jsonSchema>;

const content = z.record(z.string(), z.object({ schema: jsonSchema }));
const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: jsonSchema,
});
type Parameter = z.output<typeof parameter>;
const reference = z.object({ $ref: z.string() });
const response = z.object({ content: content.optional() });
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  deprecated: z.boolean().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(z.union([reference, parameter])).default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.union([reference, response])),
});
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    schemas: z.record(z.string(), jsonSchema),
    parameters: z.record(z.string(), parameter),
    responses: z.record(z.string(), response),
  }),
  webhooks: z.record(
    z.string(),
    z.object({ post: z.object({ requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: reference }) }) }) }) }),
  ),
});
type Document = z.output<typeof document>;

type Response = z.output<typeof response>;

/** An operation with its name in the clients, and with its parameters and answers in place of references to them. */
export interface ClientOperation extends Omit<z.output<typeof operation>, 'parameters' | 'responses'> {
  resource: string;
  /** Its name within the resource. */
  name: string;
  method: string;
  path: string;
  parameters: Parameter[];
  responses: Record<string, Response>;
}

const operationsOf = ({ paths, components }: Document): ClientOperation[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, each]) => ({ ...each, method: method.toUpperCase(), path })))
    // URLs with a token in them are for providers and stores to call
    .filter(({ path }) => !path.includes('_token}'))
    .map((each) => ({
      ...each,
      ...named(each),
      parameters: each.parameters.map((given) => resolved(components.parameters, given)),
      responses: Object.fromEntries(
        Object.entries(each.responses).map(([status, given]) => [status, resolved(components.responses, given)]),
      ),
    }))
    .toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1));

/** The bodies that are forms: a caller of the client makes a FormData. */
const formsOf = (operations: readonly ClientOperation[]): ReadonlySet<string> =>
  new Set(
    operations.flatMap(({ requestBody }) => {
      const form = requestBody?.content[formType]?.schema.$ref;
      return form === undefined ? [] : [nameIn(form)];
    }),
  );

/** The content type of a body with files. */
export const formType = 'multipart/form-data';

const named = ({ operationId, path }: { operationId: string; path: string }): { resource: string; name: string } => {
  const [resource, name] = clientNameOf(operationId, path);
  return { resource, name };
};

/** The operations of each resource. Stops where two have one name, or a resource is named as what the client has besides. */
export function byResource(operations: readonly ClientOperation[]): [resource: string, own: ClientOperation[]][] {
  const taken = new Set(['call', ...operations.map(({ operationId }) => operationId)]);
  return [...Map.groupBy(operations, ({ resource }) => resource)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, own]) => {
      const twice = own.find(({ name }, at) => name === '' || own.findIndex((each) => each.name === name) !== at);
      if (twice ?? taken.has(resource))
        throw new Error(`${resource}.${twice?.name ?? ''} is no name for the client: give another one in lib/generate/client-names.ts.`);
      return [resource, own];
    });
}

function resolved<Part extends object>(parts: Readonly<Record<string, Part>>, given: z.output<typeof reference> | Part): Part {
  if (!('$ref' in given)) return given;
  const found = parts[nameIn(given.$ref)];
  if (!found) throw new Error(`There is nothing at ${given.$ref}.`);
  return found;
}

/** What a reference names: the end of its path. */
export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** The names of all schemas that these have within them. */
export function namesWithin(roots: readonly unknown[], schemas: Readonly<Record<string, JsonSchema>>): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    const name = typeof $ref === 'string' ? nameIn($ref) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      walk(schemas[name]);
    }
    for (const each of Object.values(value)) walk(each);
  };
  for (const root of roots) walk(root);
  return found;
}
