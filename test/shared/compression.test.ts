import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressAnswer } from '../../shared/http/compression.ts';
import type { HttpEvent, HttpResult } from '../../shared/http/exchange.ts';

const long = JSON.stringify({ data: 'ä'.repeat(3_000) });

const answered = (response: HttpResult, headers: Record<string, string> = { 'accept-encoding': 'br, gzip' }): HttpResult => {
  const given = structuredClone(response);
  compressAnswer({ headers } as unknown as HttpEvent, given);
  return given;
};

test('a long answer is compressed for a caller that takes it, and is the same text', () => {
  const { body, headers, isBase64Encoded } = answered({ body: long, headers: { 'content-type': 'application/json' } });
  expect(gunzipSync(Buffer.from(body ?? '', 'base64')).toString('utf8')).toBe(long);
  expect(isBase64Encoded).toBe(true);
  expect(headers).toEqual({ 'content-type': 'application/json', 'content-encoding': 'gzip', vary: 'accept-encoding' });
});

test.each(['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0', 'x-gzip-not'])('not for one that says "%s"', (accepted) => {
  expect(answered({ body: long }, { 'Accept-Encoding': accepted })).toEqual({ body: long, headers: { vary: 'accept-encoding' } });
});

test.each(['gzip', 'GZIP', 'deflate,gzip;q=0.5', 'gzip;q=1.0, *;q=0'])('for one that says "%s"', (accepted) => {
  expect(answered({ body: long }, { 'accept-encoding': accepted }).isBase64Encoded).toBe(true);
});

test('a short answer, none, and one that is a file or compressed already stay as they are', () => {
  for (const response of [
    { body: '{}' },
    { statusCode: 204 },
    { body: long, isBase64Encoded: true },
    { body: long, headers: { 'content-encoding': 'gzip' } },
  ])
    expect(answered(response)).toEqual(response);
});
