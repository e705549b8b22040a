import { afterAll, expect } from 'vitest';
import * as z from 'zod';
import { issueWebhookToken, setSharedSecret } from '../../functions/account/service/machine-tokens.ts';
import { addNumber, rotateNumberSecrets, updateNumber } from '../../functions/account/service/numbers.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { issueToken, revokeCompanyToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { createUser, deactivateUser, setRole } from '../../functions/account/service/users.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { auditEntry } from '../../functions/account/contract/audit.ts';
import { setProcessActor } from '../../shared/runtime/actor.ts';
import { attack } from '../support/attack.ts';
import { roles } from '../../shared/contract/route.ts';
import { newCompany, unwrap } from '../support/company.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => testApp.stop());

const page = z.object({ data: z.array(auditEntry), meta: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }) });
const list = async (token: string, query = '') => {
  await testApp.drain();
  return page.parse((await testApp.call({ method: 'GET', path: `/api/v1/audit${query}`, token })).body);
};

attack(
  'every change of credentials, roles, profiles, endpoints, numbers and suspension has an entry with who, when and what, and no secret',
  [
    {
      in: 'functions/account/domain/audit.ts',
      replace: 'if (Object.keys(changes).length === 0) return [];',
      by: 'if (entity !== "company" || Object.keys(changes).length === 0) return [];',
    },
    { in: 'shared/table/item-form.ts', replace: 'spec.audited ? { by: currentActor() } : {}', by: '{}' },
    {
      in: 'functions/account/domain/audit.ts',
      replace: 'value === undefined ? null : replacement',
      by: 'value === undefined ? null : String(value)',
    },
  ],
  async () => {
    const company = await newCompany({ roles });
    const { id } = company;
    setProcessActor({ via: 'command_line', operator: 'kim' });
    const secrets: string[] = ['access-token-of-the-number', 'app-secret-of-the-number'];
    const user = unwrap(await createUser(id, { name: 'Ada', email: 'ada@example.com', role: 'member' }));
    unwrap(await setRole(id, user.id, 'admin'));
    const token = unwrap(await issueToken(id, { user_id: user.id }));
    const rotated = unwrap(await rotateCompanyToken(id, token.token.id));
    unwrap(await revokeCompanyToken(id, token.token.id));
    unwrap(await deactivateUser(id, user.id));
    const { number } = unwrap(
      await addNumber(id, { phone: '15557770001', phone_number_id: '777', waba_id: '778', access_token: 'access-token-of-the-number' }),
    );
    unwrap(await updateNumber(id, number.id, { rate: 20 }));
    // repeated after a crash: the same secret again is no change
    for (let tries = 0; tries < 2; tries++) unwrap(await rotateNumberSecrets(id, number.id, { app_secret: 'app-secret-of-the-number' }));
    const profile = unwrap(await createProfile(id, { name: 'Sign-in', settings_json: {} }));
    const pair = unwrap(await issueKey(id, profile.id, {}));
    unwrap(await suspendCompany(id));
    unwrap(await resumeCompany(id));
    setProcessActor({ via: 'system' });
    secrets.push(token.secret, rotated.secret, pair.secret_key);

    const call = async (method: string, path: string, body?: Record<string, unknown>) => {
      const answer = await testApp.call({
        method,
        path: `/api/v1/webhooks${path}`,
        token: company.tokens.owner,
        ...(body ? { body } : {}),
      });
      if (answer.status !== 200) throw new Error(answer.raw);
      return z.object({ data: z.looseObject({ id: z.int(), secret: z.string().optional() }) }).parse(answer.body).data;
    };
    const endpoint = await call('POST', '', { url: 'http://127.0.0.1:9/hook', events: ['order.*'] });
    await call('PUT', `/${endpoint.id}`, { url: 'http://127.0.0.1:9/other', events: ['contact.opted_out'] });
    const other = await call('POST', `/${endpoint.id}/rotate`);
    await call('DELETE', `/${endpoint.id}`);
    secrets.push(endpoint.secret ?? '', other.secret ?? '');

    const { data } = await list(company.tokens.admin, '?limit=100');
    const seen = (action: string) => data.filter((entry) => entry.action === action).toReversed();
    const changed = (action: string): unknown[] => seen(action).map(({ changes }) => changes);
    const ofAda = (action: string) =>
      seen(action)
        .filter(({ target }) => target.id === String(user.id))
        .map(({ changes }) => changes);
    expect(ofAda('user.created')).toEqual([
      { role: { from: null, to: 'member' }, status: { from: null, to: 'active' }, name: { from: null, to: '(personal data)' } },
    ]);
    expect(ofAda('user.updated')).toEqual([{ role: { from: 'member', to: 'admin' } }, { status: { from: 'active', to: 'inactive' } }]);
    expect(changed('credential.updated')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ secret: { from: '(secret)', to: '(secret)' } }),
        expect.objectContaining({ status: { from: 'active', to: 'revoked' } }),
      ]),
    );
    expect(changed('number.updated')).toEqual([{ rate: { from: 80, to: 20 } }, { app_secret: { from: null, to: '(secret)' } }]);
    expect(changed('verification_profile.created')).toHaveLength(1);
    expect(changed('company.updated').slice(-2)).toEqual([
      { status: { from: 'active', to: 'suspended' } },
      { status: { from: 'suspended', to: 'active' } },
    ]);
    expect(data.filter(({ target }) => target.kind === 'webhook_endpoint').map(({ action }) => action)).toEqual([
      'webhook_endpoint.deleted',
      'webhook_endpoint.updated',
      'webhook_endpoint.updated',
      'webhook_endpoint.created',
    ]);
    expect(changed('webhook_endpoint.updated')).toEqual([
      { events: { from: ['order.*'], to: ['contact.opted_out'] }, url: { from: '(secret)', to: '(secret)' } },
      { secret: { from: '(secret)', to: '(secret)' } },
    ]);
    for (const { by, target } of data.filter(({ target: { kind } }) => kind === 'webhook_endpoint'))
      expect([target, by]).toMatchObject([{ id: String(endpoint.id) }, { via: 'api', user_id: company.users.owner, operator: null }]);
    expect(seen('user.updated').map(({ by }) => [by.via, by.operator])).toEqual(Array(2).fill(['command_line', 'kim']));
    for (const { at } of data) expect(Math.abs(Date.parse(at) - testApp.clock.now())).toBeLessThan(60_000);

    const entries = await testApp.dump({ kind: 'audit-entry' });
    expect(entries.length).toBeGreaterThanOrEqual(data.length);
    const stored = JSON.stringify(entries);
    for (const secret of secrets) expect(stored).not.toContain(secret);
    const items = (await testApp.dump()).filter(({ kind }) => kind === 'credential-pointer' || kind === 'business-number');
    const hidden = items.flatMap(({ hash, sealedAccessToken, verifyTokenHash }) => [hash, sealedAccessToken, verifyTokenHash]);
    for (const value of hidden) if (typeof value === 'string') expect(stored).not.toContain(value);
  },
);

