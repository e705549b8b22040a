import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser } from '../../functions/account/service/users.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, ofOwnPage } from '../support/gateway-event.ts';
import { statusAndCode } from '../support/session-answers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Strangers who know an email address keep its user from nothing: a request of sign-in belongs to the browser that made it. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp({ env: { EMAIL_FROM: 'no-reply@example.com' } });
  company = await newCompany();
});
afterAll(() => testApp.stop());

const V = 'functions/verification/';
const cookieIn = ({ headers }: Answer, name: string): string | undefined =>
  new RegExp(`__Host-${name}=[^;]*`).exec(headers['set-cookie'] ?? '')?.[0];
const mailsTo = (email: string): string[] => testApp.emails.map((each) => JSON.stringify(each)).filter((each) => each.includes(email));

/** A browser with its cookie, at an address. */
const newBrowser = (sourceIp: string, forgets = false) => {
  let cookie: string | undefined;
  const call = async (path: string, body: object): Promise<Answer> => {
    const headers = { ...ofOwnPage, ...(cookie === undefined ? {} : { cookie }) };
    const answer = await testApp.call({ method: 'POST', path, headers, body, sourceIp });
    if (!forgets) cookie = cookieIn(answer, 'swb_browser') ?? cookie;
    return answer;
  };
  return {
    call,
    request: (email: string) => call('/api/v1/sessions/codes', { email }),
    enter: (request_id: string, code: string) => call('/api/v1/sessions', { request_id, code }),
  };
};
type Browser = ReturnType<typeof newBrowser>;
const idOf = (answer: Answer): string => {
  expect(answer.status, answer.raw).toBe(200);
  return (answer.body as { data: { request_id: string } }).data.request_id;
};
const newestCode = async (email: string): Promise<string> => {
  await testApp.drain();
  return /(\d{6,10}) is your verification code/.exec(mailsTo(email).at(-1) ?? '')?.[1] ?? '';
};
const signIn = async (browser: Browser, email: string): Promise<Answer> => {
  const id = idOf(await browser.request(email));
  return browser.enter(id, await newestCode(email));
};
const newUser = async (email: string) => unwrap(await createUser(company.id, { name: 'Kim', email, role: 'admin' }));

attack(
  'a stranger who asks for codes of an admin, every ten minutes for six hours, does not keep the browser of the admin from signing in',
  [
    { in: `${V}service/create-or-reuse-request.ts`, replace: 'request.browser.isKnown ? undefined :', by: '' },
    { in: `${V}service/secrets.ts`, replace: "browserKey === undefined ? '' :", by: "browserKey !== '-' ? '' :" },
  ],
  async () => {
    const email = 'requested.for@example.com';
    await newUser(email);
    const own = newBrowser('203.0.113.1');
    expect((await signIn(own, email)).status).toBe(200);
    testApp.clock.advance(2 * 3_600_000);
    const began = mailsTo(email).length;
    for (let round = 0; round < 36; round++) {
      for (let nth = 0; nth < 6; nth++) await newBrowser(`198.18.40.${nth}`, true).request(email);
      if (round % 12 === 11) expect((await signIn(own, email)).status, `round ${round}`).toBe(200);
      testApp.clock.advance(600_000);
    }
    await testApp.drain();
    // five an hour for strangers, three of the admin's own
    expect(mailsTo(email).length - began).toBeLessThanOrEqual(6 * 6 + 3);
  },
);

attack(
  'wrong codes of strangers touch no request of another browser, and a stranger is given none',
  [{ in: `${V}service/verify-code.ts`, replace: 'const found = isOwn ? accessed :', by: 'const found = isOwn || accessed ? accessed :' }],
  async () => {
    const email = 'guessed.at@example.com';
    await newUser(email);
    const own = newBrowser('203.0.113.2');
    const id = idOf(await own.request(email));
    const code = await newestCode(email);
    for (let nth = 0; nth < 6; nth++) {
      const stranger = newBrowser(`198.18.41.${nth}`);
      const answer = await stranger.request(email);
      // of the five mails for new browsers one is the admin's
      if (nth < 4) {
        const theirs = idOf(answer);
        expect(theirs).not.toBe(id);
        expect((answer.body as { data: { resend_in_seconds: number } }).data.resend_in_seconds).toBe(30);
        for (let wrong = 0; wrong < 6; wrong++) await stranger.enter(theirs, '000000');
      }
      for (let wrong = 0; wrong < 6; wrong++) expect(statusAndCode(await stranger.enter(id, '000000'))[1]).toBe('code_invalid');
    }
    expect(statusAndCode(await own.enter(id, code))).toEqual([200, undefined]);
  },
);

