import { afterAll, describe, expect, test } from 'vitest';
import { updateUser } from '../../functions/account/service/users.ts';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { scopes } from '../../shared/contract/route.ts';
import { type Body, addUser, caller, callerOf, callsOf, given, refusal, startAccountApp } from './setup.ts';

/** The account over HTTP: what its users change without the operator. */
const testApp = await startAccountApp();
afterAll(() => testApp.stop());
const call = callsOf(testApp);

describe('the company', () => {
  test('is changed by an admin, key by key; its plan is not', async () => {
    const { companyId, secret } = await caller('owner');
    const admin = await callerOf(companyId, 'admin');
    const changed = await call(admin.token, 'PUT', '/company', {
      name: 'Cedar',
      settings: { task_reminder_minutes: 45 },
      plan: { name: 'x' },
    });
    expect(changed).toMatchObject({
      status: 200,
      data: { name: 'Cedar', settings: { task_reminder_minutes: 45, window_policy: 'provider' } },
    });
    await call(admin.token, 'PUT', '/company', { settings: { window_policy: 'enforce' } });
    expect(await call(secret, 'GET', '/company')).toMatchObject({
      data: { plan: { name: 'unlimited' }, timezone: 'UTC', settings: { task_reminder_minutes: 45, window_policy: 'enforce' } },
    });
  });
});

describe('the settings of a company', () => {
  test('with strict_input refuse unknown fields by their names, at every depth and with every token; without, they change nothing', async () => {
    const { companyId, secret } = await caller('owner');
    const body = { name: 'Cedar', nickname: 'C', settings: { window_polcy: 'enforce' } };
    expect(await call(secret, 'PUT', '/company', body)).toMatchObject({ status: 200, data: { settings: { window_policy: 'provider' } } });
    expect(await call(secret, 'PUT', '/company', { settings: { strict_input: true } })).toMatchObject({
      status: 200,
      data: { settings: { strict_input: true } },
    });
    const later = await callerOf(companyId, 'owner');
    for (const token of [secret, later.token])
      expect(await call(token, 'PUT', '/company', body)).toMatchObject({
        status: 422,
        code: 'unknown_field',
        errors: { nickname: [expect.any(String)], 'settings.window_polcy': [expect.any(String)] },
      });
    expect(await call(secret, 'PUT', '/company', { name: 'Cedar', settings: { strict_input: false } })).toMatchObject({ status: 200 });
    for (const token of [secret, later.token]) expect(await call(token, 'PUT', '/company', body)).toMatchObject({ status: 200 });
  });

  test('name a template of the company for reminders', async () => {
    const { secret } = await caller('owner');
    expect(await call(secret, 'PUT', '/company', { settings: { task_reminder_template_id: 41 } })).toMatchObject({
      status: 422,
      errors: { 'settings.task_reminder_template_id': [expect.any(String)] },
    });
  });
});

describe('users', () => {
  test('are listed for everyone who must choose one, active or not', async () => {
    const { companyId, userId, secret } = await caller('viewer');
    const other = await addUser(companyId, 'member');
    given(await updateUser(companyId, other.id, { status: 'inactive' }));
    expect((await call(secret, 'GET', '/users')).data.map(({ id }) => id)).toEqual([userId, other.id]);
    expect((await call(secret, 'GET', '/users?status=active')).data.map(({ id }) => id)).toEqual([userId]);
  });

  test('who are owners are made and changed by an owner alone', async () => {
    const { companyId, userId, secret } = await caller('owner');
    const admin = await callerOf(companyId, 'admin');
    const refused = { status: 403, code: 'role_required', details: { role: 'owner' } };
    expect(await call(admin.token, 'POST', '/users', { name: 'O', email: 'o@cedar.example', role: 'owner' })).toMatchObject(refused);
    expect(await call(admin.token, 'PUT', `/users/${admin.id}`, { role: 'owner' })).toMatchObject(refused);
    expect(await call(admin.token, 'PUT', `/users/${userId}`, { name: 'Renamed' })).toMatchObject(refused);
    expect(await call(secret, 'PUT', `/users/${admin.id}`, { role: 'owner' })).toMatchObject({ status: 200, data: { role: 'owner' } });
  });

  test('include an active owner at all times, also when two owners demote each other at once', async () => {
    const { companyId, userId, secret } = await caller('owner');
    for (const change of [{ role: 'admin' }, { status: 'inactive' }])
      expect(await call(secret, 'PUT', `/users/${userId}`, change)).toMatchObject({ status: 409, code: 'last_owner' });
    const other = await callerOf(companyId, 'owner');
    const results = await Promise.all([
      updateUser(companyId, userId, { role: 'viewer' }, { by: { userId: 1, role: 'owner', scopes } }),
      updateUser(companyId, other.id, { status: 'inactive' }, { by: { userId: 1, role: 'owner', scopes } }),
    ]);
    expect(new Set(results.map(refusal))).toEqual(new Set(['last_owner', undefined]));
  });

  test('lose every token when deactivated, and get none back when reactivated', async () => {
    const { companyId, secret } = await caller('owner');
    const member = await callerOf(companyId, 'member');
    expect(await call(secret, 'PUT', `/users/${member.id}`, { status: 'inactive' })).toMatchObject({ data: { status: 'inactive' } });
    expect(await call(member.token, 'GET', '/me')).toMatchObject({ status: 401, code: 'token_revoked' });
    expect(await call(secret, 'PUT', `/users/${member.id}`, { role: 'admin' })).toMatchObject({
      status: 422,
      errors: { role: [expect.any(String)] },
    });
    const back = await call(secret, 'PUT', `/users/${member.id}`, { status: 'active', role: 'viewer', name: 'Kim again' });
    expect(back).toMatchObject({ status: 200, data: { id: member.id, status: 'active', role: 'viewer', name: 'Kim again' } });
    expect(await call(member.token, 'GET', '/me')).toMatchObject({ status: 401, code: 'token_revoked' });
    expect(given(await issueToken(companyId, { user_id: member.id })).token.scopes).not.toContain('messages:send');
  });

  test('are not reactivated while another has their email address', async () => {
    const { companyId, secret } = await caller('owner');
    const { id, email } = await addUser(companyId, 'member');
    await call(secret, 'PUT', `/users/${id}`, { status: 'inactive' });
    await call(secret, 'POST', '/users', { name: 'New', email, role: 'member' });
    expect(await call(secret, 'PUT', `/users/${id}`, { status: 'active' })).toMatchObject({
      status: 422,
      errors: { email: [expect.any(String)] },
    });
  });
});

