import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueToken, revokeCompanyToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { startSession } from '../../functions/account/service/sessions.ts';
import { createUser, updateUser } from '../../functions/account/service/users.ts';
import { scopes } from '../../shared/contract/route.ts';
import { attack } from '../support/attack.ts';
import { authenticator } from '../support/authenticator.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { sessionSecretIn, statusAndCode } from '../support/session-answers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What a credential makes has no more than it has, by any way, and ends with it. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp({ env: { EMAIL_FROM: 'no-reply@example.com' } });
  company = await newCompany({ roles: ['owner', 'admin'] });
});
afterAll(() => testApp.stop());

const dataIn = ({ body }: Answer) => (body as { data: Record<string, unknown> }).data;
const me: Call = { method: 'GET', path: '/api/v1/me' };
let addresses = 0;
const exchanged = async (token: string): Promise<string> =>
  sessionSecretIn(
    await testApp.call({
      method: 'POST',
      path: '/api/v1/sessions',
      headers: ofOwnPage,
      body: { token },
      sourceIp: `198.18.31.${++addresses}`,
    }),
  );
const post = (token: string, path: string, body: object, sourceIp?: string): Promise<Answer> =>
  testApp.call({ method: 'POST', path: `/api/v1${path}`, token, body, ...(sourceIp === undefined ? {} : { sourceIp }) });

const ways: [string, string, object][] = [
  ['an owner', '/users', { name: 'New owner', email: 'thief.owner@example.com', role: 'owner' }],
  ['a viewer', '/users', { name: 'New viewer', email: 'thief.viewer@example.com', role: 'viewer' }],
  ['an ERP token', '/machine-tokens', { kind: 'erp_token' }],
  ['a receiver', '/machine-tokens', { kind: 'webhook_token', receiver: 'webshop' }],
  ['an endpoint for messages', '/webhooks', { url: 'https://hooks.example.com/in', events: ['message.received'] }],
  ['an endpoint for everything', '/webhooks', { url: 'https://hooks.example.com/in', events: ['*'] }],
  ['a token', '/tokens', { scopes: ['contacts:read'] }],
];

attack(
  'a token with `account:manage` and `webhooks:manage` alone makes no one and nothing that may more',
  [{ in: 'functions/account/service/minting.ts', replace: 'if (required) return', by: 'if (required && scopes.length > 99) return' }],
  async () => {
    const narrow = unwrap(
      await issueToken(company.id, { user_id: company.users.owner, scopes: ['account:manage', 'webhooks:manage', 'tokens:manage'] }),
    ).secret;
    for (const [what, path, body] of ways)
      expect([what, ...statusAndCode(await post(narrow, path, body))]).toEqual([what, 403, 'insufficient_scope']);
    const target = unwrap(await createUser(company.id, { name: 'Low', email: 'low@example.com', role: 'viewer' }));
    const raised = await testApp.call({ method: 'PUT', path: `/api/v1/users/${target.id}`, token: narrow, body: { role: 'admin' } });
    expect(statusAndCode(raised)).toEqual([403, 'insufficient_scope']);
  },
);

attack(
  'a token for two networks makes no one and nothing that is good from everywhere',
  [{ in: 'functions/account/service/minting.ts', replace: 'const isWider = own &&', by: 'const isWider = own && own.length > 99 &&' }],
  async () => {
    const networks = ['203.0.113.0/24', '198.51.100.7'];
    const bound = unwrap(await issueToken(company.id, { user_id: company.users.owner, networks })).secret;
    for (const [what, path, body] of ways.filter(([what]) => what !== 'a token'))
      expect([what, ...statusAndCode(await post(bound, path, body, '203.0.113.9'))]).toEqual([what, 403, 'ip_not_allowed']);
    // a token made with it has its networks
    expect(dataIn(await post(bound, '/tokens', {}, '203.0.113.9'))).toMatchObject({ networks });
    // with all that a role may and from everywhere it makes users as before
    expect((await post(company.tokens.owner, '/users', { name: 'Kim', email: 'kim.new@example.com', role: 'admin' })).status).toBe(200);
  },
);

