import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newToken } from '../../shared/access/token.ts';
import {
  cameThroughEntrance,
  entranceHashVariable,
  entranceHeader,
  ownEntranceVariable,
  viewerHeader,
} from '../../shared/http/entrance.ts';
import type { HttpEvent } from '../../shared/http/exchange.ts';
import { sha256 } from '../../shared/runtime/ids.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { type Call, ofOwnPage } from '../support/gateway-event.ts';
import { siteSecret, throughSite } from '../support/site-edge.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** All viewers of an edge of CloudFront reach the API from one address: one of them could use up the limits of all companies. */
describe('the origin of the pages', () => {
  let testApp: TestApp;
  let company: TestCompany;
  const through = throughSite();
  beforeAll(async () => {
    testApp = await startTestApp({ env: { [ownEntranceVariable]: siteSecret } });
    company = await newCompany();
    // within one minute, by which refusals are counted
    testApp.clock.freeze();
  });
  afterAll(() => testApp.stop());

  const me = (token: string): Call => ({ method: 'GET', path: '/api/v1/me', token });
  const statusOf = async (call: Call): Promise<number> => (await testApp.call(call)).status;
  const signIn: Call = { method: 'POST', path: '/api/v1/sessions', body: { token: newToken('token') }, headers: ofOwnPage };

  test('sixty refused credentials of a viewer close it to invented ones of that viewer alone, and to no valid one', async () => {
    for (let nth = 0; nth < 60; nth++) expect(await statusOf(through('192.0.2.1', me(newToken('token'))))).toBe(401);
    expect(await statusOf(through('192.0.2.1', me(newToken('token'))))).toBe(429);
    expect(await statusOf(through('192.0.2.2', me(company.tokens.owner)))).toBe(200);
    expect(await statusOf(through('192.0.2.1', me(company.tokens.owner)))).toBe(200);
    expect(await statusOf(through('192.0.2.2', me(newToken('token'))))).toBe(401);
    expect(await statusOf(through('2001:db8:85a3::8a2e:370:7334', me(newToken('token'))))).toBe(401);
  });

  test('a viewer who tries to sign in without end keeps no other from it', async () => {
    const from = (viewer: string): Promise<number> => statusOf(through(viewer, signIn));
    for (let nth = 0; (await from('192.0.2.3')) !== 429; nth++) expect(nth).toBeLessThan(100);
    expect(await from('192.0.2.4')).toBe(401);
  });

  test.each([
    ['without the secret', {}],
    ['with the hash of the secret', { 'x-entrance-secret': sha256(siteSecret) }],
    ['with another secret', { 'x-entrance-secret': 'x' }],
  ])('a caller of the address of the API %s is not believed who it says it is', async (_, headers) => {
    const from = (claimed: string, token: string) =>
      statusOf({
        ...me(token),
        headers: { ...headers, 'x-viewer-address': claimed, 'cloudfront-viewer-address': `${claimed}:443` },
        sourceIp: '192.0.2.9',
      });
    for (let nth = 0; (await from(`198.51.100.${nth % 200}`, newToken('token'))) !== 429; nth++) expect(nth).toBeLessThan(61);
    expect(await from('198.51.100.250', newToken('token'))).toBe(429);
  });

  test('a viewer who writes the header itself is the viewer all the same', async () => {
    const claimed = (nth: number): Call => ({ ...me(newToken('token')), headers: { 'x-viewer-address': `198.51.100.${nth % 200}` } });
    for (let nth = 0; (await statusOf(through('192.0.2.5', claimed(nth)))) !== 429; nth++) expect(nth).toBeLessThan(61);
  });

  test('a function’s own URL is never closed, and believes who called only the distribution before it', () => {
    const seenBy = (headers: Record<string, string>): [boolean, string] => {
      const event = {
        headers,
        requestContext: { domainName: 'abc.lambda-url.eu-central-1.on.aws', http: { sourceIp: '130.176.0.1' } },
      } as unknown as HttpEvent;
      return [cameThroughEntrance(event), event.requestContext.http.sourceIp];
    };
    vi.stubEnv(entranceHashVariable, sha256('of the operator'));
    expect(seenBy({ [viewerHeader]: '192.0.2.1' })).toEqual([true, '130.176.0.1']);
    expect(seenBy({ [viewerHeader]: '192.0.2.1', [entranceHeader]: 'x' })).toEqual([true, '130.176.0.1']);
    expect(seenBy({ [viewerHeader]: '192.0.2.1', [entranceHeader]: siteSecret })).toEqual([true, '192.0.2.1']);
    vi.unstubAllEnvs();
  });
});