attack(
  'a token of a system shows in its entry as no user’s, a new signing secret shows by its name, and a change by a key names its kind',
  [
    { in: 'functions/account/domain/audit.ts', replace: "field === 'userId' && image?.[field] === 0 ? undefined : ", by: '' },
    { in: 'functions/account/domain/audit.ts', replace: ", sealedSecret: 'shared_secret'", by: '' },
    { in: 'shared/http/caller.ts', replace: 'credentialKind, ...(userId', by: '...(userId' },
  ],
  async () => {
    const company = await newCompany();
    const { token } = unwrap(await issueWebhookToken(company.id, { receiver: 'webshop' }));
    for (let tries = 0; tries < 2; tries++) unwrap(await setSharedSecret(company.id, 'webhook_token', token.id, 'a-new-signing-secret'));
    const { data } = await list(company.tokens.owner, '?limit=100');
    const ofToken = data.filter(({ target }) => target.kind === 'credential' && target.id === String(token.id)).toReversed();
    expect(ofToken.map(({ changes }) => Object.keys(changes).toSorted())).toEqual([
      ['kind', 'secret', 'status', 'subject'],
      ['shared_secret'],
    ]);
    const made = await testApp.call({
      method: 'POST',
      path: '/api/v1/webhooks',
      token: company.tokens.owner,
      body: { url: 'http://127.0.0.1:9/hook', events: ['order.*'] },
    });
    expect(made.status, made.raw).toBe(200);
    const [entry] = (await list(company.tokens.owner, '?limit=100')).data;
    expect(entry).toMatchObject({ action: 'webhook_endpoint.created', by: { via: 'api', credential_kind: 'token' } });
  },
);

attack(
  'audit entries are read page by page, by admins of the company alone',
  [
    {
      in: 'functions/account/contract/audit.ts',
      replace: "scope: 'audit:read', role: 'admin'",
      by: "scope: 'profile:read', role: 'viewer'",
    },
    { in: 'functions/account/service/audit.ts', replace: 'scope: `audit:${companyId}`', by: "scope: 'audit'" },
  ],
  async () => {
    const [company, stranger] = [await newCompany({ roles }), await newCompany({ roles })];
    const all = (await list(company.tokens.owner, '?limit=100')).data;
    expect(all.length).toBeGreaterThan(5);
    const read: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const next = await list(company.tokens.admin, `?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      read.push(...next.data.map(({ id }) => id));
      cursor = next.meta.next_cursor;
    }
    expect(read).toEqual(all.map(({ id }) => id));
    expect((await testApp.call({ method: 'GET', path: '/api/v1/audit', token: company.tokens.member })).status).toBe(403);
    const { next_cursor } = (await list(company.tokens.admin, '?limit=1')).meta;
    const foreign = await testApp.call({ method: 'GET', path: `/api/v1/audit?cursor=${next_cursor}`, token: stranger.tokens.admin });
    expect([foreign.status, foreign.body]).toMatchObject([400, { code: 'invalid_cursor' }]);
  },
);

attack(
  'refused credentials and access are counted, with code and network of the caller, not the address',
  [
    { in: 'shared/http/stages.ts', replace: 'if (exchange.problem) countRefusal(exchange.problem);', by: '' },
    { in: 'shared/access/network.ts', replace: "`${parts.slice(0, 3).join('.')}.0/24`", by: 'address' },
  ],
  async () => {
    const company = await newCompany({ roles });
    const from = testApp.logs.length;
    const sourceIp = '198.51.100.77';
    await testApp.call({ method: 'GET', path: '/api/v1/me', token: `swb_${'x'.repeat(49)}`, sourceIp });
    await testApp.call({ method: 'GET', path: '/api/v1/audit', token: company.tokens.viewer, sourceIp });
    const lines = testApp.logs.slice(from);
    expect(lines.filter((line) => 'RefusedCalls' in line)).toMatchObject([
      { RefusedCalls: 1, code: 'token_invalid', source: '198.51.100.0/24' },
    ]);
    expect(lines.filter((line) => 'RefusedAccess' in line)).toMatchObject([{ RefusedAccess: 1, company_id: company.id }]);
    expect(lines.filter(({ message }) => message === 'request')).toMatchObject([
      { source: '198.51.100.0/24' },
      { source: '198.51.100.0/24' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(sourceIp);
  },
);
