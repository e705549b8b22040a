import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, listUsers, updateUser } from '../../functions/account/service/users.ts';
import { revokeCompanyToken, issueToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { sessionIdleMs, sessionLifeMs } from '../../shared/access/session.ts';
import { attack } from '../support/attack.ts';
import { roles } from '../../shared/contract/route.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
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

const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
const secretIn = ({ headers }: Answer): string => /^__Host-swb_session=([^;]*);/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
const sessionIn = ({ body }: Answer): { id: number; expires_at: string } => (body as { data: { id: number; expires_at: string } }).data;
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
    const secret = secretIn(answer);
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
    const secret = secretIn(await signIn(company.tokens.member));
    const read: Call = { method: 'GET', path: '/api/v1/tags' };
    const byToken = await testApp.meter(() => testApp.call({ ...read, token: company.tokens.member }));
    const bySession = await testApp.meter(() => testApp.call(withSession(read, secret)));
    expect(bySession).toEqual(byToken);
    expect(bySession.wru).toBe(1);
  });

  test('ends twelve hours after its last call, seven days after its begin, and stays ended', async () => {
    const first = await signIn(company.tokens.member);
    const secret = secretIn(first);
    const began = testApp.clock.now();
    testApp.clock.advance(sessionIdleMs - 61_000);
    expect((await testApp.call(withSession(me, secret))).status).toBe(200);
    testApp.clock.advance(sessionIdleMs);
    expect(codeOf(await testApp.call(withSession(me, secret)))).toEqual([401, 'token_expired']);
    expect(codeOf(await testApp.call(withSession(me, secret)))).toEqual([401, 'token_expired']);
    const second = secretIn(await signIn(company.tokens.member));
    const until = testApp.clock.now() + sessionLifeMs;
    while (testApp.clock.now() + sessionIdleMs / 2 < until) {
      testApp.clock.advance(sessionIdleMs / 2);
      expect((await testApp.call(withSession(me, second))).status).toBe(200);
    }
    testApp.clock.moveTo(until);
    expect(codeOf(await testApp.call(withSession(me, second)))).toEqual([401, 'token_expired']);
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
      const [mine, lost] = [secretIn(laptop), secretIn(phone)];
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
        expect(codeOf(await testApp.call({ ...end, token }))).toEqual([404, 'not_found']);
      expect((await testApp.call(withSession(me, lost))).status).toBe(200);
      const ended = await testApp.call(withSession(end, mine));
      expect([ended.status, ended.headers['set-cookie']]).toEqual([200, undefined]);
      expect(codeOf(await testApp.call(withSession(me, lost)))).toEqual([401, 'token_revoked']);
      const out = await testApp.call(withSession({ method: 'DELETE', path: `/api/v1/sessions/${sessionIn(laptop).id}` }, mine));
      expect(out.headers['set-cookie']).toMatch(/^__Host-swb_session=; Path=\/; Max-Age=0; /);
      expect(codeOf(await testApp.call(withSession(me, mine)))).toEqual([401, 'token_revoked']);
    },
  );

  test('has what its token has, now: scopes, a later role, and the end of token, user and company', async () => {
    const { id } = company;
    const narrow = unwrap(await issueToken(id, { user_id: company.users.member, scopes: ['profile:read'], life_days: 1 }));
    const answer = await signIn(narrow.secret);
    const secret = secretIn(answer);
    expect((answer.body as { data: { scopes: string[] } }).data.scopes).toEqual(['profile:read']);
    expect(Date.parse(sessionIn(answer).expires_at)).toBeLessThanOrEqual(testApp.clock.now() + 86_400_000);
    expect(codeOf(await testApp.call(withSession(rename('a'), secret)))).toEqual([403, 'insufficient_scope']);
    unwrap(await revokeCompanyToken(id, narrow.token.id));
    expect(codeOf(await testApp.call(withSession(me, secret)))).toEqual([401, 'token_revoked']);

    const full = unwrap(await issueToken(id, { user_id: company.users.member }));
    const session = secretIn(await signIn(full.secret));
    unwrap(await rotateCompanyToken(id, full.token.id, 24));
    expect((await testApp.call(withSession(rename('b'), session))).status).toBe(200);
    unwrap(await updateUser(id, company.users.member, { role: 'viewer' }));
    expect(codeOf(await testApp.call(withSession(rename('c'), session)))).toEqual([403, 'insufficient_scope']);
    unwrap(await rotateCompanyToken(id, full.token.id, 0));
    expect(codeOf(await testApp.call(withSession(me, session)))).toEqual([401, 'token_revoked']);
    const last = secretIn(await signIn(unwrap(await issueToken(id, { user_id: company.users.member })).secret));
    unwrap(await updateUser(id, company.users.member, { status: 'inactive' }));
    expect(codeOf(await testApp.call(withSession(me, last)))).toEqual([401, 'token_revoked']);
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
    await testApp.call(withSession({ method: 'DELETE', path: `/api/v1/sessions/${id}` }, secretIn(answer)));
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
    expect(audit.raw).not.toContain(secretIn(answer));
  });

  test('of more than twenty browsers ends the oldest', async () => {
    const { tokens } = await newCompany({ roles: ['owner'] });
    const first = secretIn(await signIn(tokens.owner));
    for (let nth = 1; nth < 20; nth++) await signIn(tokens.owner);
    expect((await testApp.call(withSession(me, first))).status).toBe(200);
    await signIn(tokens.owner);
    expect(codeOf(await testApp.call(withSession(me, first)))).toEqual([401, 'token_revoked']);
  });
});