attack(
  'a token that ends tomorrow makes none that lasts, and what was made with it ends when it is revoked',
  [
    {
      in: 'functions/account/service/tokens.ts',
      replace: '...lifeOf(fields.life_days, maker?.expiresAt),',
      by: '...lifeOf(fields.life_days, undefined),',
    },
    { in: 'functions/account/service/tokens.ts', replace: '...(maker ? { madeWith: maker.id } : {}),', by: '' },
  ],
  async () => {
    const leaked = unwrap(await issueToken(company.id, { user_id: company.users.owner, life_days: 1 }));
    const made = dataIn(await post(leaked.secret, '/tokens', { life_days: null }));
    const session = unwrap(
      await startSession({
        companyId: company.id,
        userId: company.users.owner,
        name: 'Firefox',
        signedInBy: 'passkey',
        tokenId: leaked.token.id,
      }),
    ).secret;
    const inSession = dataIn(
      await testApp.call(withSession({ method: 'POST', path: '/api/v1/tokens', body: { life_days: null } }, session)),
    );
    for (const { expires_at } of [made, inSession])
      expect(Date.parse(String(expires_at))).toBeLessThanOrEqual(testApp.clock.now() + 86_400_000);
    unwrap(await revokeCompanyToken(company.id, leaked.token.id));
    for (const { secret } of [made, inSession])
      expect(statusAndCode(await testApp.call({ ...me, token: String(secret) }))).toEqual([401, 'token_revoked']);
  },
);

attack(
  'a session of a token ends with the secret it was made of',
  [
    {
      in: 'functions/account/service/tokens.ts',
      replace: 'else await limitSessionsOfToken(',
      by: 'else if (companyId < 0) await limitSessionsOfToken(',
    },
  ],
  async () => {
    const leaked = unwrap(await issueToken(company.id, { user_id: company.users.owner }));
    const session = await exchanged(leaked.secret);
    unwrap(await rotateCompanyToken(company.id, leaked.token.id, 1));
    expect((await testApp.call(withSession(me, session))).status).toBe(200);
    testApp.clock.advance(3_601_000);
    expect(statusAndCode(await testApp.call({ ...me, token: leaked.secret }))).toEqual([401, 'token_expired']);
    expect(statusAndCode(await testApp.call(withSession(me, session)))).toEqual([401, 'token_expired']);
  },
);

describe('a session that began an hour ago', () => {
  const minting: Call[] = [
    { method: 'POST', path: '/api/v1/passkeys/options' },
    { method: 'POST', path: '/api/v1/tokens', body: {} },
    { method: 'POST', path: '/api/v1/users', body: { name: 'N', email: 'stepped.up@example.com', role: 'viewer' } },
    { method: 'POST', path: '/api/v1/machine-tokens', body: { kind: 'erp_token' } },
    { method: 'POST', path: '/api/v1/numbers', body: {} },
    { method: 'POST', path: '/api/v1/webhooks', body: { url: 'https://hooks.example.com/in', events: ['*'] } },
  ];
  const begun = async (provenAt?: number): Promise<string> =>
    unwrap(await startSession({ companyId: company.id, userId: company.users.owner, name: 'Firefox', signedInBy: 'email_code', provenAt }))
      .secret;

  attack(
    'a stolen cookie adds no passkey, and makes no token, user, receiver, number or endpoint',
    [
      {
        in: 'shared/http/caller.ts',
        replace: "if (freshProof && credentialKind === 'session'",
        by: "if (freshProof && credentialKind === 'token'",
      },
      {
        in: 'functions/sessions/service/sessions.ts',
        replace: "signedInBy: 'token', provenAt: neverProven }",
        by: "signedInBy: 'token' }",
      },
    ],
    async () => {
      const session = await begun();
      testApp.clock.advance(3_600_000);
      for (const call of minting)
        expect([call.path, ...statusAndCode(await testApp.call(withSession(call, session)))]).toEqual([
          call.path,
          403,
          'fresh_proof_required',
        ]);
      // what works by day goes on
      expect((await testApp.call(withSession(me, session))).status).toBe(200);
      const fresh = await begun();
      expect((await testApp.call(withSession({ method: 'POST', path: '/api/v1/passkeys/options' }, fresh))).status).toBe(200);
      // who has a token is not its user for certain
      const byToken = await exchanged(company.tokens.owner);
      for (const call of minting)
        expect([call.path, ...statusAndCode(await testApp.call(withSession(call, byToken)))]).toEqual([
          call.path,
          403,
          'fresh_proof_required',
        ]);
      // to change the company is no new proof
      const carried = await begun(testApp.clock.now() - 3_600_000);
      expect(statusAndCode(await testApp.call(withSession({ method: 'POST', path: '/api/v1/tokens', body: {} }, carried)))).toEqual([
        403,
        'fresh_proof_required',
      ]);
    },
  );
});

