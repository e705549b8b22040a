import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateUser } from '../../functions/account/service/users.ts';
import { revokeCompanyToken, issueToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { sessionIdleMs, sessionLifeMs } from '../../shared/access/session.ts';
import { attack } from '../support/attack.ts';
import { roles } from '../../shared/contract/route.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { sessionIn, sessionSecretIn, statusAndCode } from '../support/session-answers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Sessions: what a page of another site, a thief of a log and another company can do with the cookie of a browser. */
let testApp: TestApp;
let company: TestCompany;
let other: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp({ env: { EMAIL_FROM: 'no-reply@example.com' } });
  company = await newCompany({ roles });
  other = await newCompany();
});
afterAll(() => testApp.stop());

let addresses = 0;
/** Each sign-in from an address of its own: they are limited by it. */
const signIn = (token: string, headers: Record<string, string> = ofOwnPage): Promise<Answer> =>
  testApp.call({ method: 'POST', path: '/api/v1/sessions', headers, body: { token }, sourceIp: `198.18.7.${++addresses}` });
const me: Call = { method: 'GET', path: '/api/v1/me' };
const rename = (name: string): Call => ({ method: 'POST', path: '/api/v1/tags', body: { name } });

const sessionsOfAccount = 'functions/account/service/sessions.ts';