describe('a code by email', () => {
  const addresses = (): string => `198.18.9.${++requests}`;
  let requests = 0;
  const requestCode = async (email: string) => {
    let answer: Answer | undefined;
    const used = await testApp.meter(async () => {
      answer = await testApp.call({
        method: 'POST',
        path: '/api/v1/sessions/codes',
        headers: ofOwnPage,
        body: { email },
        sourceIp: addresses(),
      });
    });
    remember(answer as Answer);
    return { answer: answer as Answer, used };
  };
  /** The browser of each request, by its id: a code is taken from the browser that requested it. */
  const browsers = new Map<string, string>();
  const remember = ({ body, headers }: Answer): void => {
    const requestId = (body as { data?: { request_id?: string } }).data?.request_id;
    if (requestId !== undefined) browsers.set(requestId, /__Host-swb_browser=[^;]*/.exec(headers['set-cookie'] ?? '')?.[0] ?? '');
  };
  const cookiesOf = (body: object, cookie: string | undefined): string =>
    [cookie, browsers.get(String((body as { request_id?: string }).request_id))].filter((each) => each !== undefined).join('; ');
  const mailsTo = (email: string) => testApp.emails.map((each) => JSON.stringify(each)).filter((each) => each.includes(email));
  const codeTo = async (email: string): Promise<{ request_id: string; code: string }> => {
    const { answer } = await requestCode(email);
    await testApp.drain();
    const code = /(\d{6,10}) is your verification code/.exec(mailsTo(email.toLowerCase()).at(-1) ?? '')?.[1] ?? '';
    return { request_id: (answer.body as { data: { request_id: string } }).data.request_id, code };
  };
  const enter = (body: object, cookie?: string): Promise<Answer> =>
    testApp.call({
      method: 'POST',
      path: '/api/v1/sessions',
      headers: { ...ofOwnPage, cookie: cookiesOf(body, cookie) },
      body,
      sourceIp: addresses(),
    });
  const idOf = async ({ id }: TestCompany, email: string): Promise<number> =>
    unwrap(await listUsers(id)).find((user) => user.email === email)?.id ?? 0;
  const newUser = async ({ id }: TestCompany, email: string) => unwrap(await createUser(id, { name: 'Kim', email, role: 'member' }));

  test('signs its user in once it is correct, and only then; the email has nothing to click', async () => {
    await newUser(company, 'kim@example.com');
    const { request_id, code } = await codeTo('Kim@Example.com');
    expect(mailsTo('kim@example.com').at(-1)).not.toContain('/magic/');
    const wrong = await enter({ request_id, code: code === '000000' ? '111111' : '000000' });
    expect([...codeOf(wrong), wrong.headers['set-cookie']]).toEqual([401, 'code_invalid', undefined]);
    const right = await enter({ request_id, code });
    expect(right.body).toMatchObject({
      data: { signed_in_by: 'email_code', company: { id: company.id }, user: { email: 'kim@example.com' } },
    });
    expect((await testApp.call(withSession(me, secretIn(right)))).status).toBe(200);
    testApp.clock.advance(61_000);
    expect(codeOf(await enter({ request_id, code }))).toEqual([401, 'code_invalid']);
  });

  test('is requested alike for an address of a user and of none: answer, calls to the table, limits; no email leaves for none', async () => {
    await newUser(company, 'known@example.com');
    // the first request of a process reads keys and files
    await requestCode('first@example.com');
    const known = await requestCode('known@example.com');
    const unknown = await requestCode('nobody@example.com');
    const shape = ({ answer }: typeof known) => [
      answer.status,
      Object.keys(answer.headers).toSorted(),
      answer.raw.replace(/"(request_id|expires_at)":"[^"]*"/g, '"$1":""').replace(/req_\w+/g, ''),
    ];
    expect(shape(unknown)).toEqual(shape(known));
    expect(unknown.used).toEqual(known.used);
    await testApp.drain();
    expect([mailsTo('known@example.com').length, mailsTo('nobody@example.com').length]).toEqual([1, 0]);
    const refusals = async (email: string) => {
      const codes: unknown[] = [];
      for (let nth = 0; nth < 8; nth++) {
        codes.push(codeOf((await requestCode(email)).answer));
        testApp.clock.advance(31_000);
      }
      return codes;
    };
    const ofKnown = await refusals('known@example.com');
    expect(await refusals('nobody@example.com')).toEqual(ofKnown);
    expect(ofKnown.at(-1)).not.toEqual([200, undefined]);
    const made = await requestCode('other@example.com');
    const { request_id } = (made.answer.body as { data: { request_id: string } }).data;
    expect(codeOf(await enter({ request_id, code: '000000' }))).toEqual([401, 'code_invalid']);
  });

  test('is refused after five wrong ones, the correct one too', async () => {
    await newUser(company, 'victim@example.com');
    const { request_id, code } = await codeTo('victim@example.com');
    const wrong = code === '000000' ? '111111' : '000000';
    for (let nth = 0; nth < 5; nth++) expect((await enter({ request_id, code: wrong })).status).toBe(401);
    expect(codeOf(await enter({ request_id, code }))).toEqual([429, 'too_many_attempts']);
  });

  test('of a user of two companies leads to a choice, later to the other one, and to no third', async () => {
    const third = await newCompany({ roles: ['owner'] });
    for (const each of [company, other]) await newUser(each, 'both@example.com');
    const proof = await codeTo('both@example.com');
    const choice = await enter(proof);
    expect([choice.status, choice.body]).toMatchObject([202, { data: { companies: [{ id: company.id }, { id: other.id }] } }]);
    const cookie = (choice.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    expect(cookie).toMatch(/^__Host-swb_choice=./);
    expect(choice.raw).not.toContain(cookie.slice('__Host-swb_choice='.length));
    expect(codeOf(await enter({ company_id: third.id }, cookie))).toEqual([404, 'not_found']);
    expect(codeOf(await enter({ company_id: other.id }))).toEqual([401, 'code_invalid']);
    expect(codeOf(await enter({ company_id: other.id }, cookie.replace('swb_choice=', 'swb_choice=x')))).toEqual([401, 'code_invalid']);
    const first = await enter({ company_id: other.id, accept: true }, cookie);
    expect(first.body).toMatchObject({ data: { company: { id: other.id } } });
    expect(first.headers['set-cookie']).toContain('__Host-swb_choice=; Path=/; Max-Age=0;');
    const former = `__Host-swb_session=${secretIn(first)}`;
    testApp.clock.advance(3_600_000);
    const second = await enter({ company_id: company.id, accept: true }, former);
    expect(second.body).toMatchObject({ data: { company: { id: company.id }, expires_at: sessionIn(first).expires_at } });
    expect(codeOf(await testApp.call(withSession(me, secretIn(first))))).toEqual([401, 'token_revoked']);
    // a token proves one company
    const byToken = `__Host-swb_session=${secretIn(await signIn(company.tokens.owner))}`;
    expect(codeOf(await enter({ company_id: other.id }, byToken))).toEqual([401, 'code_invalid']);
    expect(codeOf(await enter({ company_id: other.id }, cookie))).toEqual([401, 'code_invalid']);
  });

  attack(
    'leads into no company of a stranger that has the name of the own one, before the user has accepted to be a user of it',
    [
      { in: 'functions/sessions/service/sessions.ts', replace: 'if (chosen && isAccepted) {', by: 'if (chosen) {' },
      { in: 'functions/sessions/service/sessions.ts', replace: '(await adderOf(login)) ?? null', by: 'null' },
      {
        in: 'functions/account/service/logins.ts',
        replace: '(other.signedInAt ?? 0) - (one.signedInAt ?? 0)',
        by: 'one.company.companyId - other.company.companyId',
      },
    ],
    async () => {
      // its id is the lower one: what is listed first is no accident of the order of ids
      const [stranger, own] = [await newCompany(), await newCompany()];
      await newUser(own, 'alder@example.com');
      expect((await enter(await codeTo('alder@example.com'))).status).toBe(200);
      const added = { name: 'Kim', email: 'alder@example.com', role: 'member' };
      expect((await testApp.call({ method: 'POST', path: '/api/v1/users', token: stranger.tokens.owner, body: added })).status).toBe(200);
      testApp.clock.advance(3_600_000);
      const choice = await enter(await codeTo('alder@example.com'));
      expect([choice.status, choice.body]).toMatchObject([
        202,
        {
          data: {
            companies: [
              { id: own.id, added_by: null, last_signed_in_at: expect.stringMatching(/Z$/) },
              { id: stranger.id, added_by: expect.stringMatching(/^owner\..*@example.com$/), last_signed_in_at: null },
            ],
          },
        },
      ]);
      const cookie = (choice.headers['set-cookie'] ?? '').split(';')[0] ?? '';
      const mistaken = await enter({ company_id: stranger.id }, cookie);
      expect([mistaken.status, secretIn(mistaken)]).toEqual([202, '']);
      // a token that the stranger makes for the user accepts nothing
      const planted = unwrap(await issueToken(stranger.id, { user_id: await idOf(stranger, 'alder@example.com') })).secret;
      expect((await signIn(planted)).status).toBe(200);
      expect((await enter({ company_id: stranger.id }, cookie)).status).toBe(202);
      expect((await enter({ company_id: own.id }, cookie)).body).toMatchObject({ data: { company: { id: own.id } } });
      expect((await enter({ company_id: stranger.id, accept: true }, cookie)).body).toMatchObject({
        data: { company: { id: stranger.id } },
      });
      expect((await enter({ company_id: stranger.id }, cookie)).status).toBe(200);
    },
  );
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
    const secret = secretIn(await signIn(company.tokens.owner));
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
      expect(codeOf(write), JSON.stringify(headers)).toEqual([403, 'cross_origin_request']);
      expect(codeOf(await signIn(company.tokens.owner, headers)), JSON.stringify(headers)).toEqual([403, 'cross_origin_request']);
      expect(wrote).toEqual([]);
    }
    const read = await testApp.call({ ...me, headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(codeOf(read)).toEqual([403, 'cross_origin_request']);
    expect((await testApp.call(withSession(rename('own page'), secret))).status).toBe(200);
  },
);

attack(
  'a secret that a thief put into the browser beforehand is no session afterwards (fixation), and the former session ends',
  [{ in: 'functions/sessions/service/start-session.ts', replace: 'if (browser.former !== undefined)', by: 'if (false)' }],
  async () => {
    const planted = secretIn(await signIn(company.tokens.admin));
    const answer = await signIn(company.tokens.owner, { ...ofOwnPage, cookie: `__Host-swb_session=${planted}` });
    expect(secretIn(answer)).not.toBe(planted);
    expect(codeOf(await testApp.call(withSession(me, planted)))).toEqual([401, 'token_revoked']);
    const mine = await testApp.call(withSession(me, secretIn(answer)));
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
      former = secretIn(await signIn(tokens.owner, headers));
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
    const secret = secretIn(await signIn(company.tokens.owner));
    const inLink = withSession({ ...me, query: { token: other.tokens.owner } }, secret);
    expect((await testApp.call(inLink)).body).toMatchObject({ data: { company_id: company.id } });
    // a header is the caller's own word
    const byHeader = { ...withSession(me, secret), token: other.tokens.owner };
    expect((await testApp.call(byHeader)).body).toMatchObject({ data: { company_id: other.id } });
  },
);

test('what is no session is 401 as a cookie, and a session is 401 as a bearer', async () => {
  const secret = secretIn(await signIn(company.tokens.owner));
  expect(codeOf(await testApp.call({ ...me, token: secret }))).toEqual([401, 'token_invalid']);
  expect(codeOf(await testApp.call({ ...me, query: { token: secret } }))).toEqual([401, 'token_invalid']);
  expect(codeOf(await testApp.call(withSession(me, company.tokens.owner)))).toEqual([401, 'token_invalid']);
});
