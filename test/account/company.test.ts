import { putInBatches } from '../support/batch-write.ts';
import { sortable } from '../../shared/table/schema.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { createCompany, getCompany, getCompanyRecord, listCompanies, updateCompany } from '../../functions/account/service/companies.ts';
import {
  issueErpToken,
  issueWebhookToken,
  listMachineCredentials,
  rotateMachineCredential,
  setSharedSecret,
} from '../../functions/account/service/machine-tokens.ts';
import {
  getActiveNumber,
  addNumber,
  deactivateNumber,
  listNumbers,
  getNumberByProviderId,
  rotateNumberSecrets,
  updateNumber,
} from '../../functions/account/service/numbers.ts';
import { getSigningSecrets } from '../../functions/account/service/signing-secrets.ts';
import { createUser, listUsers } from '../../functions/account/service/users.ts';
import {
  createProfile,
  deactivateKey,
  issueKey,
  listKeys,
  listProfiles,
  rotateKey,
  updateProfile,
} from '../../functions/account/service/verification-profiles.ts';
import { authenticate } from '../../shared/access/credential.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { startAccountApp, caller, company, given, addUser, refusal } from './setup.ts';

const testApp = await startAccountApp();
afterAll(() => testApp.stop());

const unlimited = { contacts: null, users: null, numbers: null, pipelines: null };
const accessToken = 'EAA-a-provider-access-token';
const numberOf = (n: number) => ({
  phone: `+1 (555) 010-${1000 + n}`,
  phone_number_id: `10${n}`,
  waba_id: '201',
  access_token: accessToken,
});

describe('GET /me', () => {
  test('returns the user, the company and the usage of the plan', async () => {
    const { id } = await company({
      name: 'Cedar Books',
      timezone: 'Europe/Berlin',
      plan: { name: 'team', limits: { ...unlimited, users: 3, numbers: 1 } },
    });
    const user = await addUser(id, 'member');
    given(await addNumber(id, numberOf(1)));
    const { issueToken } = await import('../../functions/account/service/tokens.ts');
    const { secret } = given(await issueToken(id, { user_id: user.id }));
    const answer = await testApp.call({ method: 'GET', path: '/api/v1/me', token: secret });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 'success',
      message: expect.any(String),
      data: {
        id: user.id,
        name: user.name,
        email: user.email,
        company_name: 'Cedar Books',
        company_id: id,
        role: 'member',
        scopes: expect.arrayContaining(['messages:send', 'profile:read']),
        timezone: 'Europe/Berlin',
        plan: { name: 'team', limits: { ...unlimited, users: 3, numbers: 1 }, usage: { contacts: 0, users: 1, numbers: 1, pipelines: 0 } },
        numbers: [
          {
            id: 1,
            phone: '15550101001',
            status: 'active',
            quality: 'UNKNOWN',
            messaging_limit: null,
            account_review: null,
            account_state: null,
            name_status: null,
            restrictions: [],
            health: null,
          },
        ],
      },
    });
    expect(answer.raw).not.toContain(accessToken);
  });

  test('costs the credential check and one round of parallel reads', async () => {
    const { secret } = await caller();
    const used = await testApp.meter(() => testApp.call({ method: 'GET', path: '/api/v1/me', token: secret }));
    expect(used).toMatchObject({ wru: 1, rru: 2.5, calls: 3, rounds: 2 });
  });
});

describe('companies', () => {
  test('get increasing ids and are listed with their values', async () => {
    const first = await company({ name: 'One' });
    const second = await company({ name: 'Two' });
    expect(second.id).toBeGreaterThan(first.id);
    expect((await listCompanies()).slice(-2)).toEqual([first, second]);
    expect(first).toMatchObject({ timezone: 'UTC', status: 'active', plan: { name: 'unlimited', limits: unlimited } });
  });

  test('delete messages after two years unless they say otherwise, or that they are to stay', async () => {
    const made = [{}, { settings: { retention_days: 90 } }, { settings: { retention_days: null } }].map(async (input) => {
      const { id } = await company(input);
      return given(await getCompanyRecord(id)).settings.retention_days;
    });
    expect(await Promise.all(made)).toEqual([730, 90, null]);
  });

  test('can change one setting without losing another', async () => {
    const { id } = await company({ settings: { strict_fields: true } });
    given(await updateCompany(id, { settings: { window_policy: 'enforce' } }));
    expect(await getCompany(id)).toMatchObject({ settings: { windowPolicy: 'enforce', strictFields: true } });
  });

  test.each([
    ['a time zone that there is not', { name: 'X', timezone: 'Europe/Nowhere' }, 'timezone'],
    ['an empty name', { name: ' ' }, 'name'],
  ])('are not created with %s', async (_, input, field) => {
    expect(await createCompany(input)).toMatchObject({ problem: 'validation_failed', errors: { [field]: [expect.any(String)] } });
  });
});

