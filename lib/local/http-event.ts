import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { asText, isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from './json.ts';
import { account } from './template.ts';

/** A request as it came over the wire. */
export interface WireRequest {
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  sourceIp: string;
}

export interface WireResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** The payload of format 2.0 that API Gateway and function URLs hand to a function. */
export const httpEvent = (request: WireRequest, routeKey: string, parameters: Record<string, string> | undefined): JsonObject => {
  const { method, path, query, body, sourceIp } = request;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'cookie' && value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  headers['x-forwarded-for'] = headers['x-forwarded-for'] ? `${headers['x-forwarded-for']}, ${sourceIp}` : sourceIp;
  const cookies = (request.headers.cookie ?? '').split(';').flatMap((cookie) => cookie.trim() || []);
  const queryValues = queryOf(query);
  const text = isText(headers['content-type']) && isUtf8(body);
  const now = new Date();
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(queryValues ? { queryStringParameters: queryValues } : {}),
    ...(parameters ? { pathParameters: parameters } : {}),
    requestContext: {
      accountId: account,
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 ? { body: body.toString(text ? 'utf8' : 'base64') } : {}),
    isBase64Encoded: body.length > 0 && !text,
  };
};

/** What API Gateway makes of a function's result: a response by its fields, anything else is the JSON body of a 200. */
export const httpResponse = (result: Json): WireResponse => {
  if (!isObject(result) || numberOf(result.statusCode) === undefined) {
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(typeof result === 'string' ? result : JSON.stringify(result)),
    };
  }
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(objectOf(result.headers))) if (value !== null) headers[name.toLowerCase()] = asText(value);
  const cookies = listOf(result.cookies).map(String);
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  const body = textOf(result.body) ?? '';
  if (body !== '' && headers['content-type'] === undefined) headers['content-type'] = 'text/plain;charset=UTF-8';
  return {
    status: numberOf(result.statusCode) ?? 200,
    headers,
    body: Buffer.from(body, result.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
};

/** A response of the gateway itself. */
export const gatewayResponse = (status: number, message: string): WireResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
});

/** Query values decoded, those of one name joined by commas; undefined when there are none. */
const queryOf = (query: string): Record<string, string> | undefined => {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) values.set(name, [...(values.get(name) ?? []), value]);
  if (values.size === 0) return undefined;
  return Object.fromEntries([...values].map(([name, all]) => [name, all.join(',')]));
};

/** Everything else, forms too, travels as base64. */
const isText = (contentType: string | undefined): boolean =>
  contentType === undefined || /^\s*(text\/|application\/(json|javascript|xml|[a-z0-9.-]+\+(json|xml))\b)/i.test(contentType);

const commonLogTime = (time: Date): string => {
  const [, day, month, year] = /^\w+, (\d+) (\w+) (\d+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time.toISOString().slice(11, 19)} +0000`;
};
