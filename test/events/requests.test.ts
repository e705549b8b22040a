import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import type { CompanyChanges } from '../../functions/account/contract/company.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { type TestCompany, newCompany, unwrap } from '../support/company.ts';
import { mendedBy } from '../support/mutation.ts';
import { startTestApp } from '../support/test-app.ts';

/** The request log: what integrations called, and what the company may know of it later. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());
beforeEach(() => clearProcessMemory());

interface Logged {
  id: string;
  operation: string;
  status: number;
  code: string | null;
  fields: string[];
  path: string;
  user_agent: string | null;
  credential: { id: number; kind: string };
  has_bodies: boolean;
}

const call = (token: string, method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown, headers: Record<string, string> = {}) =>
  testApp.call({ method, path: `/api/v1${path}`, token, headers, ...(body === undefined ? {} : { body }) });
const refusedText = (token: string) => call(token, 'POST', '/messages/text', { phone: 'none' }, { 'user-agent': 'shop/2.1' });
const logOf = async (token: string, query = ''): Promise<{ data: Logged[]; meta: { next_cursor: string | null } }> => {
  const { status, body } = await call(token, 'GET', `/requests${query}`);
  expect(status).toBe(200);
  return body as Awaited<ReturnType<typeof logOf>>;
};
const settings = (company: TestCompany, of: NonNullable<CompanyChanges['settings']>) =>
  updateCompany(company.id, { settings: of }).then(unwrap);

describe('the request log has', () => {
  test('calls of tokens that were refused, newest first, with why and by whom, and none that was answered', async () => {
    const { tokens } = await newCompany({ roles: ['owner', 'viewer'] });
    await call(tokens.owner, 'GET', '/me');
    const { headers } = await refusedText(tokens.owner);
    await call(tokens.viewer, 'POST', '/contacts', { phone: '+491512345678' });
    const { data } = await logOf(tokens.owner);
    expect(data).toMatchObject([
      { operation: 'createContact', status: 403, code: 'insufficient_scope', fields: [] },
      {
        id: headers['x-request-id'],
        operation: 'sendText',
        method: 'POST',
        path: '/api/v1/messages/text',
        status: 422,
        code: 'validation_failed',
        user_agent: 'shop/2.1',
        credential: { kind: 'token' },
        has_bodies: false,
      },
    ]);
    expect(data[1]?.fields).toContain('message');
  });

  test('all of them, or none, from the answer of the change on', async () => {
    const company = await newCompany();
    const { owner } = company.tokens;
    await settings(company, { request_log: 'all' });
    await call(owner, 'GET', '/me');
    await refusedText(owner);
    const before = (await logOf(owner)).data.map(({ operation }) => operation);
    expect(before).toEqual(['sendText', 'getMe']);
    await settings(company, { request_log: 'none' });
    await refusedText(owner);
    expect((await logOf(owner)).data.map(({ operation }) => operation)).toEqual(['listLoggedRequests', ...before]);
  });

  test('what a filter passes, page by page, each call once', async () => {
    const company = await newCompany();
    const { owner } = company.tokens;
    await settings(company, { request_log: 'all' });
    for (let nth = 0; nth < 4; nth++) {
      await refusedText(owner);
      await call(owner, 'GET', '/me');
    }
    await settings(company, { request_log: 'none' });
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof logOf>> = await logOf(
        owner,
        `?outcome=refused&limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      found.push(...page.data.map(({ id }) => id));
      cursor = page.meta.next_cursor;
    } while (cursor !== null);
    expect(new Set(found).size).toBe(4);
    expect(found).toEqual(found.toSorted().toReversed());
    expect((await logOf(owner, '?operation=getMe')).data).toHaveLength(4);
    expect((await logOf(owner, '?code=window_closed')).data).toEqual([]);
    expect((await call(owner, 'GET', '/requests?outcome=bad')).status).toBe(422);
  });
});

describe('what was sent and answered', () => {
  const sent = { name: 'Shop', phone: 'none', fields: { api_key: 'k-123', note: 'swb_0123456789abcdefghij' } };
  const bodiesOf = async (owner: string, id: string) =>
    (await call(owner, 'GET', `/requests/${id}`)).body as { data: { request_body: string | null; answer_body: string | null } };

  mendedBy(
    'is logged only where an admin wants it, without what is secret by its name or its form',
    { in: 'shared/http/log-request.ts', replace: 'JSON.stringify(withoutSecrets(value))', by: 'JSON.stringify(value)' },
    async () => {
      const company = await newCompany();
      const { owner } = company.tokens;
      const first = await call(owner, 'POST', '/contacts', sent);
      expect((await bodiesOf(owner, String(first.headers['x-request-id']))).data).toMatchObject({ request_body: null, answer_body: null });
      await settings(company, { request_bodies: true });
      const second = await call(owner, 'POST', '/contacts', sent);
      const { request_body: request, answer_body: answer } = (await bodiesOf(owner, String(second.headers['x-request-id']))).data;
      expect(JSON.parse(String(request))).toEqual({ ...sent, fields: { api_key: '(secret)', note: '(secret)' } });
      expect(JSON.parse(String(answer))).toMatchObject({ code: 'validation_failed' });
    },
  );

  test('is not logged of operations that give secrets', async () => {
    const company = await newCompany();
    const { owner } = company.tokens;
    await settings(company, { request_bodies: true, request_log: 'all' });
    const { status, headers } = await call(owner, 'POST', '/tokens', { name: 'Till' });
    expect(status).toBe(200);
    expect((await bodiesOf(owner, String(headers['x-request-id']))).data).toMatchObject({ request_body: null, answer_body: null });
  });
});

describe('nothing is logged', () => {
  test('that another company reads', async () => {
    const [company, other] = [await newCompany(), await newCompany()];
    await refusedText(other.tokens.owner);
    expect((await logOf(company.tokens.owner)).data).toEqual([]);
    const [{ id } = { id: '' }] = (await logOf(other.tokens.owner)).data;
    expect((await call(company.tokens.owner, 'GET', `/requests/${id}`)).status).toBe(404);
  });

  mendedBy(
    'of strangers, who have the public key of every page, and would fill the log at the cost of the company',
    { in: 'shared/http/log-request.ts', replace: "credentialKind === 'secret_key')", by: "credentialKind.endsWith('_key'))" },
    async () => {
      const company = await newCompany();
      const profile = unwrap(await createProfile(company.id, { name: 'Sign-in', settings_json: {} }));
      const keys = unwrap(await issueKey(company.id, profile.id, {}));
      const request = (headers: Record<string, string>) =>
        testApp.call({ method: 'POST', path: '/api/v1/verification/request', headers, body: { identifier: 'x' } });
      expect((await request({ 'x-public-key': keys.public_key })).status).toBe(422);
      expect((await request({ 'x-secret-key': keys.secret_key })).status).toBe(422);
      expect((await logOf(company.tokens.owner)).data.map(({ credential }) => credential.kind)).toEqual(['secret_key']);
    },
  );
});
