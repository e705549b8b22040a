import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addNumber, updateNumber } from '../../functions/account/service/numbers.ts';
import { jsonErrorIn } from '../../shared/http/json.ts';
import { callProvider, type ProviderAccess } from '../../shared/provider/call.ts';
import { guardedFetch, refusalOf } from '../../shared/runtime/fetch.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { freePort } from '../support/emulators.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What leaves the product: to which ports, over what, with which ids in the path, and how much of an answer is read. */
let testApp: TestApp;
let company: TestCompany;
let provider: Server;
let root: string;
const paths: string[] = [];
let answerBytes = 0;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany();
  provider = createServer((request, response) => {
    paths.push(request.url ?? '');
    if (request.url?.endsWith('/elsewhere')) return void response.writeHead(302, { location: `${root}/v19.0/1` }).end();
    if (request.url?.endsWith('/half')) {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
      return;
    }
    if (request.url?.endsWith('/silent')) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    if (answerBytes === 0) return void response.end('{"id":"1"}');
    const chunk = Buffer.alloc(64 * 1024, ' ');
    let sent = 0;
    const more = (): void => {
      while (sent < answerBytes) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end('{"id":"1"}');
    };
    response.once('close', () => (answerBytes = 0));
    more();
  }).listen(0);
  root = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterEach(() => delete process.env['SWITCHBOARD_LOCAL']);
afterAll(async () => {
  provider.close();
  await testApp.stop();
});

describe('ports of other protocols', () => {
  test.each([1, 21, 22, 23, 25, 53, 80, 110, 143, 389, 444, 445, 465, 587, 993, 1_023])(
    '%i is refused without a connection',
    async (port) => {
      expect(await guardedFetch(`https://example.com:${port}/`, { timeoutMs: 1_000, maxBytes: 10 })).toEqual({
        outcome: 'refused',
        reason: 'port',
      });
    },
  );
  test.each(['', ':443', ':1024', ':8443', ':65535'])('"%s" is allowed', (port) =>
    expect(refusalOf(`https://example.com${port}/`)).toBeUndefined(),
  );
  test('an endpoint there is 422, and says which ports are allowed', async () => {
    const answer = await testApp.call({
      method: 'POST',
      path: '/api/v1/webhooks',
      token: company.tokens.owner,
      body: { url: 'https://example.com:22/hook', events: ['message.received'] },
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ errors: { url: ['Must use port 443 or one from 1024 up.'] } });
  });
});

describe("the root to which a number's token goes", () => {
  const input = { phone: '4915112340099', phone_number_id: '99', waba_id: '98', access_token: 'a token of the provider' };
  test.each([
    'http://provider.example',
    'https://10.0.0.1',
    'http://127.0.0.1:9001',
    'https://user:secret@provider.example',
    'https://provider.example:22',
  ])('%s is refused', async (base_url) => {
    expect(await addNumber(company.id, { ...input, base_url })).toMatchObject({ problem: 'validation_failed' });
    expect(await updateNumber(company.id, 1, { base_url })).toMatchObject({ problem: 'validation_failed' });
  });
  test('https is accepted, and loopback on the laptop', async () => {
    expect(await updateNumber(company.id, 1, { base_url: 'https://provider.example' })).toMatchObject({
      base_url: 'https://provider.example',
    });
    process.env['SWITCHBOARD_LOCAL'] = '1';
    expect(await updateNumber(company.id, 1, { base_url: root })).toMatchObject({ base_url: root });
    expect(await updateNumber(company.id, 1, { base_url: null })).toMatchObject({ base_url: null });
  });
});

describe('calls of the provider', () => {
  const access = (): ProviderAccess => ({ version: 'v19.0', baseUrl: root, accessToken: () => Promise.resolve('token') });
  const get = (...path: string[]) => callProvider(access(), { method: 'GET', path, timeoutMs: 60_000 });

  test.each(['..', '.', ''])('an id "%s" of a webhook is not found, without a call', async (id) => {
    paths.length = 0;
    expect(await get(id)).toMatchObject({ outcome: 'answered', status: 404 });
    expect(await get('123', id, 'messages')).toMatchObject({ outcome: 'answered', status: 404 });
    expect(paths).toEqual([]);
  });
  test.each(['../me', '..%2f', 'a/../../b', '?fields=x', '#'])('an id "%s" stays one segment', async (id) => {
    paths.length = 0;
    await get(id);
    expect(paths).toEqual([`/v19.0/${encodeURIComponent(id)}`]);
  });
  test('a redirect is not followed, and what became of the call is not known', async () => {
    paths.length = 0;
    expect(await get('elsewhere')).toEqual({ outcome: 'lost' });
    expect(paths).toEqual(['/v19.0/elsewhere']);
  });
  test('half an answer, and none within the time, are lost', async () => {
    expect(await get('half')).toEqual({ outcome: 'lost' });
    expect(await callProvider(access(), { method: 'POST', path: ['silent'], body: {}, timeoutMs: 100 })).toEqual({ outcome: 'lost' });
  });
  test('without a connection nothing was sent', async () => {
    const nowhere = { ...access(), baseUrl: `http://127.0.0.1:${await freePort()}` };
    expect(await callProvider(nowhere, { method: 'POST', path: ['1'], body: {}, timeoutMs: 5_000 })).toEqual({ outcome: 'unsent' });
    const unnamed = { ...access(), baseUrl: 'https://provider.invalid' };
    expect(await callProvider(unnamed, { method: 'POST', path: ['1'], body: {}, timeoutMs: 5_000 })).toEqual({ outcome: 'unsent' });
  });
  test('of an answer, 10 MB are read and the rest is cut off', async () => {
    answerBytes = 9 * 1024 * 1024;
    expect(await get('1')).toMatchObject({ outcome: 'answered', status: 200, body: { id: '1' } });
    answerBytes = 200 * 1024 * 1024;
    expect(await get('1')).toMatchObject({ outcome: 'answered', status: 200, body: undefined });
  });
});

describe('a body of names', () => {
  const named = (count: number): Buffer => Buffer.from(`{"a":[${Array.from({ length: count }, (_, i) => `{"n${i}":1}`).join(',')}]}`);
  test('more than 50,000 are refused before they are read as JSON, and 50,000 are not', () => {
    expect(jsonErrorIn(named(49_999))).toBeUndefined();
    expect(jsonErrorIn(named(50_000))).toBe('JSON may have at most 50,000 names.');
  });
  test('the caller gets 400', async () => {
    const answer = await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: named(60_000) });
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([400, 'invalid_json']);
  });
});
