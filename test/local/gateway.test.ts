import { expect, test } from 'vitest';
import { freePort } from '../../lib/local/emulators.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { consoleSite } from '../../functions/site/context.ts';
import type { Json } from '../../lib/local/json.ts';
import { withFilesFrom, withConnectionsTo } from '../../shared/contract/site.ts';
import { sitesOf } from '../../lib/local/sites.ts';
import { demoSessions } from '../../lib/local/demo-sessions.ts';
import { startGateway } from '../../lib/local/gateway.ts';

/** Lambda takes 6 MB as its event is written: API Gateway refuses the rest before any function is called, and so does the laptop. */
test('an event of more than 6 MB is refused before the function, base64 and escapes counted, and an answer of more is an error', async () => {
  const port = await freePort();
  const gateway = await startGateway(port);
  let invoked = 0;
  let answered = '';
  const invoke = (): Promise<unknown> => {
    invoked++;
    return Promise.resolve({ statusCode: 200, body: answered });
  };
  const pool = { name: 'f', invoke };
  gateway.open({
    targets: ['api', 'url'].map((via) => ({ key: `POST /${via}`, via, pool })) as never,
    cors: undefined,
    scheduler: { runRequest: (work) => work(), runPost: (work) => work() },
    control: () => Promise.resolve({ status: 404, body: {} }),
  });
  const post = async (path: string, body: Buffer | string, type: string): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: { 'content-type': type } });
    return [answer.status, await answer.text()];
  };
  const mb = 1024 * 1024;
  const tooLong = [413, JSON.stringify({ message: 'Request Too Long' })];
  try {
    expect((await post('/api', Buffer.alloc(4 * mb), 'multipart/form-data; boundary=x'))[0]).toBe(200);
    expect(await post('/api', Buffer.alloc(5 * mb), 'multipart/form-data; boundary=x')).toEqual(tooLong);
    expect((await post('/api', 'x'.repeat(5 * mb), 'application/json'))[0]).toBe(200);
    expect(await post('/api', '"'.repeat(4 * mb), 'application/json')).toEqual(tooLong);
    expect((await post('/url', Buffer.alloc(5 * mb), 'image/png'))[0]).toBe(413);
    expect(invoked).toBe(2);
    // what a function answers has the same limit
    answered = '"'.repeat(2 * mb);
    expect((await post('/api', '', 'text/plain'))[0]).toBe(200);
    answered = '"'.repeat(4 * mb);
    expect(await post('/api', '', 'text/plain')).toEqual([500, JSON.stringify({ message: 'Internal Server Error' })]);
    expect((await post('/url', '', 'text/plain'))[0]).toBe(502);
  } finally {
    gateway.stop();
  }
});

test('a call of the API takes its turn as a request, what is posted to a function URL as a post', async () => {
  const port = await freePort();
  const gateway = await startGateway(port);
  const turns: string[] = [];
  const pool = { name: 'f', invoke: (): Promise<unknown> => Promise.resolve({ statusCode: 200, body: '' }) };
  gateway.open({
    targets: ['api', 'url'].map((via) => ({ key: `POST /${via}`, via, pool })) as never,
    cors: undefined,
    scheduler: {
      runRequest: (work) => (turns.push('request'), work()),
      runPost: (work) => (turns.push('post'), work()),
    },
    control: () => Promise.resolve({ status: 404, body: {} }),
  });
  try {
    for (const path of ['url', 'api']) await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST' });
    expect(turns).toEqual(['post', 'request']);
  } finally {
    gateway.stop();
  }
});

