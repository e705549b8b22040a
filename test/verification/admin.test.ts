import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { createTemplateRow, reserveTemplateIds } from '../../functions/templates/store/template.ts';
import { adminOf, type Caller, field, type Fixture, startFixture } from './fixture.ts';

let stage: Fixture;
beforeAll(async () => {
  stage = await startFixture();
});
afterAll(() => stage[Symbol.asyncDispose]());

const dataOf = (answer: Awaited<ReturnType<Caller['post']>>): Record<string, unknown> => {
  expect([answer.status, answer.raw]).toEqual([200, expect.any(String)]);
  return field(answer, 'data') as Record<string, unknown>;
};

describe('profiles', () => {
  test('settings are merged key by key to any depth, null gives the default back, and all are shown', async () => {
    const caller = await stage.newCaller({ otp: { length: 8 } });
    const admin = adminOf(stage, caller);
    const path = `/profiles/${caller.profileId}`;
    const put = (settings_json: Record<string, unknown>) => admin('PUT', path, { settings_json });
    await put({ otp: { max_attempts: 7 }, countries: { mode: 'block', list: ['FR'] } });
    const settings = dataOf(await put({ otp: { length: null }, trust: null }))['settings_json'];
    expect(settings).toMatchObject({
      otp: { length: 6, max_attempts: 7, expiry_seconds: 600 },
      countries: { mode: 'block', list: ['FR'] },
      trust: { ttl_days: 30 },
    });
    expect((await caller.get('/config')).body).toMatchObject({ otp: { length: 6, max_attempts: 7 } });
    expect(dataOf(await admin('GET', path))['settings_json']).toEqual(settings);
  });

  test.each([
    [{ otp: { length: 3 } }, 'settings_json.otp.length'],
    [{ otp: { lenght: 6 } }, 'settings_json.otp'],
    [{ channels: ['sms'] }, 'settings_json.channels.0'],
    [{ countries: { list: ['Germany'] } }, 'settings_json.countries.list.0'],
    [{ ip_whitelist: ['10.0.0.0/33'] }, 'settings_json.ip_whitelist.0'],
    [{ captcha: { mode: 'always' } }, 'settings_json.captcha.secret_key'],
    [{ channels: ['email'] }, 'settings_json.default_channel'],
    [{ magic_link: { redirect_url: 'http://example.org' } }, 'settings_json.magic_link.redirect_url'],
    [{ unknown: 1 }, 'settings_json'],
  ])('%j is refused and names the field', async (settings_json, name) => {
    const caller = await stage.newCaller();
    const answer = await adminOf(stage, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json });
    expect([answer.status, Object.keys(field(answer, 'details') as object)]).toEqual([422, [name]]);
  });

  test('the secret of a CAPTCHA goes in and never comes out', async () => {
    const caller = await stage.newCaller();
    const admin = adminOf(stage, caller);
    const given = { captcha: { mode: 'always', secret_key: 'never-to-be-seen' } };
    const shown = dataOf(await admin('PUT', `/profiles/${caller.profileId}`, { settings_json: given }))['settings_json'];
    expect(shown).toMatchObject({ captcha: { mode: 'always', has_secret_key: true } });
    expect(JSON.stringify([shown, await stage.world.dump(), stage.world.logs]).includes('never-to-be-seen')).toBe(false);
    await admin('PUT', `/profiles/${caller.profileId}`, { settings_json: { captcha: { after_attempts: 2 } } });
    expect(dataOf(await admin('GET', `/profiles/${caller.profileId}`))['settings_json']).toMatchObject({
      captcha: { has_secret_key: true },
    });
  });

  test("another company's are not found, and stay as they are", async () => {
    const [caller, other] = [await stage.newCaller(), await stage.newCaller()];
    const admin = adminOf(stage, other);
    for (const [method, path, body] of [
      ['GET', `/profiles/${caller.profileId}`, undefined],
      ['PUT', `/profiles/${caller.profileId}`, { status: 'inactive' }],
      ['POST', `/profiles/${caller.profileId}/keys`, {}],
      ['POST', '/templates', { profile_id: caller.profileId, channel: 'email', body: '{{code}}' }],
      ['POST', '/whitelists', { profile_id: caller.profileId, kind: 'country', value: 'DE' }],
    ] as const)
      expect((await admin(method, path, body)).status, path).toBe(404);
    expect((await caller.get('/config')).body).toMatchObject({ status: 'active' });
  });

  test('keys are made, rotated with an overlap, and switched off with their profile', async () => {
    const caller = await stage.newCaller();
    const admin = adminOf(stage, caller);
    const key = dataOf(await admin('POST', `/profiles/${caller.profileId}/keys`, { name: 'web' }));
    const asKey = (public_key: unknown) => caller.get('/config', { headers: { 'x-public-key': String(public_key) } });
    const next = dataOf(await admin('POST', `/keys/${String(key['id'])}/rotate`, { overlap_hours: 1 }));
    expect([(await asKey(key['public_key'])).status, (await asKey(next['public_key'])).status]).toEqual([200, 200]);
    await admin('PUT', `/profiles/${caller.profileId}`, { status: 'inactive' });
    const later = dataOf(await admin('POST', `/profiles/${caller.profileId}/keys`, { name: 'made while it is off' }));
    for (const each of [key, next, later]) {
      const headers = { 'x-public-key': String(each['public_key']) };
      expect(await caller.post('/request', { identifier: stage.newPhone() }, { headers })).toMatchObject({
        status: 403,
        body: { code: 'profile_inactive' },
      });
    }
    await admin('POST', `/keys/${String(key['id'])}/deactivate`);
    expect((await asKey(next['public_key'])).status).toBe(401);
    expect(dataOf(await admin('GET', `/profiles/${caller.profileId}/keys`))).toHaveLength(3);
  });
});