attack(
  'a code signs in in the browser that requested it alone, and in no second one within the minute after',
  [{ in: `${V}service/verify-code.ts`, replace: 'const found = isOwn ? accessed :', by: 'const found = isOwn || accessed ? accessed :' }],
  async () => {
    const email = 'read.over@example.com';
    await newUser(email);
    const own = newBrowser('203.0.113.3');
    const id = idOf(await own.request(email));
    const code = await newestCode(email);
    expect(statusAndCode(await newBrowser('198.18.42.1').enter(id, code))).toEqual([401, 'code_invalid']);
    expect((await own.enter(id, code)).status).toBe(200);
    expect(statusAndCode(await newBrowser('198.18.42.2').enter(id, code))).toEqual([401, 'code_invalid']);
    // the answer was lost: the same browser repeats the call
    expect((await own.enter(id, code)).status).toBe(200);
  },
);

attack(
  'a stranger in the same office keeps no known browser waiting, and no sign-in that was begun; calls of their own have an end',
  [
    { in: 'functions/sessions/service/known-browser.ts', replace: 'if (users.some(', by: 'if (users.every(' },
    { in: 'functions/sessions/service/known-browser.ts', replace: 'isFinishing && begunAt !== undefined', by: 'begunAt === undefined' },
    { in: 'functions/sessions/service/known-browser.ts', replace: 'mostPerMinute: callsAfterBegun', by: 'mostPerMinute: 99' },
    { in: 'functions/sessions/service/known-browser.ts', replace: 'isFinishing && ', by: '' },
    { in: 'shared/http/caller.ts', replace: 'if (exchange.rate) return;', by: 'if (own) return;' },
  ],
  async () => {
    const office = '203.0.113.60';
    testApp.clock.freeze();
    const [known, begun] = [newBrowser(office), newBrowser(office)];
    const passkey = newBrowser(office);
    for (const email of ['office.known@example.com', 'office.begun@example.com']) await newUser(email);
    expect((await signIn(known, 'office.known@example.com')).status).toBe(200);
    const id = idOf(await begun.request('office.begun@example.com'));
    expect((await passkey.call('/api/v1/passkeys/sign-in/options', {})).status).toBe(200);
    const code = await newestCode('office.begun@example.com');
    const stranger = newBrowser(office);
    const theirs = idOf(await stranger.request('no.one.here@example.com'));
    for (let nth = 0; nth < 30; nth++) await newBrowser(office).request(`no.one.${nth}@example.com`);
    expect(statusAndCode(await newBrowser(office).request('office.begun@example.com'))).toEqual([429, 'rate_limited']);
    expect((await signIn(known, 'office.known@example.com')).status).toBe(200);
    expect(statusAndCode(await begun.enter(id, code))).toEqual([200, undefined]);
    const response = { clientDataJSON: 'e30', authenticatorData: 'e30', signature: 'e30', userHandle: 'e30' };
    const credential = { id: 'made-up', type: 'public-key', response };
    expect(statusAndCode(await passkey.call('/api/v1/passkeys/sign-in', { credential }))[0]).not.toBe(429);
    // a sign-in that was begun has two calls, and begins no other
    expect(statusAndCode(await stranger.request('no.one.here@example.com'))).toEqual([429, 'rate_limited']);
    const wrong = [];
    for (let nth = 0; nth < 3; nth++) wrong.push(statusAndCode(await stranger.enter(theirs, '000000'))[0]);
    expect(wrong).toEqual([401, 401, 429]);
    const own = [];
    for (let nth = 0; nth < 30; nth++) own.push((await known.enter(theirs, '000000')).status);
    expect(own).toContain(429);
    testApp.clock.resume();
  },
);

test('codes for addresses of no one use up no ceiling of the users', async () => {
  const email = 'still.in@example.com';
  await newUser(email);
  const counted = async (): Promise<number> =>
    (await testApp.dump({ kind: 'verification-ceiling' })).reduce((sum, each) => sum + Number(each['codes'] ?? 0), 0);
  const before = await counted();
  for (let nth = 0; nth < 30; nth++) await newBrowser(`198.18.43.${nth % 10}`, true).request(`no.one.${nth}@example.com`);
  await testApp.drain();
  expect(await counted()).toBe(before);
  expect((await signIn(newBrowser('203.0.113.4'), email)).status).toBe(200);
});

test('fifty users of one address sign in within an hour, at once', async () => {
  const emails = Array.from({ length: 50 }, (_, nth) => `office.${nth}@example.com`);
  for (const email of emails) await newUser(email);
  const began = testApp.clock.now();
  const requested: { browser: Browser; id: string; email: string }[] = [];
  for (const [nth, email] of emails.entries()) {
    if (nth % 15 === 14) testApp.clock.advance(61_000);
    const browser = newBrowser('203.0.113.50');
    requested.push({ browser, id: idOf(await browser.request(email)), email });
  }
  await testApp.drain();
  for (const [nth, { browser, id, email }] of requested.entries()) {
    if (nth % 15 === 14) testApp.clock.advance(61_000);
    expect((await browser.enter(id, await newestCode(email))).status, email).toBe(200);
  }
  expect(testApp.clock.now() - began).toBeLessThan(3_600_000);
});
