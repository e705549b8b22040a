import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { issueToken, listCompanyTokens, revokeCompanyToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { createUser, deactivateUser, setRole } from '../../functions/account/service/users.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { authenticate } from '../../shared/access/credential.ts';
import { hasTokenPrefix, newToken } from '../../shared/access/token.ts';
import { dayMs, minuteMs } from '../../shared/runtime/clock.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startAccountApp, caller, company, given, addUser, refusal } from './setup.ts';

const testApp = await startAccountApp();
afterAll(() => testApp.stop());
// every test begins at the start of a minute, so that no rate window ends in the middle
beforeEach(() => testApp.clock.moveTo((Math.floor(Date.now() / minuteMs) + 1) * minuteMs));

const me = (token: string): Promise<Answer> => testApp.call({ method: 'GET', path: '/api/v1/me', token });
const codeOf = async (token: string): Promise<string> => {
  const answer = await me(token);
  return answer.status === 200 ? 'ok' : (answer.body as { code: string }).code;
};

describe('a personal access token', () => {
  test('costs one write unit per call', async () => {
    const { secret } = await caller();
    const used = await testApp.meter(() => authenticate(['token'], secret, 'read'));
    expect(used).toMatchObject({ wru: 1, rru: 0, calls: 1 });
  });

  test('is invalid from the call after its revocation on', async () => {
    const { companyId, token, secret } = await caller();
    expect(await codeOf(secret)).toBe('ok');
    given(await revokeCompanyToken(companyId, token.id));
    const answer = await me(secret);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body).toMatchObject({ code: 'token_revoked' });
    expect(given(await listCompanyTokens(companyId))).toMatchObject([{ id: token.id, status: 'revoked' }]);
  });

  test.each([
    ['365 days unless told', undefined, 365],
    ['as many days as asked', 7, 7],
  ])('is valid %s, to the millisecond', async (_, lifeDays, days) => {
    const { secret, token } = await caller('member', { life_days: lifeDays });
    const end = Date.parse(token.expires_at ?? '');
    expect(end - Date.parse(token.created_at)).toBe(days * dayMs);
    testApp.clock.moveTo(end - 3_000);
    expect(await codeOf(secret)).toBe('ok');
    testApp.clock.moveTo(end);
    expect(await codeOf(secret)).toBe('token_expired');
  });

  test('without an expiry stays valid', async () => {
    const { secret, token } = await caller('member', { life_days: null });
    expect(token.expires_at).toBeNull();
    testApp.clock.advance(4_000 * dayMs);
    expect(await codeOf(secret)).toBe('ok');
  });

  test.each([0, 366, 1.5])('cannot be created for %s days', async (lifeDays) => {
    const { id } = await company();
    const { id: userId } = await addUser(id);
    expect(await issueToken(id, { user_id: userId, life_days: lifeDays })).toMatchObject({
      problem: 'validation_failed',
      errors: { life_days: [expect.any(String)] },
    });
  });

  test.each([
    ['a changed character', (secret: string) => `${secret.slice(0, 10)}${secret[10] === 'a' ? 'b' : 'a'}${secret.slice(11)}`],
    ['a missing character', (secret: string) => secret.slice(0, -1)],
    ['another prefix', (secret: string) => `xyz${secret.slice(3)}`],
    ['an empty body', () => 'swb_'],
  ])('with %s is rejected without a table call', async (_, spoil) => {
    const { secret } = await caller();
    const spoiled = spoil(secret);
    expect(hasTokenPrefix('token', spoiled)).toBe(false);
    const used = await testApp.meter(() => codeOf(spoiled));
    expect(used.calls).toBe(0);
    expect(await codeOf(spoiled)).toBe('token_invalid');
  });

  test('of valid format but unknown is invalid, at the cost of a known one and of the count of its address', async () => {
    const used = await testApp.meter(async () => expect(await codeOf(newToken('token'))).toBe('token_invalid'));
    expect(used).toMatchObject({ calls: 2, wru: 2 });
  });

  test('shows when it was last used, to the minute', async () => {
    const { companyId, secret } = await caller();
    expect(given(await listCompanyTokens(companyId))).toMatchObject([{ last_used_at: null }]);
    const minute = Math.floor(Date.now() / minuteMs) * minuteMs;
    await me(secret);
    expect(Date.parse(given(await listCompanyTokens(companyId))[0]?.last_used_at ?? '')).toBe(minute);
  });

  test('is one of at most 50; a revoked or expired one does not count', async () => {
    const { companyId, userId, token } = await caller('member', { life_days: 1 });
    const more = await Promise.all(Array.from({ length: 5 }, async () => given(await issueToken(companyId, { user_id: userId }))));
    for (let i = 6; i < 50; i++) given(await issueToken(companyId, { user_id: userId }));
    expect(await issueToken(companyId, { user_id: userId })).toMatchObject({
      problem: 'plan_limit_reached',
      details: { resource: 'tokens', limit: 50, used: 50 },
    });
    given(await revokeCompanyToken(companyId, more[0]?.token.id ?? 0));
    given(await issueToken(companyId, { user_id: userId }));
    expect(refusal(await issueToken(companyId, { user_id: userId }))).toBe('plan_limit_reached');
    testApp.clock.moveTo(Date.parse(token.expires_at ?? ''));
    given(await issueToken(companyId, { user_id: userId }));
    expect(refusal(await rotateCompanyToken(companyId, token.id))).toBe('plan_limit_reached');
  });

  test('of one user does not count for another', async () => {
    const { companyId, userId } = await caller();
    const other = await addUser(companyId);
    for (let i = 1; i < 50; i++) given(await issueToken(companyId, { user_id: userId }));
    expect(refusal(await issueToken(companyId, { user_id: other.id }))).toBeUndefined();
  });

  test('created in parallel never exceeds 50', async () => {
    const { companyId, userId } = await caller();
    for (let i = 1; i < 47; i++) given(await issueToken(companyId, { user_id: userId }));
    // all of them read 47 before the first one commits
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    using _ = testApp.onTable(async ({ command, when }) => {
      if (command !== 'TransactWriteItems' || when !== 'before') return;
      if (++waiting >= 6) all.resolve();
      await all.promise;
    });
    await Promise.all(Array.from({ length: 6 }, () => issueToken(companyId, { user_id: userId })));
    const active = given(await listCompanyTokens(companyId)).filter(({ status }) => status === 'active');
    expect(active.length).toBeGreaterThan(47);
    expect(active.length).toBeLessThanOrEqual(50);
  });
});

