import { operationsById } from '../../../client/client.ts';

/** One operation of openapi.json, as far as it is shown. */
export interface Described {
  name: string;
  method: string;
  path: string;
  area: string;
  summary: string;
  /** Paragraphs without marks. */
  description: string[];
  parameters: { name: string; in: string; required: boolean; description: string }[];
  /** An example of the body; undefined: it takes none. */
  body: unknown;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: { description?: string };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }> };
  responses: Record<string, unknown>;
  'x-error-codes'?: Record<string, string[]>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The document that this deployment serves. It is of the same commit as these pages. */
export const readReference = async (signal: AbortSignal): Promise<Described[]> => {
  const answer = await fetch('/docs/openapi.json', { signal });
  if (!answer.ok) throw new TypeError(`Failed to fetch the reference: HTTP ${answer.status}`);
  return described((await answer.json()) as Document);
};

export const described = ({ paths, components }: Document): Described[] =>
  Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ method, ...operation }))
      .map(({ method, operationId, summary = operationId, description = '', tags = [], parameters = [], ...operation }) => ({
        name: operationId,
        method: method.toUpperCase(),
        path,
        area: tags.join(' '),
        summary,
        description: [
          ...description
            .replaceAll('**', '')
            .replaceAll('`', '')
            .split(/\n\n| {2}\n/),
          errorsOf(operation),
        ]
          .map((each) => each.trim())
          .filter((each) => each !== ''),
        parameters: parameters.flatMap((each) => {
          const parameter = '$ref' in each ? components.parameters[each.$ref.split('/').at(-1) ?? ''] : each;
          return parameter
            ? [
                {
                  name: parameter.name,
                  in: parameter.in,
                  required: parameter.required === true,
                  description: parameter.description ?? parameter.schema?.description ?? '',
                },
              ]
            : [];
        }),
        body: exampleOf(operation.requestBody),
      })),
  );

/** The codes of the statuses that the operation names; the others can come from any operation. */
const errorsOf = ({ responses, 'x-error-codes': codes = {} }: Pick<Operation, 'responses' | 'x-error-codes'>): string => {
  const named = Object.entries(codes).filter(([status]) => status in responses);
  return named.length === 0 ? '' : `Errors: ${named.map(([status, ofStatus]) => `${status} ${ofStatus.join(', ')}`).join('; ')}`;
};

const exampleOf = (requestBody: Operation['requestBody']): unknown => {
  const [first] = Object.values(requestBody?.content ?? {});
  return first?.example ?? Object.values(first?.examples ?? {})[0]?.value;
};

/** The operation as a call, with its own example. The token is the caller's own. */
export const codeOf = ({ name, method, path, parameters, body }: Described): { curl: string; typescript: string } => {
  const inPath = parameters.filter((each) => each.in === 'path').map((each) => each.name);
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, each: string) => `$${each.toUpperCase()}`);
  return {
    curl: [
      `curl ${method === 'GET' ? '' : `-X ${method} `}"${location.origin}${filled}" \\`,
      `  -H "Authorization: Bearer $TOKEN"${body === undefined ? '' : ' \\'}`,
      ...(body === undefined
        ? []
        : [`  -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
    ].join('\n'),
    typescript: [
      `import { switchboard } from 'switchboard-client';`,
      ``,
      `const api = switchboard({ baseUrl: '${location.origin}', token: process.env.TOKEN });`,
      `const { data } = await api.${inClient[name]?.name ?? name}(${argumentsOf(inPath, body)});`,
    ].join('\n'),
  };
};

/** What is given for a call: parameters of its path and query by name, and its body as JSON. */
export interface Given {
  values: Readonly<Record<string, string>>;
  body: string;
}

/** The operation as a request, or what is missing for it: parameters by name, or a body that is no JSON. A write has a key of its own. */
export const requestOf = (
  { method, path, parameters, body }: Pick<Described, 'method' | 'path' | 'parameters' | 'body'>,
  given: Given,
): { path: string; init: RequestInit } | { missing: readonly string[]; isBodyWrong: boolean } => {
  const valueOf = (name: string): string => given.values[name]?.trim() ?? '';
  const missing = parameters
    .filter((each) => (each.in === 'path' || (each.in === 'query' && each.required)) && valueOf(each.name) === '')
    .map(({ name }) => name);
  const isBodyWrong = body !== undefined && !isJson(given.body);
  if (missing.length > 0 || isBodyWrong) return { missing, isBodyWrong };
  const query = new URLSearchParams(
    parameters.filter((each) => each.in === 'query' && valueOf(each.name) !== '').map(({ name }) => [name, valueOf(name)]),
  ).toString();
  return {
    path: `${path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)))}${query === '' ? '' : `?${query}`}`,
    init: {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body === undefined ? {} : { body: given.body }),
    },
  };
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const inClient: Readonly<Partial<Record<string, { name: string }>>> = operationsById;

const argumentsOf = (inPath: readonly string[], body: unknown): string => {
  const params = inPath.length === 0 ? [] : [`  params: { ${inPath.join(', ')} },`];
  const given = body === undefined ? [] : [`  body: ${JSON.stringify(body, undefined, 2).replaceAll('\n', '\n  ')},`];
  return params.length + given.length === 0 ? '' : ['{', ...params, ...given, '}'].join('\n');
};
