import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAwsStub } from '../../lib/local/aws-stub.ts';
import { lockFolder } from '../../lib/local/data-folder.ts';
import { freePort, type QueueEmulator, startQueueEmulator, startTableEmulator, type TableEmulator } from '../../lib/local/emulators.ts';
import { faultPlan } from '../../lib/local/faults.ts';
import { startFaultProxy } from '../../lib/local/fault-proxy.ts';
import { startGateway } from '../../lib/local/gateway.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { startPlatform } from '../../lib/local/storeplatform/platform.ts';
import { attack } from '../support/attack.ts';

/** What a web page in the developer's browser can do to the product on the same machine. */
const folder = mkdtempSync(join(tmpdir(), 'switchboard-laptop-'));
const endings: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
const calls: string[] = [];
let urls: Record<'gateway' | 'aws' | 'faults' | 'platform' | 'provider' | 'queues', string>;
let table: TableEmulator;
let queues: QueueEmulator;

beforeAll(async () => {
  const port = await freePort();
  const gateway = await startGateway(port);
  gateway.open({
    targets: [],
    cors: undefined,
    scheduler: { runRequest: (work) => work(), runPost: (work) => work() },
    control: (method, path) => {
      calls.push(`${method} ${path}`);
      return Promise.resolve({ status: 200, body: { data: [] } });
    },
  });
  const aws = await startAwsStub();
  aws.open({
    rules: [],
    handOver: () => undefined,
    invoke: (name) => {
      calls.push(`invoke ${name}`);
      return Promise.resolve({});
    },
    sendEmail: () => undefined,
    secret: () => 'the sealing key',
  });
  const provider = await startProvider({ dataDir: folder, log: () => undefined });
  const platform = await startPlatform({ clientId: 'k1', clientSecret: 'a secret' });
  table = await startTableEmulator(folder, () => undefined);
  queues = await startQueueEmulator(folder, ['http://127.0.0.1:3000']);
  const proxy = await startFaultProxy(
    table.port,
    faultPlan(() => undefined),
  );
  urls = {
    gateway: `http://127.0.0.1:${port}`,
    aws: aws.url,
    faults: `http://127.0.0.1:${proxy.port}`,
    platform: platform.url,
    provider: provider.url,
    queues: queues.url,
  };
  endings.unshift(
    () => gateway.stop(),
    () => aws.stop(),
    () => proxy.stop(),
    () => provider.stop(),
    () => platform.stop(),
    () => queues.stop(),
    () => table.stop(),
  );
});
afterAll(async () => {
  for (const end of endings) await end();
});

