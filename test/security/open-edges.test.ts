import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { settingsSchema } from '../../lib/aws/settings.ts';
import type { FunctionSpec } from '../../shared/contract/context.ts';
import { newToken } from '../../shared/access/token.ts';
import { sha256 } from '../../shared/runtime/ids.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { templateOf } from '../wiring/template.ts';

/** A flood at an edge that needs no credential takes the account's concurrency, and so stops sends and codes of all tenants. */
const specs: readonly FunctionSpec[] = app.flatMap((context) => context.functions);
const template = templateOf(app);

const reservedIn = (of: ReturnType<typeof templateOf>): Map<string, number> =>
  new Map(
    of.ofType('AWS::Lambda::Function').flatMap(({ Properties }): [string, number][] => {
      const count = Properties['ReservedConcurrentExecutions'];
      return count === undefined ? [] : [[String(Properties['FunctionName']).replace('switchboard-', ''), Number(count)]];
    }),
  );

const isOpen = (spec: FunctionSpec): boolean =>
  spec.trigger === 'http' &&
  (spec.fallback === true ||
    Object.values(spec.routes).some(({ via, caller }) => via === 'url' || caller.kind === 'public' || caller.kind === 'public_key'));

describe('the synthesized template', () => {
  const reserved = reservedIn(template);

  test('caps every function that a caller without a valid credential can start', () => {
    const open = specs.filter(isOpen);
    expect(open.length).toBeGreaterThan(5);
    for (const { name } of open) expect(reserved.get(name), name).toBeOneOf([20, 30, 80, 250]);
  });

  test('gives all of them together less than half of the account, and leaves AWS the hundred that it wants', () => {
    const { accountConcurrency } = settingsSchema.parse({});
    const sumOf = (names: readonly FunctionSpec[]): number => names.reduce((sum, { name }) => sum + (reserved.get(name) ?? 0), 0);
    expect(sumOf(specs.filter(isOpen))).toBeLessThan(accountConcurrency / 2);
    expect(sumOf(specs)).toBeLessThanOrEqual(accountConcurrency - 100);
  });

  test('reserves a floor for what sends messages and codes; a worker gets as many as its queue may start', () => {
    for (const name of [
      'messaging-http',
      'messaging-template-sends',
      'messaging-sends',
      'verification-http',
      'verification-codes',
      'campaign-blocks',
    ]) {
      const spec = specs.find((each) => each.name === name);
      expect(reserved.get(name), name).toBeGreaterThanOrEqual(spec?.trigger === 'queue' ? spec.maxConcurrency : 50);
    }
  });

  test('throttles each path without a credential, and unknown ones, apart from the rest', () => {
    const [stage] = template.ofType('AWS::ApiGatewayV2::Stage');
    const settings = stage?.Properties['RouteSettings'] as Record<string, { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }>;
    const paths = Object.keys(settings);
    for (const path of [
      '$default',
      'ANY /docs',
      'ANY /docs/{file}',
      'ANY /shop/{company_id}/products',
      'ANY /shop/{company_id}/categories',
    ])
      expect(paths).toContain(path);
    for (const { ThrottlingRateLimit, ThrottlingBurstLimit } of Object.values(settings)) {
      expect(ThrottlingRateLimit).toBeLessThanOrEqual(200);
      expect(ThrottlingBurstLimit).toBeLessThanOrEqual(400);
    }
    // files of a megabyte: 200 a second would be $70 an hour, paid by the operator
    for (const path of ['ANY /docs', 'ANY /docs/{file}']) expect(settings[path]?.ThrottlingRateLimit, path).toBeLessThanOrEqual(5);
    // routes with a credential are not among them
    const withCredential = specs.flatMap((spec) =>
      spec.trigger === 'http'
        ? Object.values(spec.routes).flatMap((route) => (route.caller.kind === 'public' ? [] : [route.path, ...(route.aliases ?? [])]))
        : [],
    );
    expect(withCredential.filter((path) => paths.includes(`ANY ${path}`))).toEqual([]);
    expect(JSON.stringify(stage)).toContain('Routes');
  });

  test('closes the default endpoint, around the firewall of the domain, where it is set so', () => {
    const withDomain = templateOf(app, {
      defaultEndpoint: false,
      domainName: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1b2c3d4e-0000-1111-2222-333344445555',
    });
    const closed = (of: ReturnType<typeof templateOf>) => of.ofType('AWS::ApiGatewayV2::Api')[0]?.Properties['DisableExecuteApiEndpoint'];
    expect([closed(withDomain), closed(template)]).toEqual([true, false]);
  });
});

describe('an API with an entrance', () => {
  const secret = 'the secret that the entrance adds';
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp({ env: { ENTRANCE_SECRET_HASH: sha256(secret) } });
  });
  afterAll(() => testApp.stop());
  const get = (headers: Record<string, string>) => testApp.call({ method: 'GET', path: '/api/v1/me', token: newToken('token'), headers });

  test('answers 404 to what did not come through it, before the table', async () => {
    const used = await testApp.meter(async () => {
      for (const headers of [{}, { 'x-entrance-secret': 'x' }, { 'x-entrance-secret': sha256(secret) }])
        expect((await get({ ...headers, 'cloudfront-viewer-address': '192.0.2.1:443' })).status).toBe(404);
    });
    expect(used.calls).toBe(0);
  });

  test('counts callers by the address that the entrance saw', async () => {
    const from = (address: string) => get({ 'x-entrance-secret': secret, 'cloudfront-viewer-address': `${address}:46532` });
    // within one minute, by which refusals are counted
    testApp.clock.freeze();
    for (let i = 0; i < 60; i++) expect((await from('192.0.2.1')).status).toBe(401);
    expect((await from('192.0.2.1')).status).toBe(429);
    expect((await from('192.0.2.2')).status).toBe(401);
    expect((await from('2001:db8:85a3::8a2e:370:7334')).status).toBe(401);
  });
});

test.each([10, 400])(
  'an account with a quota of %i, too small to share out, can be deployed to: nothing is reserved',
  (accountConcurrency) => {
    expect(reservedIn(templateOf(app, { accountConcurrency }))).toEqual(new Map());
  },
);
