import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { handler } from '../../functions/site/http.ts';
import { app } from '../../functions/app.ts';

const call = async (method: string, path: string) => {
  const event = { version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '', headers: {}, isBase64Encoded: false };
  const requestContext = {
    http: { method, path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'test' },
    domainName: 'api.example.test',
  };
  const answer = await handler(
    { ...event, requestContext } as unknown as APIGatewayProxyEventV2,
    { functionName: 'front-http', getRemainingTimeInMillis: () => 1_000 } as unknown as LambdaContext,
  );
  return { status: answer.statusCode, headers: answer.headers ?? {}, body: answer.body ? (JSON.parse(answer.body) as unknown) : undefined };
};

describe('the fallback', () => {
  test('there is one in the product', () => {
    const fallbacks = app.flatMap((context) => context.functions).filter((spec) => spec.trigger === 'http' && spec.fallback);
    expect(fallbacks.map(({ name }) => name)).toEqual(['front-http']);
  });

  test('an unknown address is 404 with the product error body and the headers of every answer', async () => {
    const { status, headers, body } = await call('GET', '/api/v1/nothing-here');
    expect(status).toBe(404);
    expect(body).toMatchObject({ status: 'error', code: 'route_not_found', request_id: headers['x-request-id'] });
    expect(headers).toMatchObject({ 'x-api-version': '1.0', 'cache-control': 'no-store', 'content-type': 'application/json' });
  });

  test.each(['GET', 'HEAD'])('%s of the reference with a slash at its end leads to it; nothing else does', async (method) => {
    expect(await call(method, '/docs/')).toMatchObject({ status: 308, headers: { location: '/docs' } });
    expect(await call(method, '//docs/')).toMatchObject({ status: 404 });
    expect(await call('POST', '/docs/')).toMatchObject({ status: 404 });
  });

  test('OPTIONS of an unknown address is 404', async () => {
    expect(await call('OPTIONS', '/nothing-here')).toMatchObject({ status: 404 });
  });

  test('HEAD of an unknown address is 404 without a body', async () => {
    expect(await call('HEAD', '/nothing-here')).toMatchObject({ status: 404, body: undefined });
  });
});