describe('users', () => {
  test('created in parallel with one email address are one', async () => {
    const { id } = await company();
    const input = { name: 'Kim', email: 'Kim@Cedar.example', role: 'member' as const };
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, i) => createUser(id, { ...input, email: i % 2 ? input.email : 'kim@cedar.example' })),
    );
    expect(made.filter((each) => !isProblem(each))).toHaveLength(1);
    expect(made.filter(isProblem).map(({ errors }) => Object.keys(errors ?? {}))).toEqual(Array(5).fill(['email']));
    expect(given(await listUsers(id))).toHaveLength(1);
    expect(await getCompany(id)).toMatchObject({ userCount: 1 });
  });

  test('of two companies may have the same email address', async () => {
    const input = { name: 'Kim', email: 'same@cedar.example', role: 'member' as const };
    given(await createUser((await company()).id, input));
    given(await createUser((await company()).id, input));
  });

  test('created in parallel never exceed the limit of the plan', async () => {
    const { id } = await company({ plan: { name: 'small', limits: { ...unlimited, users: 2 } } });
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, i) => createUser(id, { name: 'K', email: `k${i}@cedar.example`, role: 'viewer' })),
    );
    expect(made.filter((each) => !isProblem(each))).toHaveLength(2);
    expect(made.map(refusal).filter(Boolean)).toEqual(Array(3).fill('plan_limit_reached'));
  });
});

describe('business numbers', () => {
  test('are found for a send, and by provider id for a webhook, with 0.5 RRU', async () => {
    const { id } = await company();
    given(await addNumber(id, { ...numberOf(1), app_secret: 'an app secret' }));
    const { verify_token } = given(await addNumber(id, numberOf(2)));
    const used = await testApp.meter(async () =>
      expect(await getActiveNumber(id)).toMatchObject({ id: 1, ratePerSecond: 80, version: 'v19.0' }),
    );
    expect(used).toMatchObject({ calls: 1, rru: 0.5 });
    const number = await getNumberByProviderId(id, '102');
    expect(number).toMatchObject({ id: 2, phone: '15550101002' });
    expect([await number?.accessToken(), await number?.appSecret()]).toEqual([accessToken, undefined]);
    expect([number?.matchesVerifyToken(verify_token), number?.matchesVerifyToken('something else')]).toEqual([true, false]);
    expect(await (await getActiveNumber(id))?.appSecret()).toBe('an app secret');
    expect(await getNumberByProviderId((await company()).id, '102')).toBeUndefined();
  });

  test('that are inactive send nothing and release their plan quota', async () => {
    const { id } = await company({ plan: { name: 'small', limits: { ...unlimited, numbers: 1 } } });
    given(await addNumber(id, numberOf(1)));
    expect(refusal(await addNumber(id, numberOf(2)))).toBe('plan_limit_reached');
    given(await deactivateNumber(id, 1));
    expect(await getActiveNumber(id)).toBeUndefined();
    const second = given(await addNumber(id, numberOf(3)));
    expect(refusal(await updateNumber(id, 1, { status: 'active' }))).toBe('plan_limit_reached');
    expect(await getActiveNumber(id)).toMatchObject({ id: second.number.id });
  });

  test('are 500 at most, inactive ones included, because each send reads them all', async () => {
    const { id } = await company();
    const { number } = given(await addNumber(id, numberOf(1)));
    const stored = (await testApp.dump()).find(
      (row) => row['kind'] === 'business-number' && row['companyId'] === id && row['id'] === number.id,
    );
    await putInBatches(Array.from({ length: 499 }, (_, n) => ({ ...stored, id: n + 2, sk: sortable(n + 2), status: 'inactive' })));
    expect(refusal(await addNumber(id, numberOf(2)))).toBe('plan_limit_reached');
  });

  test('cannot be connected twice', async () => {
    const { id } = await company();
    given(await addNumber(id, numberOf(1)));
    expect(await addNumber(id, numberOf(1))).toMatchObject({
      problem: 'validation_failed',
      errors: { phone_number_id: [expect.any(String)] },
    });
  });

  test('get new secrets, and the app secret can be removed', async () => {
    const { id } = await company();
    const { number } = given(await addNumber(id, { ...numberOf(1), app_secret: 'old' }));
    given(await rotateNumberSecrets(id, number.id, { access_token: 'new access', app_secret: null }));
    const found = await getActiveNumber(id);
    expect([await found?.accessToken(), await found?.appSecret()]).toEqual(['new access', undefined]);
    given(await updateNumber(id, number.id, { rate: 250, base_url: 'https://provider.example' }));
    expect(await getActiveNumber(id)).toMatchObject({ ratePerSecond: 250, baseUrl: 'https://provider.example' });
    given(await updateNumber(id, number.id, { base_url: null }));
    expect(given(await listNumbers(id))[0]?.base_url).toBeNull();
  });
});