describe('a rotation', () => {
  test('does not change the id; the former secret ends exactly after 24 hours, the new one stays valid', async () => {
    const { companyId, token, secret } = await caller();
    const rotatedAt = Date.now();
    const next = given(await rotateCompanyToken(companyId, token.id));
    expect(next.token).toMatchObject({ id: token.id, status: 'active' });
    const end = Date.parse(next.token.previous_expires_at ?? '');
    expect(end - rotatedAt).toBeGreaterThanOrEqual(dayMs);
    expect(end - rotatedAt).toBeLessThan(dayMs + 2_000);
    testApp.clock.moveTo(end - 3_000);
    expect([await codeOf(secret), await codeOf(next.secret)]).toEqual(['ok', 'ok']);
    testApp.clock.moveTo(end);
    expect([await codeOf(secret), await codeOf(next.secret)]).toEqual(['token_expired', 'ok']);
  });

  test('with an overlap of 0 hours ends the former secret at once', async () => {
    const { companyId, token, secret } = await caller();
    const next = given(await rotateCompanyToken(companyId, token.id, 0));
    expect([await codeOf(secret), await codeOf(next.secret)]).toEqual(['token_expired', 'ok']);
  });

  test.each([-1, 169, 0.5])('rejects an overlap of %s hours', async (hours) => {
    const { companyId, token, secret } = await caller();
    expect(refusal(await rotateCompanyToken(companyId, token.id, hours))).toBe('validation_failed');
    expect(await codeOf(secret)).toBe('ok');
  });

  test('never extends the former secret', async () => {
    const { companyId, token, secret } = await caller('member', { life_days: 1 });
    testApp.clock.moveTo(Date.parse(token.expires_at ?? '') - minuteMs);
    given(await rotateCompanyToken(companyId, token.id, 168));
    testApp.clock.moveTo(Date.parse(token.expires_at ?? ''));
    expect(await codeOf(secret)).toBe('token_expired');
  });

  test('repeated leaves at most four former secrets valid', async () => {
    const first = await caller();
    const secrets = [first.secret];
    for (let i = 0; i < 6; i++) secrets.push(given(await rotateCompanyToken(first.companyId, first.token.id)).secret);
    expect(await Promise.all(secrets.map(codeOf))).toEqual(['token_revoked', 'token_revoked', 'ok', 'ok', 'ok', 'ok', 'ok']);
  });

  test('followed by a revocation ends every secret of the token', async () => {
    const { companyId, token, secret } = await caller();
    const next = given(await rotateCompanyToken(companyId, token.id));
    given(await revokeCompanyToken(companyId, token.id));
    expect([await codeOf(secret), await codeOf(next.secret)]).toEqual(['token_revoked', 'token_revoked']);
    expect(refusal(await rotateCompanyToken(companyId, token.id))).toBe('conflict');
  });
});

