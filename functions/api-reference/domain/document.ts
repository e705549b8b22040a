/** What the pages read of openapi.json. */
export interface ApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  tags: readonly { name: string; 'x-displayName'?: string; description?: string }[];
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses: Readonly<Record<string, Answer>>;
    parameters: Readonly<Record<string, Parameter>>;
  };
}

export interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: { content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, Answer | Reference>>;
  'x-error-codes'?: Readonly<Record<string, readonly string[]>>;
}

export interface Reference {
  $ref: string;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Answer {
  description: string;
  content?: Readonly<Record<string, Content>>;
}

export interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value?: unknown }>>;
}

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** An operation with its place. */
export interface PlacedOperation extends ApiOperation {
  method: string;
  path: string;
}

export const operationsOf = ({ paths }: ApiDocument): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

type Kind = keyof ApiDocument['components'];

/** What a reference leads to; anything else as it is. */
export const followed = <T extends object>(document: ApiDocument, kind: Kind, given: T | Reference): T =>
  '$ref' in given && typeof given.$ref === 'string'
    ? ((document.components[kind] as Readonly<Record<string, unknown>>)[given.$ref.split('/').at(-1) ?? ''] as T)
    : (given as T);
