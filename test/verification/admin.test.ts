import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { createTemplateRow, reserveTemplateIds } from '../../functions/templates/store/template.ts';
import { createVerificationWhitelist, listVerificationWhitelists } from '../../functions/verification/service/admin/whitelists.ts';
import type { Once } from '../../shared/contract/route.ts';
import { adminOf, type Caller, field, type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const dataOf = (answer: Awaited<ReturnType<Caller['post']>>): Record<string, unknown> => {
  expect([answer.status, answer.raw]).toEqual([200, expect.any(String)]);
  return field(answer, 'data') as Record<string, unknown>;
};

describe('profiles', () => {
  test('updateVerificationProfile merges settings key by key to any depth, null restores the default, and all are shown', async () => {
    const caller = await fixture.newCaller({ otp: { length: 8 } });
    const admin = adminOf(fixture, caller);
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

  test('getVerificationConfig gives a page the CAPTCHA widget and the channel to offer first, and never the secret key', async () => {
    const caller = await fixture.newCaller({ channels: ['email', 'whatsapp'], default_channel: 'email' });
    const before = await caller.get('/config');
    expect(before.body).toMatchObject({ default_channel: 'email', captcha: null });
    const captcha = {
      mode: 'always',
      provider: 'turnstile',
      site_key: 'site-key-of-a-page',
      secret_key: 'secret-key-of-a-server',
      action: 'login',
    };
    dataOf(await adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json: { captcha } }));
    const answer = await caller.get('/config');
    const shown = { mode: 'always', provider: 'turnstile', site_key: 'site-key-of-a-page', action: 'login' };
    expect((answer.body as { captcha: unknown }).captcha).toEqual(shown);
    expect(answer.raw).not.toContain('secret-key-of-a-server');
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
    const caller = await fixture.newCaller();
    const answer = await adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json });
    expect([answer.status, Object.keys(field(answer, 'details') as object)]).toEqual([422, [name]]);
  });

  test('the CAPTCHA secret is stored sealed and never shown', async () => {
    const caller = await fixture.newCaller();
    const admin = adminOf(fixture, caller);
    const given = { captcha: { mode: 'always', secret_key: 'never-to-be-seen' } };
    const shown = dataOf(await admin('PUT', `/profiles/${caller.profileId}`, { settings_json: given }))['settings_json'];
    expect(shown).toMatchObject({ captcha: { mode: 'always', has_secret_key: true } });
    expect(JSON.stringify([shown, await fixture.testApp.dump(), fixture.testApp.logs]).includes('never-to-be-seen')).toBe(false);
    await admin('PUT', `/profiles/${caller.profileId}`, { settings_json: { captcha: { after_attempts: 2 } } });
    expect(dataOf(await admin('GET', `/profiles/${caller.profileId}`))['settings_json']).toMatchObject({
      captcha: { has_secret_key: true },
    });
  });

  test('the settings that GET shows can be put back unchanged, and the CAPTCHA secret stays', async () => {
    const caller = await fixture.newCaller({ otp: { length: 8 }, countries: { mode: 'block', list: ['FR'] } });
    const admin = adminOf(fixture, caller);
    const path = `/profiles/${caller.profileId}`;
    await admin('PUT', path, { settings_json: { captcha: { mode: 'always', secret_key: 'the-secret' } } });
    const storedSecret = async (): Promise<unknown> => {
      const profile = (await fixture.testApp.dump()).find(
        (item) => item['kind'] === 'verification-profile' && item['id'] === caller.profileId,
      );
      return (profile?.['settings'] as { captcha: { secret_key: string } } | undefined)?.captcha.secret_key;
    };
    const secret = await storedSecret();
    expect(secret).toEqual(expect.any(String));
    const { settings_json: shown } = dataOf(await admin('GET', path));
    expect(shown).toMatchObject({ captcha: { mode: 'always', has_secret_key: true } });
    for (let i = 0; i < 2; i++)
      expect(dataOf(await admin('PUT', path, { settings_json: shown as Record<string, unknown> }))['settings_json']).toEqual(shown);
    expect(dataOf(await admin('GET', path))['settings_json']).toEqual(shown);
    expect(await storedSecret()).toBe(secret);
    const created = dataOf(
      await admin('POST', '/profiles', {
        name: 'A copy',
        settings_json: { ...(shown as object), captcha: { mode: 'disabled', has_secret_key: true } },
      }),
    );
    expect(created['settings_json']).toMatchObject({ otp: { length: 8 }, captcha: { mode: 'disabled', has_secret_key: false } });
  });

  test("another company's profiles are not found and do not change", async () => {
    const [caller, other] = [await fixture.newCaller(), await fixture.newCaller()];
    const admin = adminOf(fixture, other);
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

  test('createVerificationWhitelist repeated after a crash finds the entry of its first attempt', async () => {
    const { company, profileId } = await fixture.newCaller();
    const drawn: Record<string, unknown> = {};
    const once: Once = async (name, draw) => (drawn[name] ??= await draw()) as Awaited<ReturnType<typeof draw>>;
    const input = { profile_id: profileId, kind: 'ip' as const, value: '198.51.100.0/24' };
    const first = await createVerificationWhitelist(company.id, input, once);
    fixture.testApp.clock.advance(36_000);
    expect(await createVerificationWhitelist(company.id, input, once)).toEqual(first);
    expect(await listVerificationWhitelists(company.id, profileId)).toEqual([first]);
  });

  test('keys are created, rotated with an overlap, and inactive with their profile', async () => {
    const caller = await fixture.newCaller();
    const admin = adminOf(fixture, caller);
    const key = dataOf(await admin('POST', `/profiles/${caller.profileId}/keys`, { name: 'web' }));
    const asKey = (public_key: unknown) => caller.get('/config', { headers: { 'x-public-key': String(public_key) } });
    const next = dataOf(await admin('POST', `/keys/${String(key['id'])}/rotate`, { overlap_hours: 1 }));
    expect([(await asKey(key['public_key'])).status, (await asKey(next['public_key'])).status]).toEqual([200, 200]);
    await admin('PUT', `/profiles/${caller.profileId}`, { status: 'inactive' });
    const later = dataOf(await admin('POST', `/profiles/${caller.profileId}/keys`, { name: 'made while it is off' }));
    for (const each of [key, next, later]) {
      const headers = { 'x-public-key': String(each['public_key']) };
      expect(await caller.post('/request', { identifier: fixture.newPhone() }, { headers })).toMatchObject({
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

  test('a WhatsApp code uses the template of its purpose, else the default one', async () => {
    const caller = await fixture.newCaller();
    const admin = adminOf(fixture, caller);
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
      const identifier = fixture.newPhone();
      await caller.post('/request', { identifier, purpose });
      await fixture.codeFor(identifier);
      return fixture.provider.requests.findLast(({ body }) => body['to'] === identifier)?.body['template'];
    };
    expect(await sent('login')).toMatchObject({ name: 'login_code', language: { code: 'en_US' } });
    expect(await sent('checkout')).toMatchObject({ name: 'any_code', language: { code: 'de' } });
  });

  describe('with a URL button', () => {
    const link = 'https://api.example.com/api/v1/verification/magic/{{1}}';
    const withButton = (url: string, body: string) => ({
      category: 'UTILITY',
      messageTtlSeconds: 300,
      components: [
        { type: 'BODY', text: body },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Confirm', url }] },
      ],
    });
    const sentTo = async (caller: Caller): Promise<{ id: string; template: unknown }> => {
      const identifier = fixture.newPhone();
      const id = String(field(await caller.post('/request', { identifier, purpose: 'login' }), 'request_id'));
      await fixture.testApp.drain();
      return { id, template: fixture.provider.requests.findLast(({ body }) => body['to'] === identifier)?.body['template'] };
    };

    test('a WhatsApp message carries the link, which verifies; once the profile allows no links, it carries the code', async () => {
      const caller = await fixture.newCaller();
      const admin = adminOf(fixture, caller);
      await approved(caller, 'confirm', 'en', withButton(link, 'Please confirm. {{1}} Thank you.'));
      dataOf(await admin('POST', '/templates', { profile_id: caller.profileId, channel: 'whatsapp', provider_template: 'confirm' }));
      const { id, template } = await sentTo(caller);
      expect(template).toMatchObject({
        name: 'confirm',
        components: [
          { type: 'body', parameters: [{ text: expect.stringContaining('It allows: login, Sign-in.') }] },
          { type: 'button', sub_type: 'url', index: '0', parameters: [{ text: expect.stringMatching(new RegExp(`^${id}/[\\w-]{43}$`)) }] },
        ],
      });
      const [, token = ''] = /"text":"[0-9a-f-]{36}\/([\w-]{43})"/.exec(JSON.stringify(template)) ?? [];
      const opened = await fixture.testApp.call({
        method: 'POST',
        path: `/api/v1/verification/magic/${id}/${token}`,
        sourceIp: '198.18.60.1',
      });
      expect([opened.status, (await caller.get(`/status/${id}`)).body]).toEqual([200, expect.objectContaining({ is_verified: true })]);
      dataOf(await admin('PUT', `/profiles/${caller.profileId}`, { settings_json: { magic_link: { enabled: false } } }));
      const after = await sentTo(caller);
      expect(after.template).toMatchObject({ name: 'verification_code' });
      expect(JSON.stringify(after.template)).not.toContain(after.id);
    });

    test.each([
      ['its button leads elsewhere', 'https://shop.example/{{1}}', 'Please confirm.', {}],
      ['its body has two variables', link, 'Please {{1}} confirm {{2}} now.', {}],
      ['the profile sends no links', link, 'Please confirm.', { magic_link: { enabled: false } }],
    ])('a template is refused where %s', async (_case, url, body, settings) => {
      const caller = await fixture.newCaller(settings);
      await approved(caller, 'other', 'en', withButton(url, body));
      const input = { profile_id: caller.profileId, channel: 'whatsapp', provider_template: 'other' };
      expect(await adminOf(fixture, caller)('POST', '/templates', input)).toMatchObject({
        status: 422,
        body: { details: { provider_template: [expect.any(String)] } },
      });
    });
  });

  test('a provider template that outlives its codes returns a warning', async () => {
    const caller = await fixture.newCaller({ otp: { expiry_seconds: 300 } });
    const admin = adminOf(fixture, caller);
    const base = { profile_id: caller.profileId, channel: 'whatsapp' };
    await approved(caller, 'slow_code', 'en');
    await approved(caller, 'quick_code', 'en', { messageTtlSeconds: 300 });
    const warned = dataOf(await admin('POST', '/templates', { ...base, provider_template: 'slow_code' }));
    expect(warned['warning']).toContain('600 seconds');
    const quick = dataOf(await admin('PUT', `/templates/${String(warned['id'])}`, { provider_template: 'quick_code' }));
    expect(quick['warning']).toBeNull();
  });

  test('an email uses its template, with HTML escaped', async () => {
    const caller = await fixture.newCaller();
    const admin = adminOf(fixture, caller);
    const body = 'Hello <b>you</b>, {{code}} is yours for {{minutes}} minutes.\n\nOr open {{link}} now.';
    const template = { profile_id: caller.profileId, channel: 'email', subject: '{{name}}: {{code}}', body };
    const { id } = dataOf(await admin('POST', '/templates', template));
    await caller.post('/request', { identifier: 'reader@example.org' });
    await fixture.testApp.drain();
    const mail = JSON.stringify(fixture.testApp.emails.at(-1));
    expect(mail).toMatch(/Sign-in: \d{6}/);
    expect(mail).toContain('&#60;b&#62;you');
    expect(mail).toMatch(/<a href=\\+"https:[^"]+magic/);
    expect((await admin('PUT', `/templates/${String(id)}`, { body: 'no code' })).status).toBe(422);
    expect((await admin('DELETE', `/templates/${String(id)}`)).status).toBe(200);
    expect((await admin('DELETE', `/templates/${String(id)}`)).status).toBe(404);
    expect(dataOf(await admin('GET', '/templates'))).toEqual([]);
  });
});