test('one click signs in as a demo user: the control passes the cookie on, and knows no other company', async () => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
  const gateway = await startGateway(port);
  const received: { origin?: string; body: string }[] = [];
  const pool = {
    name: 'sessions-http',
    invoke: (event: { headers: { origin?: string }; body: string }): Promise<unknown> => {
      received.push({ ...event.headers, body: event.body });
      return Promise.resolve({ statusCode: 200, body: '{"status":"success"}', cookies: ['swb_session=ses_1; HttpOnly'] });
    },
  };
  const { demoUsers, signIn } = demoSessions(folder, baseUrl);
  gateway.open({
    targets: [{ key: 'POST /api/v1/sessions', via: 'api', pool }] as never,
    cors: undefined,
    scheduler: { runRequest: (work) => work(), runPost: (work) => work() },
    control: (method, _path, _query, body) => (method === 'GET' ? Promise.resolve(demoUsers()) : signIn(body)),
  });
  const post = (body: object) =>
    fetch(`${baseUrl}/_local/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const byRole = <T>(value: T) => ({ owner: value, admin: value, member: value, viewer: value });
  const receivers = { url: 'u', secret: 's' };
  const company = {
    id: 1,
    name: 'One',
    tokens: { ...byRole('swb_x'), member: 'swb_member' },
    users: byRole(1),
    messaging: { phone_number: '1', phone_number_id: '1', waba_id: '1', webhook_url: 'u', verify_token: 'v', app_secret: 's' },
    shop: {
      erp_token: 'e',
      receivers: {
        storeplatform: receivers,
        webshop: receivers,
        custom: receivers,
        logistics: receivers,
        checkout: receivers,
        test: receivers,
      },
    },
    verification: { profile_id: 'p', public_key: 'k', secret_key: 's' },
  };
  try {
    expect((await post({ company_id: 1, role: 'member' })).status).toBe(400);
    writeFileSync(
      join(folder, 'demo.json'),
      JSON.stringify({ base_url: baseUrl, companies: [company], local: { provider_url: 'p', control_url: 'c' } }),
    );
    const listed = (await (await fetch(`${baseUrl}/_local/sessions`)).json()) as { data: unknown[] };
    expect(listed.data).toHaveLength(4);
    const answer = await post({ company_id: 1, role: 'member' });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, 'swb_session=ses_1; HttpOnly']);
    expect(received).toMatchObject([{ origin: baseUrl, 'x-session-request': '1', body: '{"token":"swb_member"}' }]);
    expect((await post({ company_id: 2, role: 'member' })).status).toBe(400);
  } finally {
    gateway.stop();
    rmSync(folder, { recursive: true });
  }
});

test('a site is served from its folder with its headers, pages by any path, nothing from outside; the root leads there', async () => {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-site-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const gateway = await startGateway(port);
  gateway.open({
    targets: [],
    cors: undefined,
    sites: sitesOf([JSON.parse(JSON.stringify(consoleSite)) as Json], folder, 'http://127.0.0.1:9'),
    scheduler: { runRequest: (work) => work(), runPost: (work) => work() },
    control: () => Promise.resolve({ status: 404, body: {} }),
  });
  const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init });
  try {
    const root = await get('/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/console/']);
    const early = await get('/console/');
    // before the pages are built: one that comes again by itself
    expect([early.status, early.headers.get('refresh')]).toEqual([503, '1']);
    write(join(consoleSite.folder, 'index.html'), '<title>Switchboard</title>');
    write(join(consoleSite.folder, 'style.css'), '');
    write(join(consoleSite.localFolder ?? '', 'phone.js'), 'phone');
    write('secret.js', 'secret');
    for (const path of ['/console', '/console/', '/console/inbox/12']) {
      const page = await get(path);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Switchboard</title>')]);
      const headers = withConnectionsTo(withFilesFrom(consoleSite.headers, 'http://127.0.0.1:9'), ['http://127.0.0.1:9']);
      for (const [name, value] of Object.entries(headers)) expect(page.headers.get(name), name).toBe(value);
      expect(page.headers.get('content-security-policy')).toContain("img-src 'self' http://127.0.0.1:9 blob:");
    }
    expect(await (await get('/console/local/phone.js')).text()).toBe('phone');
    // as CloudFront serves them: only a name with a hash is kept by browsers
    write(join(consoleSite.folder, 'assets/index-1a2b.js'), '');
    const answers = await Promise.all(['assets/index-1a2b.js', 'style.css', ''].map((file) => get(`/console/${file}`)));
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual([
      'public, max-age=31536000, immutable',
      'no-cache',
      'no-cache',
    ]);
    expect((await get('/console/style.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
    for (const path of [
      '/console/none.js',
      '/console/..%2f..%2fsecret.js',
      '/console/%2e%2e%2f%2e%2e%2fsecret.js',
      '/console/local/..%2f..%2fsecret.js',
      '/console/local/..%2fdist%2fstyle.css',
      '/console/%zz.js',
      '/console/%2fetc%2fhosts.txt',
    ])
      expect((await get(path)).status, path).toBe(404);
    expect((await get('/console/', { method: 'POST' })).status).toBe(405);
    expect((await get('/consoles')).status).toBe(404);
  } finally {
    gateway.stop();
    rmSync(folder, { recursive: true });
  }
});