describe('scopes of a token', () => {
  test('are by default those of the role, and never more', async () => {
    const viewer = await caller('viewer');
    expect(viewer.token.scopes).toEqual(expect.arrayContaining(['profile:read', 'contacts:read']));
    // besides, everyone manages the own tokens
    expect(viewer.token.scopes.filter((scope) => !scope.endsWith(':read'))).toEqual(['tokens:manage']);
    expect(await issueToken(viewer.companyId, { user_id: viewer.userId, scopes: ['messages:send'] })).toMatchObject({
      problem: 'validation_failed',
      errors: { scopes: [expect.stringContaining('messages:send')] },
    });
  });

  test('follow the role from the next call on, within the requested ones', async () => {
    const { companyId, userId, secret, token } = await caller('admin', { scopes: ['profile:read', 'webhooks:manage'] });
    const all = given(await issueToken(companyId, { user_id: userId }));
    given(await setRole(companyId, userId, 'viewer'));
    expect((await me(secret)).body).toMatchObject({ data: { role: 'viewer', scopes: ['profile:read'] } });
    expect((await me(all.secret)).body).toMatchObject({ data: { role: 'viewer', scopes: expect.not.arrayContaining(['messages:send']) } });
    given(await setRole(companyId, userId, 'owner'));
    expect((await me(secret)).body).toMatchObject({ data: { role: 'owner', scopes: ['profile:read', 'webhooks:manage'] } });
    const rotated = given(await rotateCompanyToken(companyId, token.id));
    expect((await me(rotated.secret)).body).toMatchObject({ data: { role: 'owner', scopes: ['profile:read', 'webhooks:manage'] } });
  });

  test('without the one of a route is rejected, naming it', async () => {
    const { secret } = await caller('admin', { scopes: ['contacts:read'] });
    const answer = await me(secret);
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope', details: { required: 'profile:read' } } });
  });
});

/** Runs another operation right before the next transaction is sent. */
const beforeCommit = async <T>(meanwhile: () => Promise<unknown>, work: () => Promise<T>): Promise<T> => {
  let isPending = true;
  using _ = testApp.onTable(async ({ command, when }) => {
    if (!isPending || when !== 'before' || command !== 'TransactWriteItems') return;
    isPending = false;
    await meanwhile();
  });
  const result = await work();
  expect(isPending).toBe(false);
  return result;
};

