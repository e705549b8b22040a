import { isUtf8 } from 'node:buffer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { UploadedFile } from '../contract/file.ts';
import { problem } from '../contract/problems.ts';
import { headersOf, type HttpEvent, type Middleware, RefusedRequest } from './exchange.ts';
import { jsonErrorIn } from './json.ts';
import type { ReadMultipart } from './multipart.ts';

/** Lambda's own limit for a request (decision G21); with what surrounds it and each quote escaped, about 5 MB of JSON pass the gateway. */
export const maxBodyBytes = 6 * 1024 * 1024;
/** A form comes to Lambda in base64, a third larger: little more than this passes the gateway. */
export const maxFormBytes = 4 * 1024 * 1024;

/**
 * From bytes to plain data: size, content type, JSON. What cannot be read is 400, 413 or 415 here; what a field may hold is the
 * schema's business later. Only functions whose routes take forms contain the reader of forms.
 */
export const decode = (readMultipart: ReadMultipart | undefined): Middleware => {
  const json = httpJsonBodyParser({ disableContentTypeError: true });
  return {
    before: async (request) => {
      const { event } = request;
      const { exchange } = event;
      exchange.rawBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
      exchange.query = nested(queryPairs(event));
      const { 'content-type': contentType, 'content-encoding': encoding } = headersOf(event);
      const isForm = contentType !== undefined && /^multipart\/form-data\b/i.test(contentType);
      const max_bytes = isForm ? maxFormBytes : maxBodyBytes;
      if (exchange.rawBody.length > max_bytes) throw new RefusedRequest(problem('payload_too_large', { details: { max_bytes } }));
      if (exchange.route.body === undefined || exchange.route.accepts?.includes('raw')) {
        exchange.body = undefined;
        return;
      }
      if (exchange.rawBody.length === 0) {
        exchange.body = {};
        return;
      }
      // not unpacked: 6 MB could become 6 GB
      if (encoding !== undefined && !/^(identity)?$/i.test(encoding))
        throw new RefusedRequest(
          problem('unsupported_content_type', {
            message: `Content-Encoding ${encoding.slice(0, 50)} is not read; send the body as it is.`,
          }),
        );
      if (isForm && readMultipart && exchange.route.accepts?.includes('multipart')) {
        const { parts, wrong } = readMultipart(contentType, exchange.rawBody);
        if (!parts) throw new RefusedRequest(problem('invalid_multipart', { message: wrong }));
        exchange.body = nested(parts.map(({ name, value }) => [name, value]));
        exchange.isForm = true;
        return;
      }
      if (contentType !== undefined && !/^application\/([a-z0-9.-]+\+)?json\b/i.test(contentType))
        throw new RefusedRequest(problem('unsupported_content_type'));
      event.headers['content-type'] = 'application/json';
      event.headers['Content-Type'] = 'application/json';
      // a letter of another encoding would reach the customer as a question mark
      if (!isUtf8(exchange.rawBody)) throw new RefusedRequest(problem('invalid_json', { message: 'The body must be UTF-8.' }));
      const objection = jsonErrorIn(exchange.rawBody);
      if (objection !== undefined) throw new RefusedRequest(problem('invalid_json', { message: objection }));
      await (json.before as (r: unknown) => unknown)(request);
      const body: unknown = event.body;
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new RefusedRequest(problem('invalid_json', { message: 'The body must be a JSON object.' }));
      if (halfEscape.test(exchange.rawBody.toString('utf8')) && hasHalfCharacter(body))
        throw new RefusedRequest(problem('invalid_json', { message: 'Texts must be whole Unicode characters.' }));
      exchange.body = body;
    },
  };
};

/** Half a character can only come in as an escape; the table would refuse it. */
const halfEscape = /\\u[dD][89a-fA-F]/;

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => !key.isWellFormed() || hasHalfCharacter(each));
}

/** The query as sent, in order, without the token. */
export const queryPairs = (event: HttpEvent): [string, string][] =>
  [...new URLSearchParams(event.rawQueryString ?? '')].filter(([name]) => name !== 'token');

/**
 * `buttons[0][id]=a` as nested data, for the GET forms of sends (clarification A32). A name given twice becomes a list. Objects have
 * no prototype, and no more than 1,000 names are read.
 */
export const nested = (pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const root: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of pairs.slice(0, 1_000)) {
    const path = [name.split('[')[0] ?? name, ...[...name.matchAll(/\[([^\]]*)\]/g)].map((part) => part[1] ?? '')];
    place(root, path.slice(0, 6), value);
  }
  return asLists(root) as Record<string, unknown>;
};

function place(into: Record<string, unknown>, path: string[], value: unknown): void {
  const [first = '', ...rest] = path;
  const key = first === '' ? String(Object.keys(into).length) : first;
  if (rest.length === 0) {
    const held = into[key];
    into[key] = held === undefined ? value : Array.isArray(held) ? [...(held as unknown[]), value] : [held, value];
    return;
  }
  const held = into[key];
  const next =
    typeof held === 'object' && held !== null && !Array.isArray(held) && !(held instanceof UploadedFile)
      ? (held as Record<string, unknown>)
      : (Object.create(null) as Record<string, unknown>);
  into[key] = next;
  place(next, rest, value);
}

function asLists(value: unknown, isRoot = true): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof UploadedFile) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [key, asLists(each, false)]);
  if (!isRoot && entries.length > 0 && entries.every(([key], index) => key === String(index))) return entries.map(([, each]) => each);
  return Object.fromEntries(entries);
}
