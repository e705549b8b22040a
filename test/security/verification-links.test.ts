import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import { type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** A magic link is consumed by the browser that its reader leads there, by nothing else, and its proof goes to no public key. */
let fixture: Fixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startFixture({ env: { PUBLIC_BASE_URL: 'https://api.example.com' } });
  caller = await fixture.newCaller();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const opening = 'functions/verification/domain/link-opening.ts';
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none', 'sec-fetch-user': '?1' };
const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

let mailboxes = 0;
const newLink = async (): Promise<{ id: string; path: string; mail: string }> => {
  const identifier = `reader-${++mailboxes}@example.org`;
  const answer = await caller.post('/request', { identifier, purpose: 'login' }, { ip: `198.18.30.${mailboxes}` });
  await fixture.testApp.drain();
  const mail = JSON.stringify(fixture.testApp.emails.at(-1));
  return { id: String(field(answer, 'request_id')), path: /https:\/\/api\.example\.com(\/[^"\\\s<]+)/.exec(mail)?.[1] ?? '', mail };
};
let readers = 0;
const open = (path: string, headers: Record<string, string>, method = 'GET') =>
  fixture.testApp.call({ method, path, headers, sourceIp: `198.18.40.${++readers}` });
const statusOf = async (id: string) => (await caller.get(`/status/${id}`, { ip: '198.18.50.1' })).body as Record<string, unknown>;

/** As link scanners, proxies and libraries write themselves; the first ones cannot be distinguished from a browser by it. */
const scanners: readonly string[] = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36 Edg/122.0.0.0',
  'Mozilla/5.0 (compatible; MSIE 7.0; Windows NT 6.0)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  'Go-http-client/2.0',
  'okhttp/4.12.0',
  'Java/17.0.9',
  'Python/3.12 aiohttp/3.9.1',
  'python-httpx/0.27.0',
  'Apache-HttpClient/5.3 (Java/17)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
];

attack(
  'twelve scanners, an agent without a name and a browser without navigation headers consume no link',
  [
    [
      { in: opening, replace: "headers['sec-fetch-mode'] === 'navigate' &&", by: '' },
      { in: opening, replace: "headers['sec-fetch-dest'] === 'document' &&", by: '' },
    ],
  ],
  async () => {
    const { id, path } = await newLink();
    const fetches: Record<string, string>[] = [
      ...scanners.map((agent) => ({ 'user-agent': agent, accept: 'text/html,*/*' })),
      {},
      { 'user-agent': '' },
      { 'user-agent': chrome },
      { 'user-agent': chrome, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'user-agent': chrome, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'user-agent': chrome, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ];
    for (const headers of fetches) {
      const page = await open(path, headers);
      expect([headers, page.status, page.raw]).toEqual([headers, 200, expect.stringContaining('<button')]);
      expect(await statusOf(id)).toMatchObject({ status: 'pending' });
      fixture.testApp.clock.advance(2_000);
    }
    expect((await open(path, { 'user-agent': chrome, ...navigation })).raw).toContain('<h1>Verified</h1>');
    expect(await statusOf(id)).toMatchObject({ status: 'verified' });
  },
);

attack(
  'a scanner that writes navigation headers without a name, under its own name, or as a prefetch consumes no link',
  [
    { in: opening, replace: "userAgent !== '' &&", by: '' },
    { in: opening, replace: '!isLinkPreview(userAgent) &&', by: '' },
    { in: opening, replace: '    !isEarly\n', by: '    true\n' },
  ],
  async () => {
    const { id, path } = await newLink();
    for (const headers of [
      { ...navigation, 'user-agent': '' },
      { ...navigation, 'user-agent': 'Mozilla/5.0 HeadlessChrome/130.0 Safari/537.36' },
      { ...navigation, 'user-agent': chrome, 'sec-purpose': 'prefetch;prerender' },
    ])
      expect((await open(path, headers)).raw).toContain('<button');
    expect(await statusOf(id)).toMatchObject({ status: 'pending' });
    // the button is for everyone
    expect((await open(path, { 'user-agent': 'Safari from before such headers' }, 'POST')).raw).toContain('<h1>Verified</h1>');
  },
);

attack(
  'who polls with a public key is given what a link proved',
  [{ in: 'functions/verification/domain/requester.ts', replace: "request.via !== 'link' && ", by: '' }],
  async () => {
    const { id, path } = await newLink();
    await open(path, { 'user-agent': chrome, ...navigation });
    const seen = await statusOf(id);
    expect(seen).toMatchObject({ status: 'verified', is_verified: true, purpose: 'login' });
    for (const name of ['trust_key', 'identifier']) expect(seen[name]).toBeUndefined();
    const shown = await caller.get(`/status/${id}`, { headers: { 'x-secret-key': caller.secretKey } });
    expect(shown.body).toMatchObject({ identifier: expect.stringContaining('@example.org'), trust_key: expect.stringMatching(/^tk_/) });
  },
);

test('mail and page say what a link allows and where it was requested, and repeat no text of the caller', async () => {
  const more = { headers: { 'x-public-key': caller.publicKey, 'user-agent': chrome }, ip: '198.18.60.1' };
  await caller.post('/request', { identifier: 'plain@example.org', purpose: 'checkout' }, more);
  await fixture.testApp.drain();
  const mail = JSON.stringify(fixture.testApp.emails.at(-1));
  const words = /It allows: checkout, Sign-in\. Requested at \d{4}-\d\d-\d\d \d\d:\d\d UTC from 198\.18\.60\.1 \(Chrome on Windows\)\./;
  expect(mail).toMatch(words);
  const path = /https:\/\/api\.example\.com(\/[^"\\\s<]+)/.exec(mail)?.[1] ?? '';
  const page = await open(path, {});
  expect(page.raw).toContain('It allows: checkout, Sign-in.');
  expect(page.raw).toContain('from 198.18.60.1 (Chrome on Windows).');
  await caller.post('/request', { identifier: 'plain@example.org', purpose: 'checkout' }, { ...more, ip: '198.18.60.2' });
  expect((await open(path, {})).raw).toContain('requested from more than one place');
  const sentence = 'Call +1 555 0100 now: https://evil.example';
  await caller.post('/request', { identifier: 'spoken-to@example.org', purpose: sentence }, { ...more, ip: '198.18.60.3' });
  await fixture.testApp.drain();
  expect(JSON.stringify(fixture.testApp.emails.at(-1))).not.toContain('evil.example');
});

attack(
  'a link with a very long id is answered with the page for invalid links',
  [
    {
      in: 'functions/verification/service/magic-links.ts',
      replace: 'isUuid(request_id) ? companyIdOfLinkToken(token) : undefined',
      by: 'companyIdOfLinkToken(token)',
    },
  ],
  async () => {
    const { path } = await newLink();
    const token = path.slice(path.lastIndexOf('/') + 1);
    for (const id of ['a'.repeat(3_000), '00', '..'])
      expect((await open(`/api/v1/verification/magic/${id}/${token}`, navigation)).status).toBe(410);
  },
);

attack(
  'a label of a public key proves nothing where another browser opened the link; opened from where it was requested, it does',
  [
    {
      in: 'functions/verification/domain/requester.ts',
      replace: "via !== 'link' || isTrusted === true || isOwnBrowser === true",
      by: "via !== '-'",
    },
  ],
  async () => {
    const label = 'a-random-device-id-of-a-thief';
    for (const [nth, opensFrom, isProven] of [
      [1, '198.18.61.99', false],
      [2, '198.18.61.2', true],
    ] as const) {
      const identifier = `labelled-${nth}@example.org`;
      const requesting = { ip: `198.18.61.${nth}`, headers: { 'x-public-key': caller.publicKey, 'user-agent': chrome } };
      await caller.post('/request', { identifier, trust_key: label }, requesting);
      await fixture.testApp.drain();
      const mail = fixture.testApp.emails.map((each) => JSON.stringify(each)).findLast((each) => each.includes(identifier));
      const path = /https:\/\/api\.example\.com(\/[^"\\\s<]+)/.exec(mail ?? '')?.[1] ?? '';
      const opened = await fixture.testApp.call({
        method: 'GET',
        path,
        headers: { ...navigation, 'user-agent': chrome },
        sourceIp: opensFrom,
      });
      expect(opened.raw).toContain('<h1>Verified</h1>');
      // as the latest request of its purpose, and after the next one
      for (const purpose of ['default', 'default']) {
        const answer = await caller.post('/request', { identifier, purpose, trust_key: label }, requesting);
        expect([nth, field(answer, 'cached')]).toEqual([nth, isProven]);
        fixture.testApp.clock.advance(31_000);
      }
    }
  },
);