describe('templates', () => {
  const approved = async ({ company }: Caller, name: string, language: string, more: Record<string, unknown> = {}) => {
    const id = await reserveTemplateIds(company.id, 1);
    const base = {
      companyId: company.id,
      id,
      name,
      language,
      category: 'AUTHENTICATION',
      status: 'APPROVED',
      parameterFormat: 'POSITIONAL',
    };
    const times = { statusAt: 0, rev: 1, createdAt: 0, updatedAt: 0 };
    await createTemplateRow(storedTemplate.parse({ ...base, components: [], providerId: String(id), ...times, ...more }), undefined);
  };

  test('a WhatsApp code goes in the template of its purpose, else in the one for all', async () => {
    const caller = await stage.newCaller();
    const admin = adminOf(stage, caller);
    const base = { profile_id: caller.profileId, channel: 'whatsapp' };
    await approved(caller, 'any_code', 'de');
    await approved(caller, 'login_code', 'en_US');
    await approved(caller, 'sale', 'en', { category: 'MARKETING' });
    for (const provider_template of ['nowhere', 'sale'])
      expect(await admin('POST', '/templates', { ...base, provider_template })).toMatchObject({
        status: 422,
        body: { details: { provider_template: [expect.any(String)] } },
      });
    dataOf(await admin('POST', '/templates', { ...base, provider_template: 'any_code', language: 'de' }));
    dataOf(await admin('POST', '/templates', { ...base, purpose: 'login', provider_template: 'login_code', language: 'en_US' }));
    expect((await admin('POST', '/templates', { ...base, provider_template: 'any_code', language: 'de' })).status).toBe(409);
    const sent = async (purpose: string) => {
      const identifier = stage.newPhone();
      await caller.post('/request', { identifier, purpose });
      await stage.codeFor(identifier);
      return stage.provider.requests.findLast(({ body }) => body['to'] === identifier)?.body['template'];
    };
    expect(await sent('login')).toMatchObject({ name: 'login_code', language: { code: 'en_US' } });
    expect(await sent('checkout')).toMatchObject({ name: 'any_code', language: { code: 'de' } });
  });

  test("a provider's time-to-live that is longer than codes live is said", async () => {
    const caller = await stage.newCaller({ otp: { expiry_seconds: 300 } });
    const admin = adminOf(stage, caller);
    const base = { profile_id: caller.profileId, channel: 'whatsapp' };
    await approved(caller, 'slow_code', 'en');
    await approved(caller, 'quick_code', 'en', { messageTtlSeconds: 300 });
    const warned = dataOf(await admin('POST', '/templates', { ...base, provider_template: 'slow_code' }));
    expect(warned['warning']).toContain('600 seconds');
    const quick = dataOf(await admin('PUT', `/templates/${String(warned['id'])}`, { provider_template: 'quick_code' }));
    expect(quick['warning']).toBeNull();
  });

  test('an email is worded by its template; what is not text stays text', async () => {
    const caller = await stage.newCaller();
    const admin = adminOf(stage, caller);
    const body = 'Hello <b>you</b>, {{code}} is yours for {{minutes}} minutes.\n\nOr open {{link}} now.';
    const template = { profile_id: caller.profileId, channel: 'email', subject: '{{name}}: {{code}}', body };
    const { id } = dataOf(await admin('POST', '/templates', template));
    await caller.post('/request', { identifier: 'reader@example.org' });
    await stage.world.drain();
    const mail = JSON.stringify(stage.world.emails.at(-1));
    expect(mail).toMatch(/Sign-in: \d{6}/);
    expect(mail).toContain('&#60;b&#62;you');
    expect(mail).toMatch(/<a href=\\+"https:[^"]+magic/);
    expect((await admin('PUT', `/templates/${String(id)}`, { body: 'no code' })).status).toBe(422);
    expect((await admin('DELETE', `/templates/${String(id)}`)).status).toBe(200);
    expect((await admin('DELETE', `/templates/${String(id)}`)).status).toBe(404);
    expect(dataOf(await admin('GET', '/templates'))).toEqual([]);
  });
});