describe('personal access tokens', () => {
  test('are made and rotated by their user, and by an owner for others', async () => {
    const { companyId, userId, secret } = await caller('owner');
    const member = await callerOf(companyId, 'member');
    const own = await call(member.token, 'POST', '/tokens', { name: 'till', scopes: ['contacts:read'], life_days: 30 });
    expect(own).toMatchObject({
      status: 200,
      data: { user_id: member.id, scopes: ['contacts:read'], secret: expect.stringMatching(/^swb_/) },
    });
    const foreign = { status: 403, code: 'role_required', details: { role: 'owner' } };
    expect(await call(member.token, 'POST', '/tokens', { user_id: userId })).toMatchObject(foreign);
    expect(await call(member.token, 'GET', '/tokens?all=true')).toMatchObject(foreign);
    const [ownersToken] = (await call(secret, 'GET', '/tokens')).data;
    for (const [method, path] of [
      ['POST', '/rotate'],
      ['DELETE', ''],
    ] as const)
      expect(
        await call(member.token, method, `/tokens/${String(ownersToken?.['id'])}${path}`, method === 'POST' ? {} : undefined),
      ).toMatchObject(foreign);
    expect((await call(secret, 'GET', '/tokens?all=true')).data).toHaveLength(3);
    expect(JSON.stringify(await call(secret, 'GET', '/tokens?all=true'))).not.toContain(own.data['secret']);
    expect(await call(secret, 'DELETE', `/tokens/${String(own.data['id'])}`)).toMatchObject({ status: 200, data: { status: 'revoked' } });
    expect(await call(String(own.data['secret']), 'GET', '/contacts')).toMatchObject({ status: 404 });
    expect(await call(String(own.data['secret']), 'GET', '/me')).toMatchObject({ status: 401 });
  });

  test('give no scope that the token of the call lacks, by creating or by rotating', async () => {
    const { companyId, userId, token } = await caller('admin');
    const narrow = given(await issueToken(companyId, { user_id: userId, scopes: ['tokens:manage', 'contacts:read'] })).secret;
    const refused = { status: 403, code: 'insufficient_scope' };
    expect(await call(narrow, 'POST', '/tokens', { scopes: ['contacts:write'] })).toMatchObject(refused);
    expect(await call(narrow, 'POST', `/tokens/${token.id}/rotate`, {})).toMatchObject(refused);
    expect(await call(narrow, 'POST', '/tokens', {})).toMatchObject({ status: 200, data: { scopes: ['contacts:read', 'tokens:manage'] } });
  });

  test('with a list of networks are accepted from there alone, and lead to no token for more', async () => {
    const { secret } = await caller('owner');
    const made = await call(secret, 'POST', '/tokens', { networks: ['198.51.100.0/24', '2001:db8::/32'] });
    const token = String(made.data['secret']);
    const from = async (sourceIp: string) => (await testApp.call({ method: 'GET', path: '/api/v1/me', token, sourceIp })).status;
    expect(await Promise.all(['198.51.100.7', '2001:db8::9', '198.51.101.7', '203.0.113.1'].map(from))).toEqual([200, 200, 403, 403]);
    const create = async (body: Body) => {
      const { status, body: answer } = await testApp.call({
        method: 'POST',
        path: '/api/v1/tokens',
        token,
        sourceIp: '198.51.100.7',
        body,
      });
      return [status, (answer as { data?: Body }).data?.['networks']];
    };
    expect(await create({})).toEqual([200, ['198.51.100.0/24', '2001:db8::/32']]);
    expect(await create({ networks: ['198.51.100.128/25'] })).toEqual([200, ['198.51.100.128/25']]);
    expect((await create({ networks: ['198.51.0.0/16'] }))[0]).toBe(403);
    expect(await call(secret, 'POST', '/tokens', { networks: ['10.0.0.0/33'] })).toMatchObject({ status: 422 });
  });

  test('rotated without an overlap end with every older secret', async () => {
    const { secret, token } = await caller('owner');
    const second = await call(secret, 'POST', `/tokens/${token.id}/rotate`, { overlap_hours: 24 });
    const third = await call(String(second.data['secret']), 'POST', `/tokens/${token.id}/rotate`, { overlap_hours: 0 });
    const statuses = [];
    for (const each of [secret, second.data['secret'], third.data['secret']])
      statuses.push((await call(String(each), 'GET', '/me')).status);
    expect(statuses).toEqual([401, 401, 200]);
    expect(third.data).toMatchObject({ previous_expires_at: null });
  });

  test('rotated with a shorter overlap shorten the overlap of older secrets', async () => {
    const { secret, token } = await caller('owner');
    const second = await call(secret, 'POST', `/tokens/${token.id}/rotate`, { overlap_hours: 24 });
    await call(secret, 'POST', `/tokens/${token.id}/rotate`, { overlap_hours: 1 });
    expect((await call(secret, 'GET', '/me')).status).toBe(200);
    testApp.clock.advance(3_600_001);
    for (const each of [secret, String(second.data['secret'])]) expect((await call(each, 'GET', '/me')).status).toBe(401);
  });
});