attack(
  'a passkey of a user who was deactivated signs in no more, also after the user is active again, in which role ever',
  [
    {
      in: 'functions/sessions/service/passkeys.ts',
      replace: 'createdAt > (user.deactivatedAt ?? 0)',
      by: 'createdAt > 0 && user !== undefined',
    },
  ],
  async () => {
    const user = unwrap(await createUser(company.id, { name: 'Max', email: 'max.back@example.com', role: 'admin' }));
    const session = unwrap(
      await startSession({ companyId: company.id, userId: user.id, name: 'Firefox', signedInBy: 'email_code' }),
    ).secret;
    const keyIn = (answer: Answer) => dataIn(answer)['public_key'] as Record<string, unknown>;
    const device = authenticator();
    const path = '/api/v1/passkeys';
    const options = keyIn(await testApp.call(withSession({ method: 'POST', path: `${path}/options` }, session)));
    expect((await testApp.call(withSession({ method: 'POST', path, body: { credential: device.create(options) } }, session))).status).toBe(
      200,
    );
    testApp.clock.advance(1_000);
    unwrap(await updateUser(company.id, user.id, { status: 'inactive' }));
    testApp.clock.advance(1_000);
    unwrap(await updateUser(company.id, user.id, { status: 'active', role: 'owner' }));
    const challenge = keyIn(
      await testApp.call({ method: 'POST', path: `${path}/sign-in/options`, headers: ofOwnPage, sourceIp: '198.18.32.1' }),
    );
    const answer = await testApp.call({
      method: 'POST',
      path: `${path}/sign-in`,
      headers: ofOwnPage,
      body: { credential: device.get(challenge) },
      sourceIp: '198.18.32.2',
    });
    expect(statusAndCode(answer)).toEqual([401, 'passkey_invalid']);
  },
);

