import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCompany, type TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** An answer that repeats what the caller sent (the challenge) must not be taken for a page, nor any answer over plain http. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany();
});
afterAll(() => testApp.stop());

const calls: [string, () => Call][] = [
  ['a success', () => ({ method: 'GET', path: '/api/v1/me', token: company.tokens.owner })],
  ['a refusal', () => ({ method: 'GET', path: '/api/v1/me' })],
  ['an unknown path', () => ({ method: 'GET', path: '/nothing/here' })],
  ['an unknown method', () => ({ method: 'DELETE', path: '/api/v1/me' })],
  ['the challenge', () => ({ method: 'GET', path: `${company.webhookPath}?hub.mode=subscribe&hub.challenge=%3Cb%3E&hub.verify_token=x` })],
  ['a page', () => ({ method: 'GET', path: '/docs' })],
  ['the public storefront', () => ({ method: 'GET', path: `/shop/${company.id}/products` })],
];

test.each(calls)('%s is not sniffed, and not asked for over plain http again', async (_name, call) => {
  const { headers } = await testApp.call(call());
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['strict-transport-security']).toMatch(/^max-age=31536000\b/);
});
