import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { addProviderApp, getHolder, removeProviderApp } from '../../functions/account/service/provider-apps.ts';
import { webhookFields } from '../../functions/messaging/domain/webhook-fields.ts';
import { captureLogs } from '../support/log-capture.ts';
import { type ProviderAnswer, type ProviderRequest, startProviderStub } from '../support/provider-stub.ts';
import { type Body, caller, callerOf, callsOf, given, startAccountApp } from './setup.ts';

/** Business numbers over HTTP: added, checked and connected by the users of their company. */
const provider = await startProviderStub();
const testApp = await startAccountApp({ PROVIDER_BASE_URL: provider.url });
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});
const call = callsOf(testApp);

/** A provider with one number, which is connected and subscribed; what it is sent, it takes. */
const setup =
  (state: { status?: string; refusesToken?: boolean; callbackUrl?: string; numbers?: string[]; ownUrl?: string; appId?: string } = {}) =>
  ({ method, path }: ProviderRequest): ProviderAnswer | undefined => {
    if (state.refusesToken) return { status: 401, body: { error: { code: 190, message: 'Invalid access token' } } };
    if (path.includes('/app?') || path.endsWith('/app')) return { status: 200, body: { id: state.appId ?? '99' } };
    if (path.includes('/phone_numbers')) return { status: 200, body: { data: (state.numbers ?? []).map((id) => ({ id })) } };
    if (path.includes('/subscribed_apps'))
      return { status: 200, body: method === 'GET' ? { data: [{ whatsapp_business_api_data: { id: '99' } }] } : { success: true } };
    if (path.includes('/subscriptions'))
      return {
        status: 200,
        body:
          method === 'GET'
            ? { data: [{ object: 'whatsapp_business_account', callback_url: state.callbackUrl ?? '', fields: webhookFields }] }
            : { success: true },
      };
    if (path.endsWith('/register')) return { status: 200, body: { success: true } };
    if (path.includes('message_templates')) return undefined;
    const urls = state.ownUrl === undefined ? {} : { webhook_configuration: { phone_number: state.ownUrl } };
    return {
      status: 200,
      body: { verified_name: 'Cedar', display_phone_number: '+1 555 010 0009', status: state.status ?? 'CONNECTED', ...urls },
    };
  };

