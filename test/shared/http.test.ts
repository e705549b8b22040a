import { afterAll, describe, expect, test } from 'vitest';
import { credential } from '../support/credentials.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTestApp } from '../support/test-app.ts';
import { sampleContext } from './sample/context.ts';

const testApp = await startTestApp({ contexts: [sampleContext] });
afterAll(() => testApp.stop());

const token = await credential();
const post = (body: string, headers: Record<string, string> = {}) =>
  testApp.call({ method: 'POST', path: '/api/v1/notes', token, body, headers });

describe('a path of the API', () => {
  test('answers OPTIONS with the methods it takes, and another method with 405, both with the headers of every answer', async () => {
    const options = await testApp.call({ method: 'OPTIONS', path: '/api/v1/notes' });
    expect(options).toMatchObject({ status: 204, body: undefined, headers: { allow: 'POST, OPTIONS', 'x-api-version': '1.0' } });
    const wrong = await testApp.call({ method: 'DELETE', path: '/api/v1/notes', token });
    expect(wrong).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' }, body: { code: 'method_not_allowed' } });
    expect(wrong.headers['x-request-id']).toMatch(/^req_/);
  });

  test('costs no request to the table where no route takes the method', async () => {
    const used = await testApp.meter(() => testApp.call({ method: 'PATCH', path: '/api/v1/notes', token }));
    expect(used.calls).toBe(0);
  });
});

describe('the HTTP stack', () => {
  test('half a Unicode character in a JSON text is 400, a whole one written in escapes is not', async () => {
    expect((await post('{"text":"\\ud800"}')).body).toMatchObject({ code: 'invalid_json' });
    expect((await post('{"text":"x","\\udfff":1}')).body).toMatchObject({ code: 'invalid_json' });
    expect((await post('{"text":"\\ud83c\\uddee"}')).status).toBe(200);
    expect((await post('{"text":"\\\\ud800"}')).status).toBe(200);
  });

  test('a field that is missing is said to be missing, one of another kind to be that', async () => {
    const errorsOf = async (body: string) => ((await post(body)).body as { errors: Record<string, string[]> }).errors;
    expect(await errorsOf('{}')).toEqual({ text: ['This field is required.'] });
    expect(await errorsOf('{"text":null}')).toEqual({ text: ['Must be a text.'] });
    expect(await errorsOf('{"text":7}')).toEqual({ text: ['Must be a text: put the number in quotes.'] });
  });

  test('a JSON body without a content type is read, as is one with a vendor type', async () => {
    expect((await post('{"text":"x"}')).status).toBe(200);
    expect((await post('{"text":"x"}', { 'content-type': 'application/vnd.api+json; charset=utf-8' })).status).toBe(200);
  });

  test.each([
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'ThrottlingException',
    'TransactionCanceledException',
    'TransactionConflictException',
    'TimeoutError',
  ])('a busy table, which answers with %s, is 503 with Retry-After', async (name) => {
    using _busy = testApp.onTable(({ command }) => {
      if (command === 'UpdateItem') throw tableError(name);
    });
    const busy = await post('{"text":"x"}');
    expect([busy.status, busy.headers['retry-after'], busy.body]).toMatchObject([503, '1', { code: 'temporarily_unavailable' }]);
  });

  test('anything unexpected is 500 without its cause', async () => {
    {
      using _wrong = testApp.onTable(({ command }) => {
        if (command === 'UpdateItem') throw tableError('ValidationException');
      });
      expect(await post('{"text":"x"}')).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    }
    const broken = await post('{"text":"x","fail":"throw"}');
    expect([broken.status, broken.body]).toMatchObject([500, { code: 'internal_error' }]);
    expect(broken.raw).not.toContain('broke');
  });

  test('every answer of one request has its own id, and the log has it too', async () => {
    testApp.logs.length = 0;
    const answer = await post('{"text":"x"}');
    expect(testApp.logs).toContainEqual(
      expect.objectContaining({ request_id: answer.headers['x-request-id'], status: 200, route: 'createNote' }),
    );
  });

  test('the rate headers count down with each call', async () => {
    const mine = await credential();
    const left = async () =>
      Number((await testApp.call({ method: 'GET', path: '/api/v1/notes/1', token: mine })).headers['x-ratelimit-remaining']);
    const first = await left();
    expect(await left()).toBe(first - 1);
  });

  test('a deprecated form says so, with its successor', async () => {
    const { headers } = await testApp.call({ method: 'GET', path: '/api/v1/notes/1', token });
    expect(headers).toMatchObject({ deprecation: expect.stringMatching(/^@\d+$/), link: '</api/v1/notes>; rel="successor-version"' });
    expect(Date.parse(headers['sunset'] ?? '')).toBeGreaterThanOrEqual(Date.UTC(2027, 11, 1));
  });

  test('a route that needs no token is answered without one', async () => {
    expect((await testApp.call({ method: 'GET', path: '/api/v1/open' })).body).toMatchObject({ data: { open: true } });
  });
});
