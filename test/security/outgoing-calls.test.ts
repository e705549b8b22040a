import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchMedia, isProviderAddress } from '../../functions/media/gateway.ts';
import { probeWebhookUrl } from '../../functions/messaging/service/inspect-number.ts';
import { getCaptchaAnswer } from '../../functions/verification/gateway/captcha.ts';
import { callProvider, type ProviderAccess } from '../../shared/provider/call.ts';
import { guardedFetch } from '../../shared/runtime/fetch.ts';
import { attack } from '../support/attack.ts';

/** Calls to addresses that others name, or whose answers others write: where they go, what they carry, and how much of an answer is read. */
const addressesOf = vi.hoisted(() => new Map<string, string[]>());
vi.mock('node:dns', async (original) => {
  const real = await original<typeof import('node:dns')>();
  type Done = (error: Error | null, addresses: string[]) => void;
  return {
    ...real,
    Resolver: class {
      resolve4 = (name: string, done: Done): void => {
        const [next, ...later] = addressesOf.get(name) ?? [];
        if (later.length > 0) addressesOf.set(name, later);
        done(next === undefined ? new Error('ENODATA') : null, next === undefined ? [] : [next]);
      };
      resolve6 = (_name: string, done: Done): void => done(new Error('ENODATA'), []);
    },
  };
});

const megabyte = 1024 * 1024;
let server: Server;
let root: string;
/** Of each request: its path and its credential. */
const requests: string[] = [];
let connections = 0;
/** What the server answers with: a place to go to, a text, or an endless body. */
let answerWith: { location: string } | { text: string } | 'endless' = { text: '{}' };
let sentBytes = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? '-'}`);
    request.resume();
    if (answerWith === 'endless') {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        // so long that who reads all of it has read too much, and so short that this ends
        while (sentBytes < 80 * megabyte) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end('{"success":true}');
      };
      return more();
    }
    if ('location' in answerWith) return void response.writeHead(302, { location: answerWith.location }).end();
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(answerWith.text);
  });
  server.on('connection', () => void connections++);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  answerWith = { text: '{}' };
  [requests.length, connections, sentBytes] = [0, 0, 0];
});
afterEach(() => {
  addressesOf.clear();
  delete process.env['SWITCHBOARD_LOCAL'];
  delete process.env['SITEVERIFY_URL'];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const access = (): ProviderAccess => ({ version: 'v19.0', baseUrl: root, accessToken: () => Promise.resolve('token') });
const noRedirects = {
  in: 'shared/runtime/fetch.ts',
  replace: "fetch(address, { ...init, redirect: 'error' })",
  by: 'fetch(address, init)',
};

describe('the guarded client', () => {
  const connectChecks = [
    { in: 'shared/runtime/fetch.ts', replace: ' || addresses.some(({ address }) => !mayConnect(address, host))', by: '' },
    { in: 'shared/runtime/fetch.ts', replace: ' && !mayConnect(socket.remoteAddress, host)', by: ' && false' },
  ];
  attack(
    'makes no request to a name of a stranger that resolves to an own address, now or at its next look-up',
    [connectChecks],
    async () => {
      const port = new URL(root).port;
      const call = { timeoutMs: 2_000, maxBytes: 10 };
      addressesOf.set('own.example', ['127.0.0.1']);
      expect(await guardedFetch(`https://own.example:${port}/`, call)).toEqual({ outcome: 'refused', reason: 'private_address' });
      // the first address answers a check that came before the connection
      addressesOf.set('rebinding.example', ['127.0.0.1', '93.184.216.34']);
      expect(await guardedFetch(`https://rebinding.example:${port}/`, call)).toEqual({ outcome: 'refused', reason: 'private_address' });
      expect(connections).toBe(0);
    },
  );

  attack(
    'checks where a redirect leads as it checks the first address',
    [
      {
        in: 'shared/runtime/fetch.ts',
        replace: 'const refusal = refusalOf(url);',
        by: 'const refusal = hop === 0 ? refusalOf(url) : undefined;',
      },
    ],
    async () => {
      process.env['SWITCHBOARD_LOCAL'] = '1';
      // loopback under another name, so that the connection would stand
      const target = root.replace('127.0.0.1', '[::ffff:127.0.0.1]');
      answerWith = { location: target };
      const call = { timeoutMs: 2_000, maxBytes: 10, redirects: 3 };
      expect((await guardedFetch(root, call)).outcome).toBe('refused');
      expect(connections).toBe(1);
    },
  );
});