describe('business numbers', () => {
  let added = 0;
  const numberBody = () => ({
    phone: '+1 555 010 0009',
    phone_number_id: String(990_000 + ++added),
    waba_id: '770',
    access_token: 'the first access token',
    app_secret: 'the first app secret',
  });

  test('are added, changed and given new secrets by an admin; no secret is shown again or logged, and each change is audited', async () => {
    const logs = captureLogs();
    const { companyId, secret } = await caller('owner');
    const admin = await callerOf(companyId, 'admin');
    const first = await call(admin.token, 'POST', '/numbers', numberBody());
    expect(first).toMatchObject({
      status: 200,
      data: { id: 1, phone: '15550100009', rate: 80, status: 'active', has_app_secret: true, verify_token: expect.any(String) },
    });
    const again = { ...numberBody(), phone_number_id: first.data['phone_number_id'] };
    expect(await call(admin.token, 'POST', '/numbers', again)).toMatchObject({
      status: 422,
      errors: { phone_number_id: [expect.any(String)] },
    });
    const { app_secret: _none, ...unsigned } = numberBody();
    expect(await call(admin.token, 'POST', '/numbers', unsigned)).toMatchObject({
      status: 422,
      errors: { app_secret: [expect.any(String)] },
    });
    const second = await call(admin.token, 'POST', '/numbers', { ...numberBody(), verify_token: 'the given verify token' });
    const path = `/numbers/${String(second.data['id'])}`;
    expect(await call(admin.token, 'PUT', path, { rate: 250, is_default: true })).toMatchObject({ data: { rate: 250, is_default: true } });
    const rotated = await call(admin.token, 'POST', `${path}/rotate`, {
      access_token: 'the second access token',
      app_secret: 'the second app secret',
    });
    expect(rotated).toMatchObject({ status: 200, data: { has_app_secret: true } });
    expect(await call(admin.token, 'POST', `${path}/rotate`, {})).toMatchObject({ status: 422 });
    expect(await call(admin.token, 'PUT', `/numbers/1`, { status: 'inactive' })).toMatchObject({ data: { status: 'inactive' } });
    expect(await call(secret, 'GET', path)).toMatchObject({ data: { quality: 'UNKNOWN', restrictions: [], messaging_limit: null } });
    const listed = await call(secret, 'GET', '/numbers');
    expect(listed.data.map(({ id, status, is_default }) => [id, status, is_default])).toEqual([
      [1, 'inactive', false],
      [second.data['id'], 'active', true],
    ]);
    await testApp.drain();
    const audit = await call(secret, 'GET', '/audit');
    const changes = audit.data
      .filter(({ action }) => String(action).startsWith('number.'))
      .map(({ changes: fields }) => Object.keys(fields as Body).toSorted());
    expect(changes).toEqual([['status'], ['access_token', 'app_secret'], ['is_default', 'rate'], expect.any(Array), expect.any(Array)]);
    logs.stop();
    const shown = JSON.stringify([rotated, listed, audit, logs.lines]);
    for (const each of ['the first', 'the second', 'the given verify', String(first.data['verify_token'])])
      expect(shown).not.toContain(each);
  });

  test('have the version that they name, else that of the deployment, else that of the specification', async () => {
    const { secret } = await caller('owner');
    const versionOf = async (body: Body) => (await call(secret, 'POST', '/numbers', body)).data['version'];
    expect(await versionOf(numberBody())).toBe('v19.0');
    vi.stubEnv('PROVIDER_VERSION', 'v25.0');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await versionOf(numberBody())).toBe('v25.0');
    expect(await versionOf({ ...numberBody(), version: 'v24.0' })).toBe('v24.0');
  });

  test('send an access token to no address that a caller names', async () => {
    const { secret } = await caller('owner');
    const added = await call(secret, 'POST', '/numbers', { ...numberBody(), base_url: 'https://elsewhere.example' });
    expect(added).toMatchObject({ status: 200, data: { base_url: null } });
    const changed = await call(secret, 'PUT', `/numbers/${String(added.data['id'])}`, { base_url: 'https://elsewhere.example' });
    expect(changed).toMatchObject({ data: { base_url: null } });
  });

  test('are checked at the provider, with remedies that name operations', async () => {
    const { secret } = await caller('owner');
    const { data } = await call(secret, 'POST', '/numbers', numberBody());
    const check = () => call(secret, 'POST', `/numbers/${String(data['id'])}/check`);
    provider.answering(setup({ refusesToken: true }));
    expect(await check()).toMatchObject({
      status: 200,
      data: { is_ready: false, findings: [{ level: 'wrong', remedy: expect.stringContaining('POST /api/v1/numbers/{id}/rotate') }] },
    });
    provider.answering(setup());
    const well = await check();
    // it is served by another: the number is no less ready
    expect(well.data['findings']).toContainEqual({
      level: 'doubtful',
      message: expect.stringMatching(/^Version v19\.0 /),
      remedy: expect.stringContaining('PUT /api/v1/numbers/{id} with the version v'),
    });
    expect(well.data['findings']).toContainEqual({ level: 'ok', message: expect.stringContaining('"Cedar"'), remedy: null });
    expect(JSON.stringify(well)).not.toMatch(/numbers (connect|rotate|update)|--/);
    expect(await call(secret, 'POST', '/numbers/99/check')).toMatchObject({ status: 404 });
  });

  test('are connected by the URL of their app, which the provider is given, with their templates; a refusal leaves no token behind', async () => {
    const { secret } = await caller('owner');
    const { data } = await call(secret, 'POST', '/numbers', numberBody());
    const connect = (body: Body) => call(secret, 'POST', `/numbers/${String(data['id'])}/connect`, body);
    provider.answering(setup({ status: 'PENDING' }));
    expect(await connect({})).toMatchObject({
      status: 200,
      data: { is_connected: false, webhook_token_id: null, findings: [{ remedy: expect.stringContaining('with a pin') }] },
    });
    expect((await call(secret, 'GET', '/machine-tokens')).data).toEqual([]);
    expect(await connect({ pin: '12' })).toMatchObject({ status: 422 });
    const connected = await connect({ pin: '482916' });
    expect(connected).toMatchObject({ status: 200, data: { templates: 1, former_webhook_token_ids: [] } });
    const posted = (address: string) => provider.requests.findLast(({ method, path }) => method === 'POST' && path.includes(address));
    const subscribed = posted('/99/subscriptions');
    expect(String(subscribed?.body['callback_url'])).toMatch(/^https:\/\/api\.example\.test\/webhook\/messaging\/receive\/\w{40,}$/);
    expect(posted('/770/subscribed_apps')?.body ?? {}).not.toHaveProperty('override_callback_uri');
    const [token] = (await call(secret, 'GET', '/machine-tokens')).data;
    expect(token).toMatchObject({ id: connected.data['webhook_token_id'], receiver: 'messaging', status: 'active' });
    expect(JSON.stringify(connected)).not.toContain(String(subscribed?.body['verify_token']));
    expect(await connect({ pin: '482916' })).toMatchObject({ data: { former_webhook_token_ids: [token?.['id']] } });
  });

  test('of two companies with one app that is not shared are refused: an app has one URL, and it stays with the first', async () => {
    const [first, second] = [await caller('owner'), await caller('owner')];
    const connect = async ({ secret }: { secret: string }) => {
      const { data } = await call(secret, 'POST', '/numbers', numberBody());
      return call(secret, 'POST', `/numbers/${String(data['id'])}/connect`, {});
    };
    provider.answering(setup());
    expect(await connect(first)).toMatchObject({ data: { webhook_token_id: expect.any(Number) } });
    const url = provider.requests.findLast(({ method, path }) => method === 'POST' && path.includes('/99/subscriptions'))?.body[
      'callback_url'
    ];
    provider.answering(setup({ callbackUrl: String(url) }));
    expect(await connect(second)).toMatchObject({
      data: { is_connected: false, webhook_token_id: null, findings: [{ message: expect.stringContaining('another company') }] },
    });
    expect((await call(second.secret, 'GET', '/machine-tokens')).data).toEqual([]);
  });

  test('whose app posts to another system leave it there: messages come to a URL of the account, and the rest is named as missing', async () => {
    const { secret } = await caller('owner');
    const { data } = await call(secret, 'POST', '/numbers', numberBody());
    provider.requests.length = 0;
    provider.answering(setup({ callbackUrl: 'https://other.example/hooks/abc' }));
    expect(await call(secret, 'POST', `/numbers/${String(data['id'])}/connect`, {})).toMatchObject({
      data: {
        is_connected: false,
        webhook_token_id: expect.any(Number),
        findings: expect.arrayContaining([expect.objectContaining({ level: 'wrong', message: expect.stringContaining('another system') })]),
      },
    });
    const posts = provider.requests.filter(({ method }) => method === 'POST');
    expect(posts.filter(({ path }) => path.includes('/99/subscriptions'))).toEqual([]);
    expect(posts.find(({ path }) => path.includes('/subscribed_apps'))?.body).toHaveProperty('override_callback_uri');
  });

  test('lose a webhook URL of their own, which only messages followed', async () => {
    const { secret } = await caller('owner');
    const body = numberBody();
    const { data } = await call(secret, 'POST', '/numbers', body);
    provider.requests.length = 0;
    provider.answering(setup({ ownUrl: 'https://old.example/hook' }));
    await call(secret, 'POST', `/numbers/${String(data['id'])}/connect`, {});
    const removed = provider.requests.find(({ method, path }) => method === 'POST' && path.endsWith(`/${body.phone_number_id}`));
    expect(removed?.body).toEqual({ webhook_configuration: { override_callback_uri: '' } });
  });

  test('of an app that companies share are routed once the provider says that they are the account’s, and no account goes to two companies', async () => {
    const appId = '1040000099';
    given(await addProviderApp({ app_id: appId, app_secret: 'the secret of the app', name: 'Ours' }));
    const [first, second] = [await caller('owner'), await caller('owner')];
    const body = { ...numberBody(), waba_id: '7799' };
    const connect = async ({ secret }: { secret: string }) => {
      // the first number of its company
      await call(secret, 'POST', '/numbers', body);
      return call(secret, 'POST', '/numbers/1/connect', {});
    };
    const refusedFor = (reason: string) => ({ data: { is_connected: false, findings: [{ message: expect.stringContaining(reason) }] } });
    provider.answering(setup({ appId, numbers: ['of another account'] }));
    expect(await connect(first)).toMatchObject(refusedFor('none of the account'));
    expect(await getHolder(appId, body.phone_number_id)).toBeUndefined();
    provider.answering(setup({ appId, numbers: [body.phone_number_id] }));
    expect(await call(first.secret, 'POST', '/numbers/1/connect', {})).toMatchObject({ data: { webhook_token_id: null } });
    expect(await getHolder(appId, body.phone_number_id)).toEqual({ companyId: first.companyId, numberId: 1 });
    expect(await connect(second)).toMatchObject(refusedFor('another company'));
    expect(await getHolder(appId, '7799')).toMatchObject({ companyId: first.companyId });
    await removeProviderApp(appId);
  });
});
