import { describe, expect, it } from 'vitest';
import { maskedAddress } from '../../lib/local/console.ts';
import { corsOf, localCors } from '../../lib/local/cors.ts';
import { httpEvent, httpResponse } from '../../lib/local/http-event.ts';

const request = {
  method: 'POST',
  path: '/a%20b',
  query: 'x=1&x=2&y=%20z+',
  headers: { 'content-type': 'application/json', host: 'h', cookie: 'a=1; b=2', 'user-agent': 'u' },
  body: Buffer.from('{"é":1}'),
  sourceIp: '127.0.0.1',
};

describe('a request as payload 2.0', () => {
  it('joins values, parts cookies, keeps the path and the query as sent', () => {
    const event = httpEvent(request, 'POST /{p}', { p: 'a b' });
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'POST /{p}',
      rawPath: '/a%20b',
      rawQueryString: 'x=1&x=2&y=%20z+',
      queryStringParameters: { x: '1,2', y: ' z ' },
      pathParameters: { p: 'a b' },
      cookies: ['a=1', 'b=2'],
      body: '{"é":1}',
      isBase64Encoded: false,
      requestContext: { stage: '$default', http: { method: 'POST', path: '/a%20b', sourceIp: '127.0.0.1', userAgent: 'u' } },
    });
    expect(event.headers).not.toHaveProperty('cookie');
    expect(event.requestContext).toHaveProperty('timeEpoch', expect.any(Number));
  });

  it.each([
    ['multipart/form-data; boundary=x', 'abc'],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['image/png', '\u0001'],
  ])('carries %s as base64', (type, body) => {
    const event = httpEvent({ ...request, headers: { 'content-type': type }, body: Buffer.from(body) }, 'k', undefined);
    expect(event).toMatchObject({ isBase64Encoded: true, body: Buffer.from(body).toString('base64') });
  });

  it('carries text that is not UTF-8 as base64, so that no byte of it is lost', () => {
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(httpEvent({ ...request, body }, 'k', undefined)).toMatchObject({ isBase64Encoded: true, body: body.toString('base64') });
  });

  it('has no body, query or parameters where there are none', () => {
    const event = httpEvent({ ...request, query: '', body: Buffer.alloc(0), headers: {} }, '$default', undefined);
    for (const name of ['body', 'queryStringParameters', 'pathParameters', 'cookies']) expect(event).not.toHaveProperty(name);
  });
});

describe('a result as a response', () => {
  it('is taken by its fields, or is the JSON body of a 200', () => {
    expect(httpResponse({ statusCode: 204 })).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    expect(httpResponse({ statusCode: 200, headers: { 'X-A': 'b' }, cookies: ['c=1'], body: 'aGk=', isBase64Encoded: true })).toMatchObject(
      {
        headers: { 'x-a': 'b', 'set-cookie': ['c=1'] },
        body: Buffer.from('hi'),
      },
    );
    expect(httpResponse({ a: 1 })).toMatchObject({ status: 200, body: Buffer.from('{"a":1}') });
  });
});

describe('the console', () => {
  it.each([
    ['/hook/secret', 'token=abc&x=1', ['secret'], '/hook/***?token=***&x=***'],
    ['/api/v1/swb_eatzCnc5B8J1bN4XqSjIqfsTyhFHWk', '', [], '/api/v1/***'],
    ['/api/v1/contacts/491701234567', '', [], '/api/v1/contacts/***4567'],
    ['/api/v1/campaigns/12/messages', '', [], '/api/v1/campaigns/12/messages'],
  ])('shows %s?%s without what identifies', (path, query, secrets, shown) => {
    expect(maskedAddress(path, query, secrets)).toBe(shown);
  });
});

describe('cross-origin requests', () => {
  const cors = corsOf({ AllowOrigins: ['https://a.example'], AllowMethods: ['GET'], AllowHeaders: ['authorization'], MaxAge: 60 });
  it('grants a preflight to a listed origin only', () => {
    const preflightOf = (origin: string) => cors?.preflight('OPTIONS', { origin, 'access-control-request-method': 'GET' });
    expect(preflightOf('https://a.example')).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://a.example',
        'access-control-allow-methods': 'GET',
        'access-control-max-age': '60',
      },
    });
    expect(preflightOf('https://b.example')).toMatchObject({ status: 204, headers: {} });
    expect(cors?.preflight('OPTIONS', {})).toBeUndefined();
  });
  it('of pages on localhost are granted on the laptop, at any port, and of other origins where they are named', () => {
    const granted = (origin: string, named: readonly string[] = []) =>
      localCors(named)?.preflight('OPTIONS', { origin, 'access-control-request-method': 'POST' })?.headers['access-control-allow-origin'];
    expect(granted('http://localhost:5173')).toBe('http://localhost:5173');
    expect(granted('http://127.0.0.1:3302')).toBe('http://127.0.0.1:3302');
    for (const foreign of ['https://shop.example', 'http://localhost.evil.example', 'http://localhost:80.evil.example', 'null'])
      expect(granted(foreign), foreign).toBeUndefined();
    expect(granted('https://shop.example', ['https://shop.example'])).toBe('https://shop.example');
    const headers = localCors()?.preflight('OPTIONS', { origin: 'http://localhost:1', 'access-control-request-method': 'POST' })?.headers;
    expect(headers?.['access-control-allow-headers']).toContain('x-public-key');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });
  it('does not exist without a configuration', () => {
    expect(corsOf(undefined)).toBeUndefined();
  });
});
