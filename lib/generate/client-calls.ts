import { type ClientOperation, formType, type JsonSchema } from './client-document.ts';

/** An operation as a method of the Python and PHP clients: what it takes and answers, without the words of HTTP. */
export interface ClientCall {
  operationId: string;
  /** Its name within the resource. */
  name: string;
  summary: string;
  method: string;
  path: string;
  credential: string | undefined;
  /** In the order of the path. */
  params: readonly Parameter[];
  query: readonly Parameter[];
  takesKey: boolean;
  body: { schema: JsonSchema; takesFiles: boolean } | undefined;
  /** A schema for each form of the answer; none: the answer is empty. */
  answers: readonly JsonSchema[];
}

type Parameter = ClientOperation['parameters'][number];

/** What is deprecated is left out: these clients have no callers from before. */
export const clientCalls = (operations: readonly ClientOperation[]): ClientCall[] =>
  operations
    .filter(({ deprecated }) => !deprecated)
    .map((operation) => {
      const { operationId, name, summary, method, path, parameters, security = [{ token: [] }], requestBody } = operation;
      const pathNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each);
      const schema = requestBody?.content['application/json']?.schema;
      return {
        operationId,
        name,
        summary,
        method,
        path,
        credential: Object.keys(security[0] ?? {})[0],
        params: pathNames.flatMap((each) => parameters.filter((parameter) => parameter.in === 'path' && parameter.name === each)),
        query: parameters.filter((parameter) => parameter.in === 'query' && !isDeprecated(parameter.schema)),
        takesKey: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
        body: schema && { schema, takesFiles: formType in (requestBody?.content ?? {}) },
        answers: answersOf(operation),
      };
    });

const isDeprecated = ({ deprecated }: JsonSchema): boolean => deprecated === true;

function answersOf({ responses }: ClientOperation): JsonSchema[] {
  const schemas = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema));
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** `listNotes` as `list_notes`, `sendText` as `SendText`. */
export const snakeCase = (name: string): string => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** The description of a schema on one line. */
export const descriptionOf = ({ description = '', deprecated }: JsonSchema): string =>
  [deprecated ? 'Deprecated.' : '', description.replaceAll(/\s+/g, ' ')].filter(Boolean).join(' ');
