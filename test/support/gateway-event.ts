import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Context, HttpFunction } from '../../shared/contract/context.ts';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { pathPattern } from '../../shared/http/match.ts';

export interface Call {
  method: string;
  /** With or without a query of its own. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;
  headers?: Readonly<Record<string, string>>;
  /** A text or bytes go as they are; anything else as JSON. */
  body?: unknown;
  /** Sent as a bearer. */
  token?: string;
  sourceIp?: string;
}

/** What a browser sends with a request of the product's own page. */
export const ofOwnPage = { origin: 'https://api.example.test', 'sec-fetch-site': 'same-origin', 'x-session-request': '1' } as const;

/** The call as a page makes it that is signed in with this session, in place of a token. */
export const withSession = (call: Call, secret: string): Call => {
  const { token: _token, ...rest } = call;
  return { ...rest, headers: { ...call.headers, ...ofOwnPage, cookie: `__Host-swb_session=${secret}` } };
};

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** The JSON body; undefined when the body is empty or no JSON. */
  body: unknown;
  raw: string;
}

export interface Target {
  spec: HttpFunction;
  route: RouteSpec | undefined;
  event: APIGatewayProxyEventV2;
}

/** What API Gateway (or a function's own URL, for routes via 'url') would invoke for a call. */
export const gatewayEvent = (contexts: readonly Context[], call: Call, requestId: string, at: number): Target => {
  const [rawPath = '/', ownQuery = ''] = call.path.split('?', 2);
  const method = call.method.toUpperCase();
  const match = bestMatch(contexts, rawPath);
  const spec = match?.spec ?? fallbackOf(httpFunctions(contexts));
  if (!spec) throw new Error('No context declares an HTTP function.');
  const query = queryOf(ownQuery, call.query);
  const route = match?.routes.find((each) => each.method === (method === 'HEAD' ? 'GET' : method));
  const viaUrl = match?.routes[0]?.via === 'url';
  const body = bodyOf(call);
  const headers = Object.entries(call.headers ?? {}).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  // the gateway hands cookies over beside the headers
  const cookie = headers.find(([name]) => name === 'cookie');
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey: match && !viaUrl ? `ANY ${match.path}` : '$default',
    rawPath,
    rawQueryString: query.toString(),
    ...(cookie === undefined ? {} : { cookies: cookie[1].split(';').map((each) => each.trim()) }),
    headers: {
      host: 'api.example.test',
      'user-agent': 'test',
      ...(body.isText ? {} : { 'content-length': String(body.bytes) }),
      ...(typeof call.body === 'object' && call.body !== null && !Buffer.isBuffer(call.body) ? { 'content-type': 'application/json' } : {}),
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...Object.fromEntries(headers.filter(([name]) => name !== 'cookie')),
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'test',
      domainName: 'api.example.test',
      domainPrefix: 'api',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: call.sourceIp ?? '203.0.113.7', userAgent: 'test' },
      requestId,
      routeKey: match && !viaUrl ? `ANY ${match.path}` : '$default',
      stage: '$default',
      time: new Date(at).toUTCString(),
      timeEpoch: at,
    },
    isBase64Encoded: body.isBase64,
    ...(body.text === undefined ? {} : { body: body.text }),
    ...([...query.keys()].length > 0 ? { queryStringParameters: joined(query) } : {}),
    ...(match && !viaUrl && Object.keys(match.params).length > 0 ? { pathParameters: match.params } : {}),
  };
  return { spec, route, event };
};

/** An answer as the caller gets it from the gateway. */
export const answerOf = (result: APIGatewayProxyStructuredResultV2): Answer => {
  const sent = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  const raw = (result.headers?.['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
  const headers = Object.fromEntries(Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
  if (result.cookies) headers['set-cookie'] = result.cookies.join('\n');
  return { status: result.statusCode ?? 200, headers, raw, body: jsonOf(raw) };
};

/** A route's address with its parameters filled in. */
export const filledPath = (path: string, params: Readonly<Record<string, string | number>>): string =>
  path.replace(/\{([a-z_]+)\+?\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs a value for ${whole}.`);
    return encodeURIComponent(value);
  });

interface Match {
  spec: HttpFunction;
  /** Those of the path, one for each method. */
  routes: RouteSpec[];
  path: string;
  params: Record<string, string>;
}

interface Served {
  spec: HttpFunction;
  routes: RouteSpec[];
  path: string;
  pattern: RegExp;
}

/** By the contexts, which are the same for every call of a test app. */
const servedBy = new WeakMap<readonly Context[], Served[]>();

function servedPaths(contexts: readonly Context[]): Served[] {
  const known = servedBy.get(contexts);
  if (known) return known;
  const all = httpFunctions(contexts).flatMap((spec) => {
    const served = Object.values(spec.routes).flatMap((route) => [route.path, ...(route.aliases ?? [])].map((path) => ({ path, route })));
    return [...Map.groupBy(served, ({ path }) => path)].map(
      ([path, routes]): Served => ({ spec, routes: routes.map(({ route }) => route), path, pattern: pathPattern(path) }),
    );
  });
  servedBy.set(contexts, all);
  return all;
}

/** The gateway takes the most specific path, whatever the method: the one with the fewest parameters. */
function bestMatch(contexts: readonly Context[], rawPath: string): Match | undefined {
  const matches = servedPaths(contexts).flatMap(({ spec, routes, path, pattern }): Match[] => {
    const found = pattern.exec(rawPath);
    if (!found) return [];
    const params = Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, decoded(value)]));
    return [{ spec, routes, path, params }];
  });
  return matches.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0];
}

const fallbackOf = (functions: readonly HttpFunction[]): HttpFunction | undefined =>
  functions.find((each) => each.fallback) ?? functions[0];

const httpFunctions = (contexts: readonly Context[]): HttpFunction[] =>
  contexts.flatMap((each) => each.functions).filter((each) => each.trigger === 'http');

function queryOf(own: string, more: Call['query']): URLSearchParams {
  const query = new URLSearchParams(own);
  for (const [name, value] of Object.entries(more ?? {})) for (const each of [value].flat()) query.append(name, String(each));
  return query;
}

/** The gateway joins repeated names with commas. */
function joined(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(',')]));
}

function bodyOf({ body, headers }: Call): { text: string | undefined; isBase64: boolean; isText: boolean; bytes: number } {
  if (body === undefined) return { text: undefined, isBase64: false, isText: true, bytes: 0 };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const isText = !Buffer.isBuffer(body) && (type === undefined || /^(text\/|application\/(json|javascript|xml))/i.test(type));
  return { text: bytes.toString(isText ? 'utf8' : 'base64'), isBase64: !isText, isText, bytes: bytes.length };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function jsonOf(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return undefined;
  }
}