describe('a token that is created while', () => {
  test('the company is suspended is suspended too', async () => {
    const { companyId, userId, token } = await caller();
    const suspend = () => suspendCompany(companyId);
    const made = given(await beforeCommit(suspend, () => issueToken(companyId, { user_id: userId })));
    expect(await codeOf(made.secret)).toBe('company_suspended');
    given(await resumeCompany(companyId));
    const rotated = given(await beforeCommit(suspend, () => rotateCompanyToken(companyId, token.id)));
    expect(await codeOf(rotated.secret)).toBe('company_suspended');
  });

  test('the role is lowered does not have the former role', async () => {
    const { companyId, userId } = await caller('owner');
    const made = given(
      await beforeCommit(
        () => setRole(companyId, userId, 'viewer'),
        () => issueToken(companyId, { user_id: userId }),
      ),
    );
    expect(made.token.scopes).not.toContain('messages:send');
    expect((await me(made.secret)).body).toMatchObject({ data: { role: 'viewer' } });
  });

  test('the user is deactivated is not created', async () => {
    const { companyId, userId } = await caller();
    const leave = () => deactivateUser(companyId, userId);
    expect(refusal(await beforeCommit(leave, () => issueToken(companyId, { user_id: userId })))).toBe('validation_failed');
    expect(given(await listCompanyTokens(companyId)).filter(({ status }) => status === 'active')).toEqual([]);
  });

  test('it is revoked, by a rotation, stays revoked', async () => {
    const { companyId, token, secret } = await caller();
    const revoke = () => revokeCompanyToken(companyId, token.id);
    expect(refusal(await beforeCommit(revoke, () => rotateCompanyToken(companyId, token.id)))).toBe('conflict');
    expect(await codeOf(secret)).toBe('token_revoked');
  });
});

describe('a suspended company', () => {
  test('is rejected with every secret, also one created meanwhile, until it is resumed', async () => {
    const { companyId, userId, secret, token } = await caller();
    const rotated = given(await rotateCompanyToken(companyId, token.id));
    const erp = given(await issueErpToken(companyId, {}));
    const other = await caller();
    given(await suspendCompany(companyId));
    const late = given(await issueToken(companyId, { user_id: userId }));
    expect(await Promise.all([secret, rotated.secret, late.secret].map(codeOf))).toEqual(Array(3).fill('company_suspended'));
    expect((await me(secret)).status).toBe(403);
    expect(await authenticate(['erp_token'], erp.secret, 'erp')).toMatchObject({ ok: false, problem: { problem: 'company_suspended' } });
    expect(await codeOf(other.secret)).toBe('ok');
    given(await resumeCompany(companyId));
    expect(await Promise.all([secret, rotated.secret, late.secret].map(codeOf))).toEqual(Array(3).fill('ok'));
  });
});

describe('a deactivated user', () => {
  test('has no token left, gets no new one, and releases the email address and the quota', async () => {
    const { companyId, userId, secret, token } = await caller();
    given(await deactivateUser(companyId, userId));
    expect(await codeOf(secret)).toBe('token_revoked');
    expect(refusal(await issueToken(companyId, { user_id: userId }))).toBe('validation_failed');
    expect(refusal(await rotateCompanyToken(companyId, token.id))).toBe('validation_failed');
    const again = given(await deactivateUser(companyId, userId));
    expect(refusal(await createUser(companyId, { name: 'Kim', email: again.email, role: 'member' }))).toBeUndefined();
  });
});

describe('the rate of a token', () => {
  test('is exact: calls up to the limit succeed, one more is 429, the next minute succeeds again', async () => {
    const erp = given(await issueErpToken((await company()).id, {})).secret;
    const spend = () => authenticate(['erp_token'], erp, 'erp');
    for (let i = 1; i <= 30; i++) expect(await spend()).toMatchObject({ ok: true, rate: { limit: 30, remaining: 30 - i } });
    const refused = await spend();
    expect(refused).toMatchObject({ ok: false, problem: { problem: 'rate_limited' }, rate: { remaining: 0 } });
    testApp.clock.moveTo((Math.floor(Date.now() / minuteMs) + 1) * minuteMs);
    expect(await spend()).toMatchObject({ ok: true, rate: { remaining: 29 } });
  });

  test('is exact also for parallel calls', async () => {
    const erp = given(await issueErpToken((await company()).id, {})).secret;
    const all = await Promise.all(Array.from({ length: 45 }, () => authenticate(['erp_token'], erp, 'erp')));
    expect(all.filter(({ ok }) => ok)).toHaveLength(30);
  });

  test('is returned in the rate limit headers (G13)', async () => {
    const { secret } = await caller();
    const { headers } = await me(secret);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '1200', 'x-ratelimit-remaining': '1199' });
    expect(Number(headers['x-ratelimit-reset']) * 1_000).toBe((Math.floor(Date.now() / minuteMs) + 1) * minuteMs);
  });
});
