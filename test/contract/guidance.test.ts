import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueErpToken, issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { issueKey, createProfile } from '../../functions/account/service/verification-profiles.ts';
import { newCompany, providerPost, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What a newcomer does wrong first: each refusal says what was wrong, not only that something was. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany({ roles: ['owner', 'viewer'] });
});
afterAll(() => testApp.stop());

const call = (more: Partial<Call>): Promise<Answer> => testApp.call({ method: 'GET', path: '/api/v1/me', ...more });
const send = (body: unknown, more: Partial<Call> = {}): Promise<Answer> =>
  call({ method: 'POST', path: '/api/v1/messages/text', token: company.tokens.owner, body, ...more });

const cases: readonly [title: string, attempt: () => Promise<Answer>, status: number, code: string, says: RegExp][] = [
  [
    'a token without its scheme',
    () => call({ headers: { authorization: company.tokens.owner } }),
    401,
    'token_missing',
    /^Authorization must be "Bearer <API_TOKEN>"\.$/,
  ],
  ['basic credentials', () => call({ headers: { authorization: 'Basic c3diOng=' } }), 401, 'token_missing', /must be "Bearer/],
  [
    'an ERP token in place of a user’s',
    async () => call({ token: unwrap(await issueErpToken(company.id, {})).secret }),
    401,
    'token_invalid',
    /^This is an ERP token \(erp_\.\.\.\); the operation takes a personal access token \(swb_\.\.\.\)\.$/,
  ],
  [
    'a public key in place of a token',
    async () => {
      const profile = unwrap(await createProfile(company.id, { name: 'Sign-in' }));
      return call({ token: unwrap(await issueKey(company.id, profile.id, {})).public_key });
    },
    401,
    'token_invalid',
    /^This is a public key/,
  ],
  [
    'a store’s post without its signature',
    async () => {
      const { secret } = unwrap(await issueWebhookToken(company.id, { receiver: 'storeplatform', shared_secret: 'a secret of the store' }));
      return call({ method: 'POST', path: `/shop/webhooks/storeplatform/${secret}`, body: { id: 1 } });
    },
    401,
    'invalid_signature',
    /^The header x-shopify-hmac-sha256 is missing\.$/,
  ],
  [
    'a post of the provider without its signature',
    () => {
      const { 'x-hub-signature-256': _signature, ...headers } = providerPost(company, { object: 'x', entry: [] }).headers as Record<
        string,
        string
      >;
      return testApp.call({ ...providerPost(company, { object: 'x', entry: [] }), headers });
    },
    401,
    'invalid_signature',
    /^The header X-Hub-Signature-256 is missing\.$/,
  ],
  [
    'a form in place of JSON',
    () => send('phone=%2B49', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    415,
    'unsupported_content_type',
    /./,
  ],
  [
    'a template that exists in no language',
    () => send({ phone: '+4915123456789', template_name: 'order_shipped', template_language: 'en' }, { path: '/api/v1/messages/template' }),
    422,
    'template_not_found',
    /^There is no template order_shipped\. Create it, or sync with POST \/templates\/sync\.$/,
  ],
  [
    'a viewer who writes',
    () => send({ phone: '+4915123456789', message: 'Hello' }, { token: company.tokens.viewer ?? '' }),
    403,
    'insufficient_scope',
    /^The token does not have the scope messages:send\.$/,
  ],
  [
    'the field names of another product',
    () => send({ to: '+4915123456789', body: 'Hello' }),
    422,
    'validation_failed',
    /Unknown fields: to \(phone\?\), body \(message\?\)\.$/,
  ],
];

test.each(cases)(
  '%s is answered as that, with a remedy and the page that explains the code',
  async (_title, attempt, status, code, says) => {
    const answer = await attempt();
    const body = answer.body as { code: string; message: string; remedy: string; doc_url?: string };
    expect([answer.status, body.code]).toEqual([status, code]);
    expect(body.message).toMatch(says);
    expect(body.remedy.length).toBeGreaterThan(10);
    expect(body.doc_url ?? '/docs').toContain('/docs');
  },
);

test('a form in place of JSON gets the type that is accepted', async () => {
  const answer = await send('phone=%2B49', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  expect((answer.body as { remedy: string }).remedy).toContain('application/json');
});