attack(
  'to sign out everywhere ends all sessions of the user, and the tokens, new secrets and passkeys that a stolen one made; what was there before works on',
  [
    { in: 'functions/account/service/sessions.ts', replace: 'for (const { id } of own) await endSession(companyId, id);', by: '' },
    {
      in: 'functions/account/service/tokens.ts',
      replace: 'Math.max(pointer.createdAt, pointer.rotatedAt ?? 0) >= since',
      by: 'pointer.createdAt >= since',
    },
    {
      in: 'functions/account/service/tokens.ts',
      replace: 'for (const { id } of made) if (isProblem(await revokeCompanyToken(companyId, id))) throw new Conflict();',
      by: '',
    },
    {
      in: 'functions/sessions/service/sign-out-everywhere.ts',
      replace: 'for (const passkey of added)',
      by: 'for (const passkey of added.slice(99))',
    },
  ],
  async () => {
    const { id: userId } = unwrap(await createUser(company.id, { name: 'Lost', email: 'lost.cookie@example.com', role: 'admin' }));
    const issue = async () => unwrap(await issueToken(company.id, { user_id: userId }));
    const signIn = async () =>
      unwrap(await startSession({ companyId: company.id, userId, name: 'Firefox', signedInBy: 'email_code' })).secret;
    const [ofBefore, rotated] = [await issue(), await issue()];
    testApp.clock.advance(8 * 86_400_000);
    const [own, stolen] = [await signIn(), await signIn()];
    const inStolen = (path: string, body?: object) =>
      testApp.call(withSession({ method: 'POST', path: `/api/v1${path}`, ...(body ? { body } : {}) }, stolen));
    const token = String(dataIn(await inStolen('/tokens', { life_days: null }))['secret']);
    const newSecret = String(dataIn(await inStolen(`/tokens/${rotated.token.id}/rotate`, { overlap_hours: 1 }))['secret']);
    const made = String(dataIn(await post(token, '/tokens', {}))['secret']);
    const options = dataIn(await inStolen('/passkeys/options'))['public_key'] as Record<string, unknown>;
    const device = authenticator();
    expect((await inStolen('/passkeys', { credential: device.create(options) })).status).toBe(200);
    const answer = await testApp.call(withSession({ method: 'POST', path: '/api/v1/sessions/sign-out-everywhere', body: {} }, own));
    expect(dataIn(answer)).toEqual({ sessions: 2, tokens: 3, passkeys: 1 });
    expect(answer.headers['set-cookie']).toMatch(/^__Host-swb_session=; Path=\/; Max-Age=0;/);
    for (const session of [own, stolen])
      expect(statusAndCode(await testApp.call(withSession(me, session)))).toEqual([401, 'token_revoked']);
    for (const secret of [token, newSecret, made])
      expect(statusAndCode(await testApp.call({ ...me, token: secret }))).toEqual([401, 'token_revoked']);
    const from = { headers: ofOwnPage, sourceIp: '198.18.33.1' };
    const challenge = await testApp.call({ method: 'POST', path: '/api/v1/passkeys/sign-in/options', ...from });
    const credential = device.get(dataIn(challenge)['public_key'] as Record<string, unknown>);
    const again = await testApp.call({ method: 'POST', path: '/api/v1/passkeys/sign-in', ...from, body: { credential } });
    expect(statusAndCode(again)).toEqual([401, 'passkey_invalid']);
    expect((await testApp.call({ ...me, token: ofBefore.secret })).status).toBe(200);
    // a credential that may not manage tokens ends none
    const narrow = unwrap(await issueToken(company.id, { user_id: userId, scopes: ['contacts:read'] })).secret;
    expect(dataIn(await post(narrow, '/sessions/sign-out-everywhere', {}))).toMatchObject({ tokens: 0 });
  },
);

attack(
  'users get a mail about what lets someone in and lasts, once, at most six times an hour, in no words of a caller',
  [
    {
      in: 'functions/sessions/domain/notice.ts',
      replace: "if (after?.status !== 'active' || before?.hash === after.hash) return undefined;",
      by: 'if (after) return undefined;',
    },
    { in: 'functions/sessions/domain/notice.ts', replace: "if (before?.status !== 'active') return 'user';", by: '' },
    { in: 'functions/sessions/reactions.ts', replace: "change.before ? undefined : 'passkey'", by: 'undefined' },
    { in: 'functions/sessions/reactions.ts', replace: '[after.by.userId ?? 0, owner]', by: '[after.by.userId ?? 0]' },
    {
      in: 'functions/verification/store/notice.ts',
      replace: "any(missing('count'), below('count', most))",
      by: "any(missing('count'), below('count', most * 99))",
    },
  ],
  async () => {
    const words = 'https://evil.example';
    const { id: userId } = unwrap(await createUser(company.id, { name: words, email: 'noticed@example.com', role: 'admin' }));
    const session = unwrap(await startSession({ companyId: company.id, userId, name: 'Firefox', signedInBy: 'email_code' })).secret;
    const made = async (path: string, body?: object) =>
      dataIn(await testApp.call(withSession({ method: 'POST', path: `/api/v1${path}`, ...(body ? { body } : {}) }, session)));
    const subjects = (email: string) =>
      testApp.emails.map((each) => JSON.stringify(each)).filter((each) => each.includes(email) && !each.includes('verification code'));
    const options = (await made('/passkeys/options'))['public_key'] as Record<string, unknown>;
    await made('/passkeys', { name: words, credential: authenticator().create(options) });
    await made('/tokens', { name: words });
    await made('/users', { name: words, email: 'noticed.too@example.com', role: 'viewer' });
    await made('/machine-tokens', { kind: 'erp_token' });
    await testApp.drain();
    const first = subjects('noticed@example.com');
    expect(first).toHaveLength(4);
    for (const what of ['A passkey was added', 'A personal access token was made', 'A user was added', 'A token of a machine was made'])
      expect(
        first.filter((mail) => mail.includes(what)),
        what,
      ).toHaveLength(1);
    expect(first.join()).not.toContain(words);
    for (let nth = 0; nth < 4; nth++) await made('/tokens', {});
    await testApp.drain();
    expect(subjects('noticed@example.com')).toHaveLength(6);
    // an owner makes a token for another user, who is to know
    testApp.clock.advance(3_600_000);
    const other = unwrap(await createUser(company.id, { name: 'Other', email: 'noticed.other@example.com', role: 'viewer' }));
    expect((await post(company.tokens.owner, '/tokens', { user_id: other.id })).status).toBe(200);
    await testApp.drain();
    expect(subjects('noticed.other@example.com')).toHaveLength(1);
  },
);