describe('the webhook URL that an admin of a company named at the provider', () => {
  const guarded = {
    in: 'functions/messaging/service/inspect-number.ts',
    replace: 'await guardedFetch(url.href, { timeoutMs: 10_000, maxBytes: 10_000, cut: true });',
    by: "{ outcome: 'answered' as const, ...(await fetch(url).then(async (got) => ({ status: got.status, body: Buffer.from(await got.arrayBuffer()) }))) };",
  };
  const unanswered = { level: 'wrong', message: 'The webhook URL that the provider calls does not answer.' };

  attack('is not called where it leads inside', [guarded], async () => {
    expect(await probeWebhookUrl(`${root}/hook`)).toMatchObject(unanswered);
    expect(await probeWebhookUrl('not an address')).toMatchObject(unanswered);
    expect(connections).toBe(0);
  });
  attack('is read for a few bytes, however long its answer is', [guarded], async () => {
    process.env['SWITCHBOARD_LOCAL'] = '1';
    answerWith = 'endless';
    expect(await probeWebhookUrl(`${root}/hook`)).toMatchObject({
      level: 'wrong',
      message: expect.stringContaining('answers 200') as string,
    });
    expect(sentBytes).toBeLessThan(20 * megabyte);
  });
});

describe('an upload to the provider', () => {
  const upload = () => {
    const form = new FormData();
    form.set('file', new Blob(['bytes']), 'file.txt');
    return callProvider(access(), { method: 'POST', path: ['1', 'media'], form, timeoutMs: 60_000 });
  };
  attack('follows no redirect', [noRedirects], async () => {
    answerWith = { location: `${root}/elsewhere` };
    expect(await upload()).toEqual({ outcome: 'lost' });
    expect(requests).toEqual(['/v19.0/1/media Bearer token']);
  });
  attack(
    'has 10 MB of its answer read',
    [
      {
        in: 'shared/provider/call.ts',
        replace: 'await bodyWithin(answer, maxReplyBytes)',
        by: 'Buffer.from(await answer.arrayBuffer())',
      },
    ],
    async () => {
      answerWith = 'endless';
      expect(await upload()).toMatchObject({ outcome: 'answered', status: 200, body: undefined });
      expect(sentBytes).toBeLessThan(50 * megabyte);
    },
  );
});

describe("a number's token", () => {
  const mend = {
    in: 'functions/media/gateway.ts',
    replace: 'isProviderAddress(found.data.url, access) ? { authorization: `Bearer ${await access.accessToken()}` } : {}',
    by: '{ authorization: `Bearer ${await access.accessToken()}` }',
  };
  attack("goes to no other host that the provider's answer names as the place of a file", [mend], async () => {
    process.env['SWITCHBOARD_LOCAL'] = '1';
    answerWith = { text: JSON.stringify({ url: `${root}/file`, mime_type: 'image/png' }) };
    expect((await fetchMedia(access(), '77')).outcome).toBe('fetched');
    answerWith = { text: JSON.stringify({ url: `${root.replace('127.0.0.1', 'localhost')}/file`, mime_type: 'image/png' }) };
    expect((await fetchMedia(access(), '78')).outcome).toBe('fetched');
    expect(requests).toEqual(['/v19.0/77 Bearer token', '/file Bearer token', '/v19.0/78 Bearer token', '/file -']);
  });
  test.each([
    ['https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1', true],
    ['https://mmg.whatsapp.net/v/1', true],
    ['https://graph.facebook.com/v19.0/1', true],
    ['https://lookaside.fbsbx.com.evil.example/1', false],
    ['https://evilfacebook.com/1', false],
    ['https://graph.facebook.com@evil.example/1', false],
    ['https://evil.example/graph.facebook.com', false],
    ['not an address', false],
  ])('%s may get it: %s', (address, may) => expect(isProviderAddress(address, { baseUrl: undefined })).toBe(may));
});

describe('the CAPTCHA check', () => {
  const verify = () => getCaptchaAnswer({ provider: 'turnstile', secret: 'the secret' }, 'a token', undefined);
  beforeEach(() => void (process.env['SITEVERIFY_URL'] = root));
  test('passes what the service says is human', async () => {
    answerWith = { text: '{"success":true,"hostname":"shop.example"}' };
    expect(await verify()).toMatchObject({ hostname: 'shop.example' });
  });
  attack('takes its secret to no other address', [noRedirects], async () => {
    answerWith = { location: `${root}/elsewhere` };
    expect(await verify()).toBeUndefined();
    expect(requests).toEqual(['/ -']);
  });
  attack(
    'reads 100 kB of an answer, and an endless one passes nothing',
    [
      {
        in: 'functions/verification/gateway/captcha.ts',
        replace: '(await bodyWithin(response, 100_000)) ?? Buffer.alloc(0)',
        by: 'Buffer.from(await response.arrayBuffer())',
      },
    ],
    async () => {
      answerWith = 'endless';
      expect(await verify()).toBeUndefined();
      expect(sentBytes).toBeLessThan(50 * megabyte);
    },
  );
});