describe('a session', () => {
  test('is in a cookie that no script, no other site and no other host gets, and nowhere in the body or the logs', async () => {
    testApp.logs.length = 0;
    const answer = await signIn(company.tokens.member);
    const secret = sessionSecretIn(answer);
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-swb_session=ses_[0-9A-Za-z]{49}; Path=\/; Max-Age=60(4800|47\d\d); HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(answer.raw).not.toContain(secret);
    const used = await testApp.call(withSession(me, secret));
    expect(used.status).toBe(200);
    expect(used.raw).not.toContain(secret);
    expect(JSON.stringify(testApp.logs)).not.toContain(secret);
    expect(JSON.stringify(testApp.logs)).not.toContain(company.tokens.member);
  });

  test('costs as much as a token: one write', async () => {
    const secret = sessionSecretIn(await signIn(company.tokens.member));
    const read: Call = { method: 'GET', path: '/api/v1/tags' };
    const byToken = await testApp.meter(() => testApp.call({ ...read, token: company.tokens.member }));
    const bySession = await testApp.meter(() => testApp.call(withSession(read, secret)));
    expect(bySession).toEqual(byToken);
    expect(bySession.wru).toBe(1);
  });

  test('ends twelve hours after its last call, seven days after its begin, and stays ended', async () => {
    const first = await signIn(company.tokens.member);
    const secret = sessionSecretIn(first);
    const began = testApp.clock.now();
    testApp.clock.advance(sessionIdleMs - 61_000);
    expect((await testApp.call(withSession(me, secret))).status).toBe(200);
    testApp.clock.advance(sessionIdleMs);
    expect(statusAndCode(await testApp.call(withSession(me, secret)))).toEqual([401, 'token_expired']);
    expect(statusAndCode(await testApp.call(withSession(me, secret)))).toEqual([401, 'token_expired']);
    const second = sessionSecretIn(await signIn(company.tokens.member));
    const until = testApp.clock.now() + sessionLifeMs;
    while (testApp.clock.now() + sessionIdleMs / 2 < until) {
      testApp.clock.advance(sessionIdleMs / 2);
      expect((await testApp.call(withSession(me, second))).status).toBe(200);
    }
    testApp.clock.moveTo(until);
    expect(statusAndCode(await testApp.call(withSession(me, second)))).toEqual([401, 'token_expired']);
    expect(Date.parse(sessionIn(first).expires_at)).toBeLessThanOrEqual(began + sessionLifeMs);
  });

  attack(
    'is listed to its user alone, and ended by its user alone, from the next call on',
    [
      { in: sessionsOfAccount, replace: 'pointer.userId === userId && isUsableNow(pointer)', by: 'isUsableNow(pointer)' },
      { in: sessionsOfAccount, replace: 'if (pointer?.userId !== userId) return false;', by: 'if (!pointer) return false;' },
    ],
    async () => {
      const laptop = await signIn(company.tokens.admin, { ...ofOwnPage, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' });
      const phone = await signIn(company.tokens.admin, { ...ofOwnPage, 'user-agent': 'Mozilla/5.0 (iPhone) CriOS/140 Safari/604' });
      const [mine, lost] = [sessionSecretIn(laptop), sessionSecretIn(phone)];
      const listed = await testApp.call(withSession({ method: 'GET', path: '/api/v1/sessions' }, mine));
      expect((listed.body as { data: unknown[] }).data.slice(-2)).toMatchObject([
        { id: sessionIn(laptop).id, device: 'Firefox on Linux', is_current: true },
        { id: sessionIn(phone).id, device: 'Chrome on iOS', is_current: false },
      ]);
      for (const token of [company.tokens.owner, other.tokens.owner]) {
        const theirs = await testApp.call({ method: 'GET', path: '/api/v1/sessions', token });
        const ids = (theirs.body as { data: { id: number }[] }).data.map(({ id }) => id);
        expect(ids.filter((id) => [sessionIn(laptop).id, sessionIn(phone).id].includes(id))).toEqual([]);
      }
      const end: Call = { method: 'DELETE', path: `/api/v1/sessions/${sessionIn(phone).id}` };
      for (const token of [company.tokens.owner, other.tokens.owner])
        expect(statusAndCode(await testApp.call({ ...end, token }))).toEqual([404, 'not_found']);
      expect((await testApp.call(withSession(me, lost))).status).toBe(200);
      const ended = await testApp.call(withSession(end, mine));
      expect([ended.status, ended.headers['set-cookie']]).toEqual([200, undefined]);
      expect(statusAndCode(await testApp.call(withSession(me, lost)))).toEqual([401, 'token_revoked']);
      const out = await testApp.call(withSession({ method: 'DELETE', path: `/api/v1/sessions/${sessionIn(laptop).id}` }, mine));
      expect(out.headers['set-cookie']).toMatch(/^__Host-swb_session=; Path=\/; Max-Age=0; /);
      expect(statusAndCode(await testApp.call(withSession(me, mine)))).toEqual([401, 'token_revoked']);
    },
  );

  test('has what its token has, now: scopes, a later role, and the end of token, user and company', async () => {
    const { id } = company;
    const narrow = unwrap(await issueToken(id, { user_id: company.users.member, scopes: ['profile:read'], life_days: 1 }));
    const answer = await signIn(narrow.secret);
    const secret = sessionSecretIn(answer);
    expect((answer.body as { data: { scopes: string[] } }).data.scopes).toEqual(['profile:read']);
    expect(Date.parse(sessionIn(answer).expires_at)).toBeLessThanOrEqual(testApp.clock.now() + 86_400_000);
    expect(statusAndCode(await testApp.call(withSession(rename('a'), secret)))).toEqual([403, 'insufficient_scope']);
    unwrap(await revokeCompanyToken(id, narrow.token.id));
    expect(statusAndCode(await testApp.call(withSession(me, secret)))).toEqual([401, 'token_revoked']);

    const full = unwrap(await issueToken(id, { user_id: company.users.member }));
    const session = sessionSecretIn(await signIn(full.secret));
    unwrap(await rotateCompanyToken(id, full.token.id, 24));
    expect((await testApp.call(withSession(rename('b'), session))).status).toBe(200);
    unwrap(await updateUser(id, company.users.member, { role: 'viewer' }));
    expect(statusAndCode(await testApp.call(withSession(rename('c'), session)))).toEqual([403, 'insufficient_scope']);
    unwrap(await rotateCompanyToken(id, full.token.id, 0));
    expect(statusAndCode(await testApp.call(withSession(me, session)))).toEqual([401, 'token_revoked']);
    const last = sessionSecretIn(await signIn(unwrap(await issueToken(id, { user_id: company.users.member })).secret));
    unwrap(await updateUser(id, company.users.member, { status: 'inactive' }));
    expect(statusAndCode(await testApp.call(withSession(me, last)))).toEqual([401, 'token_revoked']);
  });

  test('that lapses while its token or its user is ended stops neither', async () => {
    const { id, users } = await newCompany({ roles: ['owner', 'member'] });
    const ends = [
      (token: number) => revokeCompanyToken(id, token),
      (token: number) => rotateCompanyToken(id, token, 0),
      () => updateUser(id, users.member, { status: 'inactive' }),
    ];
    for (const end of ends) {
      const { secret, token } = unwrap(await issueToken(id, { user_id: users.member }));
      const lapse = Date.parse(sessionIn(await signIn(secret)).expires_at) + 1_000;
      // it was listed, and is read on its own before it is ended
      let reads = 0;
      using _lapse = testApp.onTable(({ command, input, when }) => {
        if (command !== 'GetItem' || when !== 'before' || !(input['Key'] as { sk: string }).sk.startsWith('session#')) return;
        reads++;
        testApp.clock.moveTo(lapse);
      });
      unwrap<unknown>(await end(token.id));
      expect(reads).toBe(1);
    }
  });

  test('begins and ends with an entry in the audit trail, without its secret', async () => {
    const answer = await signIn(company.tokens.viewer);
    const { id } = sessionIn(answer);
    await testApp.call(withSession({ method: 'DELETE', path: `/api/v1/sessions/${id}` }, sessionSecretIn(answer)));
    await testApp.drain();
    const audit = await testApp.call({ method: 'GET', path: '/api/v1/audit?limit=100', token: company.tokens.owner });
    const entries = (audit.body as { data: { action: string; target: { id: string }; by: object; changes: Record<string, unknown> }[] })
      .data;
    const own = entries.filter(({ target, action }) => target.id === String(id) && action.startsWith('credential.'));
    expect(own).toMatchObject([
      {
        action: 'credential.updated',
        by: { user_id: company.users.viewer, credential_kind: 'session' },
        changes: { status: { to: 'revoked' } },
      },
      { action: 'credential.created', changes: { kind: { to: 'session' }, signed_in_by: { to: 'token' } } },
    ]);
    expect(audit.raw).not.toContain(sessionSecretIn(answer));
  });

  test('of more than twenty browsers ends the oldest', async () => {
    const { tokens } = await newCompany({ roles: ['owner'] });
    const first = sessionSecretIn(await signIn(tokens.owner));
    for (let nth = 1; nth < 20; nth++) await signIn(tokens.owner);
    expect((await testApp.call(withSession(me, first))).status).toBe(200);
    await signIn(tokens.owner);
    expect(statusAndCode(await testApp.call(withSession(me, first)))).toEqual([401, 'token_revoked']);
  });
});

attack(
  'a page of another site neither writes nor reads with the session of a browser (CSRF), nor signs it in as someone else',
  [
    { in: 'shared/http/caller.ts', replace: 'if (session !== undefined) refuseCrossOrigin(event);', by: '' },
    { in: 'shared/http/caller.ts', replace: 'if (exchange.route.sameOrigin) refuseCrossOrigin(event);', by: '' },
    { in: 'shared/access/session.ts', replace: "if (site !== undefined && site !== 'same-origin')", by: 'if (false)' },
    { in: 'shared/access/session.ts', replace: '!ownOrigins(headers, baseUrl).includes(origin)', by: 'false' },
    { in: 'shared/access/session.ts', replace: 'isWrite && headers[sessionHeader] === undefined', by: 'false' },
  ],
  async () => {
    const secret = sessionSecretIn(await signIn(company.tokens.owner));
    const cookie = `__Host-swb_session=${secret}`;
    const { origin, 'sec-fetch-site': site, 'x-session-request': sent } = ofOwnPage;
    const foreign: Record<string, string>[] = [
      {},
      { 'x-session-request': sent },
      { origin, 'sec-fetch-site': site },
      { origin: 'https://evil.example', 'x-session-request': sent },
      { origin: 'https://evil.example', 'sec-fetch-site': site, 'x-session-request': sent },
      { origin: 'null', 'x-session-request': sent },
      { origin, 'sec-fetch-site': 'cross-site', 'x-session-request': sent },
      { origin, 'sec-fetch-site': 'same-site', 'x-session-request': sent },
      { 'sec-fetch-site': 'none', 'x-session-request': sent },
      { origin: `${origin}.evil.example`, 'x-session-request': sent },
    ];
    for (const headers of foreign) {
      const wrote: string[] = [];
      using _watch = testApp.onTable(({ command, when }) => {
        if (when === 'before') wrote.push(command);
      });
      const write = await testApp.call({ ...rename('csrf'), headers: { ...headers, cookie } });
      expect(statusAndCode(write), JSON.stringify(headers)).toEqual([403, 'cross_origin_request']);
      expect(statusAndCode(await signIn(company.tokens.owner, headers)), JSON.stringify(headers)).toEqual([403, 'cross_origin_request']);
      expect(wrote).toEqual([]);
    }
    const read = await testApp.call({ ...me, headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(statusAndCode(read)).toEqual([403, 'cross_origin_request']);
    expect((await testApp.call(withSession(rename('own page'), secret))).status).toBe(200);
  },
);

attack(
  'a secret that a thief put into the browser beforehand is no session afterwards (fixation), and the former session ends',
  [{ in: 'functions/sessions/service/start-session.ts', replace: 'if (browser.former !== undefined)', by: 'if (false)' }],
  async () => {
    const planted = sessionSecretIn(await signIn(company.tokens.admin));
    const answer = await signIn(company.tokens.owner, { ...ofOwnPage, cookie: `__Host-swb_session=${planted}` });
    expect(sessionSecretIn(answer)).not.toBe(planted);
    expect(statusAndCode(await testApp.call(withSession(me, planted)))).toEqual([401, 'token_revoked']);
    const mine = await testApp.call(withSession(me, sessionSecretIn(answer)));
    expect(mine.body).toMatchObject({ data: { id: company.users.owner } });
  },
);

attack(
  'a user who signs in again and again leaves no list that every sign-in of the company has to read',
  [{ in: 'functions/account/service/sessions.ts', replace: 'await deletePointer(ended);', by: '{}' }],
  async () => {
    const { id, tokens } = await newCompany({ roles: ['owner'] });
    let former: string | undefined;
    for (let nth = 0; nth < 8; nth++) {
      const headers = former === undefined ? ofOwnPage : { ...ofOwnPage, cookie: `__Host-swb_session=${former}` };
      former = sessionSecretIn(await signIn(tokens.owner, headers));
    }
    const listed = await testApp.dump({ kind: 'credential-pointer', companyId: id, credentialKind: 'session' });
    expect(listed.length).toBeLessThanOrEqual(2);
    await testApp.drain();
    const audit = await testApp.call({ method: 'GET', path: '/api/v1/audit?limit=100', token: tokens.owner });
    expect(audit.raw.match(/"to":"revoked"/g)).toHaveLength(7);
  },
);

attack(
  'the session of one company says nothing of another, and a token in a link does not take its place',
  [
    {
      in: 'shared/http/caller.ts',
      replace: 'const secret = session ?? secretOf(event, caller.kind);',
      by: 'const secret = secretOf(event, caller.kind) ?? session;',
    },
  ],
  async () => {
    const secret = sessionSecretIn(await signIn(company.tokens.owner));
    const inLink = withSession({ ...me, query: { token: other.tokens.owner } }, secret);
    expect((await testApp.call(inLink)).body).toMatchObject({ data: { company_id: company.id } });
    // a header is the caller's own word
    const byHeader = { ...withSession(me, secret), token: other.tokens.owner };
    expect((await testApp.call(byHeader)).body).toMatchObject({ data: { company_id: other.id } });
  },
);

test('what is no session is 401 as a cookie, and a session is 401 as a bearer', async () => {
  const secret = sessionSecretIn(await signIn(company.tokens.owner));
  expect(statusAndCode(await testApp.call({ ...me, token: secret }))).toEqual([401, 'token_invalid']);
  expect(statusAndCode(await testApp.call({ ...me, query: { token: secret } }))).toEqual([401, 'token_invalid']);
  expect(statusAndCode(await testApp.call(withSession(me, company.tokens.owner)))).toEqual([401, 'token_invalid']);
});