describe('machine tokens', () => {
  test('are shown once with a whole address, rotated with an overlap and revoked, by an admin', async () => {
    const { companyId, secret } = await caller('owner');
    const admin = await callerOf(companyId, 'admin');
    const messaging = await call(admin.token, 'POST', '/machine-tokens', { kind: 'webhook_token', receiver: 'messaging' });
    expect(messaging.data['url']).toBe(`https://api.example.test/webhook/messaging/receive/${String(messaging.data['secret'])}`);
    const shop = await call(admin.token, 'POST', '/machine-tokens', {
      kind: 'webhook_token',
      receiver: 'webshop',
      make_shared_secret: true,
    });
    expect(shop.data).toMatchObject({
      url: expect.stringContaining('/shop/webhooks/webshop/'),
      shared_secret: expect.stringMatching(/^[0-9a-f]{48}$/),
    });
    const erp = await call(admin.token, 'POST', '/machine-tokens', { kind: 'erp_token', name: 'warehouse' });
    expect(erp.data).toMatchObject({ url: expect.stringContaining('/shop/webhooks/custom/erp_'), shared_secret: null });
    const id = String(erp.data['id']);
    const rotated = await call(secret, 'POST', `/machine-tokens/${id}/rotate`, { overlap_hours: 2 });
    expect(rotated.data).toMatchObject({ id: erp.data['id'], previous_expires_at: expect.any(String) });
    expect(rotated.data['secret']).not.toBe(erp.data['secret']);
    expect(await call(secret, 'PUT', `/machine-tokens/${String(shop.data['id'])}`, { shared_secret: null })).toMatchObject({
      data: { has_shared_secret: false },
    });
    expect(await call(secret, 'DELETE', `/machine-tokens/${id}`)).toMatchObject({ data: { status: 'revoked' } });
    const listed = await call(secret, 'GET', '/machine-tokens');
    expect(listed.data.map(({ kind, status }) => [kind, status])).toEqual([
      ['webhook_token', 'active'],
      ['webhook_token', 'active'],
      ['erp_token', 'revoked'],
    ]);
    for (const each of [messaging, shop, erp, rotated]) expect(JSON.stringify(listed)).not.toContain(each.data['secret']);
  });

  test.each([
    [{ kind: 'webhook_token' }, 'receiver'],
    [{ kind: 'erp_token', receiver: 'webshop' }, 'receiver'],
    [{ kind: 'erp_token', shared_secret: 'long enough', make_shared_secret: true }, 'shared_secret'],
  ])('%j is refused at %s', async (body, field) => {
    const { secret } = await caller('owner');
    expect(await call(secret, 'POST', '/machine-tokens', body)).toMatchObject({ status: 422, errors: { [field]: [expect.any(String)] } });
  });
});
