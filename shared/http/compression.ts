import { headersOf, type HttpEvent, type HttpResult } from './exchange.ts';

/** In characters: what is shorter travels in two packets as it is. */
const leastLength = 2_048;

/**
 * Compresses a long answer for a caller that takes gzip: neither API Gateway nor CloudFront compresses what is not cached. No page of another
 * origin can have a session's answer made longer and shorter by what it guesses (docs/decisions/sessions.md), so its length shows nothing.
 */
export const compressAnswer = (event: HttpEvent, response: HttpResult): void => {
  const { body, headers = {} } = response;
  if (body === undefined || body.length < leastLength || response.isBase64Encoded || headers['content-encoding'] !== undefined) return;
  response.headers = {
    ...headers,
    vary: headers['vary'] === undefined ? 'accept-encoding' : `${String(headers['vary'])}, accept-encoding`,
  };
  if (!takesGzip(headersOf(event)['accept-encoding'])) return;
  // loaded with the first long answer: an import would load it in every cold start
  response.body = process.getBuiltinModule('node:zlib').gzipSync(body).toString('base64');
  response.isBase64Encoded = true;
  response.headers['content-encoding'] = 'gzip';
};

/** By RFC 9110, 12.5.3: a weight of zero means that the caller does not take it. */
const takesGzip = (accepted = ''): boolean => /(^|[\s,])gzip\s*(,|$|;\s*q=(1|0\.0*[1-9]|0\.[1-9]))/i.test(accepted);