/** A request as a browser would make it: with headers that `fetch` does not let anybody set. */
const send = (base: string, path: string, headers: Record<string, string>, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(base);
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({ hostname, port, path, method, headers: { host, ...headers } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(body);
  });

const json = { 'content-type': 'application/json' };
const page = 'https://evil.example';
const clock = JSON.stringify({ advance_seconds: 300_000_000 });
const standIns = ['aws', 'faults', 'platform', 'provider', 'queues'] as const;
const hostCheck = {
  in: 'lib/local/foreign-requests.ts',
  replace: 'if (!ownHosts.has(hostnameOf(host)) &&',
  by: 'if (false &&',
};
const originCheck = {
  in: 'lib/local/foreign-requests.ts',
  replace: "if (origin !== undefined && origin !== `http://${host}`) return 'Pages of other origins may not call this.';",
  by: '',
};

describe('a page in the browser', () => {
  attack(
    'of another site moves no clock, by a request that needs no preflight',
    [
      [
        originCheck,
        { in: 'lib/local/gateway.ts', replace: "!/^application\\/json\\b/i.test(request.headers['content-type'] ?? '')", by: 'false' },
        { in: 'lib/local/foreign-requests.ts', replace: "headers['sec-fetch-site'] === 'cross-site' &&", by: 'false &&' },
      ],
    ],
    async () => {
      const simple = { 'content-type': 'text/plain', origin: page, 'sec-fetch-site': 'cross-site' };
      expect(await send(urls.gateway, '/_local/clock', simple, clock)).toBe(403);
      expect(await send(urls.gateway, '/_local/clock', { ...json, origin: page }, clock)).toBe(403);
      expect(await send(urls.gateway, '/_local/clock', { ...json, 'sec-fetch-site': 'cross-site' }, clock)).toBe(403);
      expect(await send(urls.gateway, '/_local/clock', { 'content-type': 'text/plain' }, clock)).toBe(415);
      expect(calls).not.toContain('POST /_local/clock');
    },
  );

  attack('under a name that resolves to this machine reads no email and calls no operation', [hostCheck], async () => {
    const rebound = { host: 'evil.example', 'sec-fetch-site': 'same-origin' };
    expect(await send(urls.gateway, '/_local/emails', rebound)).toBe(403);
    expect(await send(urls.gateway, '/', rebound)).toBe(403);
    expect(calls).not.toContain('GET /_local/emails');
  });

  attack('invokes no function and reads no secret at a stand-in', [hostCheck, originCheck], async () => {
    for (const name of standIns) {
      expect(await send(urls[name], '/', { origin: page, 'content-type': 'text/plain' }, '{}'), name).toBe(403);
      expect(await send(urls[name], '/', { host: 'evil.example' }), name).toBe(403);
    }
    const invocation = '/2015-03-31/functions/switchboard-front-http/invocations';
    expect(await send(urls.aws, invocation, { 'content-type': 'text/plain', origin: page }, '{}')).toBe(403);
    expect(calls.filter((call) => call.startsWith('invoke'))).toEqual([]);
  });

  attack(
    'and another user of the machine have no use of the table’s tool port',
    [{ in: 'lib/local/emulators.ts', replace: "'--db-path', file, ", by: "'--db-path', file, '--mcp', '--mcp-no-auth', " }],
    () => {
      const { pid } = JSON.parse(readFileSync(join(folder, 'dynoxide.pid'), 'utf8')) as { pid: number };
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).not.toContain('--mcp');
    },
  );

  attack(
    'aside: the data folder is its owner’s alone, also when it was open before',
    [{ in: 'lib/local/data-folder.ts', replace: '  chmodSync(folder, 0o700);\n', by: '' }],
    () => {
      const made = join(folder, 'made');
      lockFolder(made, false)();
      expect(statSync(made).mode & 0o777).toBe(0o700);
      // as an earlier version made it
      chmodSync(made, 0o755);
      lockFolder(made, false)();
      expect(statSync(made).mode & 0o777).toBe(0o700);
    },
  );

  test('of the product itself, and a program on the machine, are served', async () => {
    expect(await send(urls.gateway, '/_local/emails', {})).toBe(200);
    expect(await send(urls.gateway, '/_local/clock', { ...json, origin: urls.gateway, 'sec-fetch-site': 'same-origin' }, clock)).toBe(200);
    const { port } = new URL(urls.gateway);
    expect(await send(urls.gateway, '/_local/emails', { host: `localhost:${port}` })).toBe(200);
    for (const name of standIns) expect(await send(urls[name], '/', {}), name).not.toBe(403);
  });
});

test('pages of the product read and write files of its buckets; no other page does, and none reaches the queues', async () => {
  const call = (method: string, origin: string, more: Record<string, string> = {}) =>
    fetch(`${urls.queues}/swb-media/page.txt`, { method, headers: { origin, ...more }, ...(method === 'PUT' ? { body: 'x' } : {}) });
  const own = 'http://127.0.0.1:3000';
  const preflight = await call('OPTIONS', own, {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type',
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, own]);
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
  // there is no such bucket: what counts is that the page may read the answer
  const put = await call('PUT', own);
  expect([put.status === 403, put.headers.get('access-control-allow-origin')]).toEqual([false, own]);
  for (const [method, origin, wanted] of [
    ['OPTIONS', own, 'POST'],
    ['POST', own, ''],
    ['PUT', 'https://evil.example', ''],
    ['OPTIONS', 'https://evil.example', 'PUT'],
    ['PUT', 'http://127.0.0.1:3001', ''],
  ] as const) {
    const refused = await call(method, origin, wanted === '' ? {} : { 'access-control-request-method': wanted });
    expect([refused.status, refused.headers.get('access-control-allow-origin')], `${method} ${origin}`).toEqual([403, null]);
  }
});