describe('machine tokens', () => {
  test('have a purpose, never expire, and carry the secret of the sender', async () => {
    const { id } = await company();
    const { token, secret } = given(await issueWebhookToken(id, { receiver: 'webshop', shared_secret: 'their secret' }));
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
    const checked = await authenticate(['webhook_token'], secret, 'receiver');
    expect(checked).toMatchObject({ ok: true, principal: { companyId: id, subject: 'webshop', credentialId: token.id, scopes: [] } });
    expect(token).toMatchObject({ expires_at: null, receiver: 'webshop', has_shared_secret: true });
    expect(await getSigningSecrets(id, 'webhook_token', token.id)).toEqual(['their secret']);
    given(await setSharedSecret(id, 'webhook_token', token.id, undefined));
    expect(await getSigningSecrets(id, 'webhook_token', token.id)).toEqual([]);
    const erp = given(await issueErpToken(id, { name: 'till' }));
    expect(erp.secret).toMatch(/^erp_[0-9A-Za-z]{43}$/);
    expect(given(await listMachineCredentials(id, 'erp_token'))).toMatchObject([{ name: 'till', kind: 'erp_token', last_used_at: null }]);
  });

  test('overlap for 24 hours after a rotation', async () => {
    const { id } = await company();
    const old = given(await issueWebhookToken(id, { receiver: 'messaging' }));
    const next = given(await rotateMachineCredential(id, 'webhook_token', old.token.id));
    const alive = async (secret: string) => (await authenticate(['webhook_token'], secret, 'receiver')).ok;
    const end = Date.parse(next.token.previous_expires_at ?? '');
    testApp.clock.moveTo(end - 3_000);
    expect([await alive(old.secret), await alive(next.secret)]).toEqual([true, true]);
    testApp.clock.moveTo(end);
    expect([await alive(old.secret), await alive(next.secret)]).toEqual([false, true]);
  });
});