test('a notice that did not leave goes with the next delivery of its message, and leaves once however often that is delivered', async () => {
  const email = 'noticed.later@example.com';
  const { id } = unwrap(await createUser(company.id, { name: 'Later', email, role: 'viewer' }));
  const mails = () => testApp.emails.filter((each) => JSON.stringify(each).includes(email)).length;
  const notices: string[] = [];
  using _hook = testApp.onQueue(({ when, command, input }) => {
    const { Entries = [] } = input as { Entries?: { MessageBody: string }[] };
    if (when === 'before' && command === 'SendMessageBatch')
      notices.push(...Entries.flatMap(({ MessageBody: body }) => (body.includes(`"user_id":${id},`) ? [body] : [])));
  });
  testApp.mailing(() => 'throttled');
  expect((await post(company.tokens.owner, '/tokens', { user_id: id })).status).toBe(200);
  await testApp.drain({ retry: 'timed' });
  expect(mails()).toBe(0);
  testApp.mailing(undefined);
  await testApp.passTime(5);
  expect(mails()).toBe(1);
  expect(notices).toHaveLength(1);
  const record = (messageId: string) => ({
    messageId,
    body: notices[0],
    attributes: { ApproximateReceiveCount: '2' },
    messageAttributes: {},
  });
  await testApp.invokeFunction('verification-codes', { Records: [record('again'), record('and again')] });
  expect(mails()).toBe(1);
});

test('a session of each single scope lists its sessions and signs out', async () => {
  for (const scope of scopes) {
    const token = unwrap(await issueToken(company.id, { user_id: company.users.owner, scopes: [scope] }));
    const session = await exchanged(token.secret);
    const listed = await testApp.call(withSession({ method: 'GET', path: '/api/v1/sessions' }, session));
    const own = (listed.body as { data: { id: number; is_current: boolean }[] }).data.find(({ is_current }) => is_current);
    const out = await testApp.call(withSession({ method: 'DELETE', path: `/api/v1/sessions/${own?.id}` }, session));
    expect([scope, out.status]).toEqual([scope, 200]);
    expect(statusAndCode(await testApp.call(withSession(me, session)))).toEqual([401, 'token_revoked']);
  }
});

test('an Idempotency-Key of a colleague gives no one the options of the colleague’s passkey', async () => {
  const options = (token: string) =>
    testApp.call({ method: 'POST', path: '/api/v1/passkeys/options', token, headers: { 'idempotency-key': 'the-same-key' } });
  const first = await options(company.tokens.owner);
  const second = await options(company.tokens.admin);
  expect(first.status).toBe(200);
  expect([second.status, second.raw.includes('owner')]).toEqual([409, false]);
});
