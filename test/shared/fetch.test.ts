import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import hostile from './fixture/hostile-urls.json' with { type: 'json' };

/** What names resolve to, answer after answer; a name that is not here resolves as the system says. `silent`: its name server never answers. */
const answers = vi.hoisted(() => new Map<string, string[][] | 'silent'>());
const resolved = vi.hoisted((): string[] => []);
/** Names whose look-up holds one of the process's few threads. */
const lookedUp = vi.hoisted((): string[] => []);

vi.mock('node:dns', async (original) => {
  const real = await original<typeof import('node:dns')>();
  type Done = (error: Error | null, addresses: string[]) => void;
  const answer = (family: 4 | 6, name: string, done: Done): void => {
    if (family === 4) resolved.push(name);
    const held = answers.get(name);
    if (held === 'silent') return;
    if (!held)
      return real.lookup(name, { family, all: true }, (error, found) => done(error, error ? [] : found.map(({ address }) => address)));
    // both families are queried for one answer
    const next = (held.length > 1 && family === 6 ? held.shift() : held[0]) ?? [];
    const own = next.filter((address) => address.includes(':') === (family === 6));
    return done(own.length === 0 ? new Error('ENODATA') : null, own);
  };
  return {
    ...real,
    lookup: (name: string, options: object, done: () => void) => {
      lookedUp.push(name);
      real.lookup(name, options, done);
    },
    Resolver: class {
      resolve4 = (name: string, done: Done): void => answer(4, name, done);
      resolve6 = (name: string, done: Done): void => answer(6, name, done);
    },
  };
});

const { guardedFetch, isPublicAddress, refusalOf } = await import('../../shared/runtime/fetch.ts');
const call = { timeoutMs: 2_000, maxBytes: 1_000 };

afterEach(() => {
  answers.clear();
  resolved.length = 0;
  lookedUp.length = 0;
  delete process.env['SWITCHBOARD_LOCAL'];
});

describe('hostile addresses', () => {
  test('there are at least 120 of them', () => expect(new Set(hostile.map(({ url }) => url)).size).toBeGreaterThanOrEqual(120));

  test.each(hostile)('$url is refused: $reason', async ({ url, reason }) => {
    expect(await guardedFetch(url, call)).toEqual({ outcome: 'refused', reason });
    expect(resolved).toEqual([]);
  });

  test.each(hostile.filter(({ reason }) => reason !== 'not_https'))(
    'on the laptop too, unless it is loopback: $url',
    async ({ url, reason }) => {
      process.env['SWITCHBOARD_LOCAL'] = '1';
      const isLoopback = URL.canParse(url) && /^(127\.|\[::1\]$|localhost\.?$)/.test(new URL(url).hostname);
      expect(refusalOf(url)).toBe(isLoopback && reason === 'private_address' ? undefined : reason);
    },
  );
});

describe('public addresses are let through', () => {
  test.each([
    'https://example.com/',
    'https://8.8.8.8/a.jpg',
    'https://[2606:4700:4700::1111]/',
    'https://EXAMPLE.com.:8443/a?b=c#d',
    'https://bücher.example/',
  ])('%s', (url) => expect(refusalOf(url)).toBeUndefined());
  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '2a00:1450:4001::1',
  ])('the neighbour %s of a closed range is open', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('names', () => {
  test.each([
    ['10.0.0.5'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['fd00:ec2::254'],
    ['93.184.216.34', '127.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
  ])('a name that resolves to %s is refused where the connection would be made', async (...addresses) => {
    answers.set('innocent.example', [addresses]);
    expect(await guardedFetch('https://innocent.example/', call)).toEqual({ outcome: 'refused', reason: 'private_address' });
  });

  test('a name that changes its mind gains nothing: it is resolved once, by the connection', async () => {
    answers.set('rebinding.example', [['127.0.0.1'], ['93.184.216.34']]);
    expect(await guardedFetch('https://rebinding.example/', call)).toEqual({ outcome: 'refused', reason: 'private_address' });
    expect(resolved).toEqual(['rebinding.example']);
  });
});

describe('a name whose name server is silent', () => {
  test('fails at the time limit, and holds no thread that other look-ups wait for', async () => {
    const silent = Array.from({ length: 30 }, (_, index) => `silent-${index}.example`);
    for (const name of silent) answers.set(name, 'silent');
    const calls = await Promise.all(silent.map((name) => guardedFetch(`https://${name}/`, { ...call, timeoutMs: 200 })));
    expect(new Set(calls.map((each) => each.outcome === 'failed' && each.reason))).toEqual(new Set(['timeout']));
    expect(resolved.length).toBe(30);
    expect(lookedUp).toEqual([]);
  });
});

describe('on the laptop', () => {
  let server: Server;
  let base = '';
  const hits: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      hits.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
      const path = request.url ?? '';
      if (path.startsWith('/to?')) return void response.writeHead(302, { location: decodeURIComponent(path.slice(4)) }).end();
      if (path === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
      if (path === '/large') return void response.end(Buffer.alloc(5_000));
      if (path === '/never') return undefined;
      return void response.writeHead(200, { 'content-type': 'image/png' }).end('hello');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const fetchHere = (path: string, more: object = {}) => {
    process.env['SWITCHBOARD_LOCAL'] = '1';
    return guardedFetch(`${base}${path}`, { ...call, ...more });
  };

  test('loopback answers over http', async () => {
    expect(await fetchHere('/x')).toMatchObject({
      outcome: 'answered',
      status: 200,
      body: Buffer.from('hello'),
      headers: { 'content-type': 'image/png' },
    });
  });

  test.each([
    'https://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254/',
    'https://[::ffff:10.0.0.1]/',
    'https://0x7f.0.0.2.example@10.0.0.1/',
    'file:///etc/passwd',
    '//10.0.0.1/',
    'http://example.com/',
  ])('a redirect to %s is refused', async (target) => {
    expect((await fetchHere(`/to?${encodeURIComponent(target)}`, { redirects: 3 })).outcome).toBe('refused');
  });

  test('redirects are not followed unless told, and only so often', async () => {
    expect(await fetchHere('/loop')).toMatchObject({ outcome: 'answered', status: 302 });
    expect(await fetchHere('/loop', { redirects: 3 })).toEqual({ outcome: 'failed', reason: 'too_many_redirects' });
  });

  test('secrets do not follow a redirect to another host', async () => {
    hits.length = 0;
    const other = base.replace('127.0.0.1', 'localhost');
    await fetchHere(`/to?${encodeURIComponent(`${other}/there`)}`, { redirects: 1, headers: { authorization: 'secret' } });
    expect(hits.map((hit) => hit.split(' ').at(-1))).toEqual(['secret', '-']);
  });

  test('a body beyond the limit fails, or is cut off', async () => {
    expect(await fetchHere('/large')).toEqual({ outcome: 'failed', reason: 'too_large' });
    const cut = await fetchHere('/large', { cut: true, maxBytes: 16 });
    expect(cut.outcome === 'answered' && cut.body.length).toBe(16);
  });

  test('an answer that never comes ends at the time limit', async () => {
    expect(await fetchHere('/never', { timeoutMs: 100 })).toEqual({ outcome: 'failed', reason: 'timeout' });
  });

  test('a port where nobody listens is unreachable', async () => {
    process.env['SWITCHBOARD_LOCAL'] = '1';
    expect(await guardedFetch('http://127.0.0.1:1/', call)).toEqual({ outcome: 'failed', reason: 'unreachable' });
  });
});