describe('verification profiles and keys', () => {
  test('the first profile is the default, also when several are created in parallel', async () => {
    const { id } = await company();
    await Promise.all(Array.from({ length: 4 }, (_, i) => createProfile(id, { name: `P${i}` })));
    const profiles = given(await listProfiles(id));
    expect(profiles).toHaveLength(4);
    expect(profiles.filter((each) => each.is_default)).toHaveLength(1);
  });

  test('settings are merged key by key', async () => {
    const { id } = await company();
    const profile = given(await createProfile(id, { name: 'Login', settings_json: { otp: { length: 8 }, require_signature: true } }));
    const changed = given(await updateProfile(id, profile.id, { settings_json: { require_signature: null, default_channel: 'email' } }));
    expect(changed.settings_json).toEqual({ otp: { length: 8 }, default_channel: 'email' });
  });

  test('both keys of a pair call as its profile; the secret key signs; a rotation overlaps; inactive is 401', async () => {
    const { id } = await company();
    const profile = given(await createProfile(id, { name: 'Login' }));
    const first = given(await issueKey(id, profile.id, { name: 'web' }));
    expect([first.public_key, first.secret_key]).toEqual([
      expect.stringMatching(/^pk_live_\w{24}$/),
      expect.stringMatching(/^sk_live_\w{43}$/),
    ]);
    const spend = (secret: string) => authenticate(['public_key', 'test_public_key', 'secret_key'], secret, 'read');
    const checked = await spend(first.public_key);
    if (!checked.ok) throw new Error('The key was refused.');
    expect(checked.principal).toMatchObject({ companyId: id, subject: profile.id });
    expect(await spend(first.secret_key)).toMatchObject({ ok: true, principal: { credentialId: checked.principal.credentialId } });
    const second = given(await rotateKey(id, first.key.id));
    expect(second.key).toMatchObject({ id: first.key.id, public_key: second.public_key });
    expect(await getSigningSecrets(id, 'secret_key', checked.principal.credentialId)).toEqual([second.secret_key, first.secret_key]);
    expect((await spend(first.public_key)).ok).toBe(true);
    given(await deactivateKey(id, first.key.id));
    for (const secret of [first.public_key, first.secret_key, second.public_key, second.secret_key])
      expect((await spend(secret)).ok).toBe(false);
    expect(given(await listKeys(id, profile.id))).toMatchObject([{ status: 'inactive' }]);
  });
});

describe('a test pair of keys', () => {
  test('is marked as one in both halves, made and rotated, and each half calls as a test', async () => {
    const { id } = await company();
    const profile = given(await createProfile(id, { name: 'Login' }));
    const made = given(await issueKey(id, profile.id, { mode: 'test' }));
    for (const pair of [made, given(await rotateKey(id, made.key.id))]) {
      expect([pair.public_key, pair.secret_key]).toEqual([
        expect.stringMatching(/^pk_test_\w{24}$/),
        expect.stringMatching(/^sk_test_\w{43}$/),
      ]);
      for (const secret of [pair.public_key, pair.secret_key])
        expect(await authenticate(['public_key', 'test_public_key', 'secret_key', 'test_secret_key'], secret, 'read')).toMatchObject({
          ok: true,
          principal: { isTest: true, subject: profile.id },
        });
    }
  });
});

describe('secrets', () => {
  test('are not stored in plain text, and a sealed one unseals only in its own item', async () => {
    const { companyId, secret } = await caller();
    const erp = given(await issueErpToken(companyId, { shared_secret: 'a shared secret of the till' }));
    const { verify_token } = given(
      await addNumber(companyId, { ...numberOf(9), access_token: 'EAA-must-not-be-seen', app_secret: 'app-secret-unseen' }),
    );
    const profile = given(await createProfile(companyId, { name: 'P' }));
    const key = given(await issueKey(companyId, profile.id, {}));
    const items = await testApp.dump();
    const all = JSON.stringify(items);
    for (const hidden of [
      secret,
      erp.secret,
      'a shared secret of the till',
      verify_token,
      'EAA-must-not-be-seen',
      'app-secret-unseen',
      key.secret_key,
    ]) {
      expect(all).not.toContain(hidden);
      expect(JSON.stringify(testApp.logs)).not.toContain(hidden);
    }
    expect(all).toContain(key.public_key);
    const { unseal } = await import('../../shared/runtime/seal.ts');
    const sealed = items.find((item) => item['kind'] === 'business-number' && item['companyId'] === companyId)?.['sealedAccessToken'];
    expect(await unseal(String(sealed), `number:${companyId}:1:access-token`)).toBe('EAA-must-not-be-seen');
    await expect(unseal(String(sealed), `number:${companyId + 1}:1:access-token`)).rejects.toThrow();
  });

  test('every key begins with its company, except global lookups, which have no names', async () => {
    const items = await testApp.dump();
    const global = items.filter((item) => !/^C#\d+(#|$)/.test(String(item['pk'])));
    expect(new Set(global.map((item) => item['kind']))).toEqual(new Set(['company-pointer', 'counter', 'credential', 'login']));
    expect(global.filter((item) => 'email' in item || 'name' in item)).toEqual([]);
  });
});
