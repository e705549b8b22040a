import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { createUser, listUsers } from '../../functions/account/service/users.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { sessionIn, sessionSecretIn, statusAndCode } from '../support/session-answers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Signing in by a code of one's own mail: what a stranger, another browser and a company of the same name get of it. */
let testApp: TestApp;
let company: TestCompany;
let other: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp({ env: { EMAIL_FROM: 'no-reply@example.com' } });
  company = await newCompany({ roles: ['owner'] });
  other = await newCompany();
});
afterAll(() => testApp.stop());

const me: Call = { method: 'GET', path: '/api/v1/me' };
let tokenSignIns = 0;
/** With a token, from an address of its own: sign-ins are limited by it. */
const signIn = (token: string): Promise<Answer> =>
  testApp.call({ method: 'POST', path: '/api/v1/sessions', headers: ofOwnPage, body: { token }, sourceIp: `198.18.7.${++tokenSignIns}` });
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
    expect([...statusAndCode(wrong), wrong.headers['set-cookie']]).toEqual([401, 'code_invalid', undefined]);
    const right = await enter({ request_id, code });
    expect(right.body).toMatchObject({
      data: { signed_in_by: 'email_code', company: { id: company.id }, user: { email: 'kim@example.com' } },
    });
    expect((await testApp.call(withSession(me, sessionSecretIn(right)))).status).toBe(200);
    testApp.clock.advance(61_000);
    expect(statusAndCode(await enter({ request_id, code }))).toEqual([401, 'code_invalid']);
  });

  test('is requested alike for an address of a user and of none: answer, calls to the table, limits; no email leaves for none', async () => {
    await newUser(company, 'known@example.com');
    // the first request of a process reads keys and files
    await requestCode('first@example.com');
    const known = await requestCode('known@example.com');
    const unknown = await requestCode('stranger@example.com');
    const shape = ({ answer }: typeof known) => [
      answer.status,
      Object.keys(answer.headers).toSorted(),
      answer.raw.replace(/"(request_id|expires_at)":"[^"]*"/g, '"$1":""').replace(/req_\w+/g, ''),
    ];
    expect(shape(unknown)).toEqual(shape(known));
    expect(unknown.used).toEqual(known.used);
    await testApp.drain();
    expect([mailsTo('known@example.com').length, mailsTo('stranger@example.com').length]).toEqual([1, 0]);
    const refusals = async (email: string) => {
      const codes: unknown[] = [];
      for (let nth = 0; nth < 8; nth++) {
        codes.push(statusAndCode((await requestCode(email)).answer));
        testApp.clock.advance(31_000);
      }
      return codes;
    };
    const ofKnown = await refusals('known@example.com');
    expect(await refusals('stranger@example.com')).toEqual(ofKnown);
    expect(ofKnown.at(-1)).not.toEqual([200, undefined]);
    const made = await requestCode('other@example.com');
    const { request_id } = (made.answer.body as { data: { request_id: string } }).data;
    expect(statusAndCode(await enter({ request_id, code: '000000' }))).toEqual([401, 'code_invalid']);
  });

  test('is refused after five wrong ones, the correct one too', async () => {
    await newUser(company, 'victim@example.com');
    const { request_id, code } = await codeTo('victim@example.com');
    const wrong = code === '000000' ? '111111' : '000000';
    for (let nth = 0; nth < 5; nth++) expect((await enter({ request_id, code: wrong })).status).toBe(401);
    expect(statusAndCode(await enter({ request_id, code }))).toEqual([429, 'too_many_attempts']);
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
    expect(statusAndCode(await enter({ company_id: third.id }, cookie))).toEqual([404, 'not_found']);
    expect(statusAndCode(await enter({ company_id: other.id }))).toEqual([401, 'code_invalid']);
    expect(statusAndCode(await enter({ company_id: other.id }, cookie.replace('swb_choice=', 'swb_choice=x')))).toEqual([
      401,
      'code_invalid',
    ]);
    const first = await enter({ company_id: other.id, accept: true }, cookie);
    expect(first.body).toMatchObject({ data: { company: { id: other.id } } });
    expect(first.headers['set-cookie']).toContain('__Host-swb_choice=; Path=/; Max-Age=0;');
    const former = `__Host-swb_session=${sessionSecretIn(first)}`;
    testApp.clock.advance(3_600_000);
    const second = await enter({ company_id: company.id, accept: true }, former);
    expect(second.body).toMatchObject({ data: { company: { id: company.id }, expires_at: sessionIn(first).expires_at } });
    expect(statusAndCode(await testApp.call(withSession(me, sessionSecretIn(first))))).toEqual([401, 'token_revoked']);
    // a token proves one company
    const byToken = `__Host-swb_session=${sessionSecretIn(await signIn(company.tokens.owner))}`;
    expect(statusAndCode(await enter({ company_id: other.id }, byToken))).toEqual([401, 'code_invalid']);
    expect(statusAndCode(await enter({ company_id: other.id }, cookie))).toEqual([401, 'code_invalid']);
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
      expect([mistaken.status, sessionSecretIn(mistaken)]).toEqual([202, '']);
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
