import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sessionsContext } from '../../functions/sessions/context.ts';
import { handler as authorize } from '../../functions/sessions/worker.ts';
import { handler as sessions } from '../../functions/sessions/http/sessions.ts';
import { startDoorbell } from '../../lib/local/doorbell.ts';
import { freePort } from '../../lib/local/emulators.ts';
import { type Gateway, startGateway } from '../../lib/local/gateway.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { doorbellAddressVariable, doorbellHostVariable } from '../../shared/contract/doorbell.ts';
import { toWire } from '../change-stream/fixture.ts';
import { attack } from '../support/attack.ts';
import { credential } from '../support/credentials.ts';
import { withSession } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Who learns that something happened in a company: at the laptop's port by a session, at AppSync by a token for one channel. */
let testApp: TestApp;
let gateway: Gateway;
let origin: string;
const doorbell = startDoorbell();

beforeAll(async () => {
  testApp = await startTestApp({ contexts: [sessionsContext] });
  process.env[doorbellAddressVariable] = '/doorbell';
  process.env[doorbellHostVariable] = 'localhost';
  const port = await freePort();
  gateway = await startGateway(port);
  origin = `http://127.0.0.1:${port}`;
  const pool = { name: 'sessions-http', invoke: (event: unknown) => sessions(event as never, {} as never) };
  gateway.open({
    targets: [{ key: 'GET /api/v1/sessions/{rest+}', via: 'api', pool }] as never,
    cors: undefined,
    scheduler: { runRequest: (work) => work(), runPost: (work) => work() },
    control: () => Promise.resolve({ status: 404, body: {} }),
    doorbell,
  });
});
afterAll(async () => {
  delete process.env[doorbellAddressVariable];
  delete process.env[doorbellHostVariable];
  doorbell.stop();
  gateway.stop();
  await testApp.stop();
});

const sessionOf = (companyId: number, more: Parameters<typeof credential>[0] = {}) => credential({ kind: 'session', companyId, ...more });
const cookieOf = (secret: string): string => `swb_session=${secret}`;

/** A page that connects: what it was sent, and how its connection ended. */
const connect = (headers: Record<string, string>) => {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/doorbell`, ['aws-appsync-event-ws'], { headers });
  const messages: { type: string }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : '') as { type: string }));
  const ended = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
    socket.on('close', resolve);
    socket.on('error', () => undefined);
  });
  const opened = new Promise<'open'>((resolve) => socket.on('open', () => resolve('open')));
  const outcome = (): Promise<number | 'open'> => Promise.race([ended, opened]);
  const got = async (type: string): Promise<void> => {
    while (!messages.some((each) => each.type === type)) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const subscribe = async (channel: string): Promise<void> => {
    expect(await outcome()).toBe('open');
    socket.send(JSON.stringify({ type: 'subscribe', id: 'look', channel }));
    await Promise.race([got('subscribe_success'), got('subscribe_error')]);
  };
  return { socket, messages, ended, outcome, subscribe, got };
};
const types = ({ messages }: ReturnType<typeof connect>): string[] => messages.map(({ type }) => type);

describe('at the port of the laptop', () => {
  const former = process.env['PUBLIC_BASE_URL'];
  beforeAll(() => void (process.env['PUBLIC_BASE_URL'] = origin));
  afterAll(() => {
    if (former === undefined) delete process.env['PUBLIC_BASE_URL'];
    else process.env['PUBLIC_BASE_URL'] = former;
  });

  attack(
    'a page of another origin hears nothing, though the browser sends the cookie with its connection',
    [
      [
        { in: 'lib/local/doorbell.ts', replace: 'foreignReason(headers) !== undefined || origin !== `http://${host}`', by: 'false' },
        { in: 'shared/access/session.ts', replace: '!ownOrigins(headers, baseUrl).includes(origin)', by: 'false' },
      ],
    ],
    async () => {
      const cookie = cookieOf(await sessionOf(1));
      for (const foreign of ['https://evil.example', origin.replace('127.0.0.1', 'localhost'), `${origin}1`, 'null'])
        expect(await connect({ cookie, origin: foreign }).outcome(), foreign).toBeOneOf([401, 403]);
      const rebound = connect({ cookie, origin: 'http://evil.example', host: 'evil.example' });
      expect(await rebound.outcome()).toBe(403);
      expect(await connect({ cookie }).outcome()).toBe(403);
      const own = connect({ cookie, origin });
      expect(await own.outcome()).toBe('open');
      own.socket.close();
    },
  );

  attack(
    'who has no session, or one that has ended, hears nothing',
    [
      {
        in: 'lib/local/doorbell.ts',
        replace: "if (!known.success) return '401 Unauthorized';",
        by: "if (!known.success) return { sessionKey: '', channel: '' };",
      },
    ],
    async () => {
      const secrets = [
        undefined,
        'ses_made_up',
        await sessionOf(1, { status: 'revoked' }),
        await sessionOf(1, { companyStatus: 'suspended' }),
        await sessionOf(1, { lastUsedAt: Date.now() - 13 * 3_600_000 }),
        await sessionOf(1, { expiresAt: Date.now() - 1 }),
      ];
      for (const secret of secrets) {
        const page = connect({ origin, ...(secret === undefined ? {} : { cookie: cookieOf(secret) }) });
        expect(await page.outcome(), secret ?? 'none').toBe(401);
      }
    },
  );

  attack(
    'a connection ends with its session',
    [{ in: 'lib/local/doorbell.ts', replace: "socket.close(4401, 'The session has ended.')", by: 'socket.ping()' }],
    async () => {
      const [secret, another] = [await sessionOf(1), await sessionOf(1)];
      const [page, other] = [connect({ origin, cookie: cookieOf(secret) }), connect({ origin, cookie: cookieOf(another) })];
      await Promise.all([page.subscribe('/company/1'), other.subscribe('/company/1')]);
      const before = await credentialEntity.get({ hash: tokenHash(secret) });
      if (!before) throw new Error('There is no session.');
      const pk = `KEY#${tokenHash(secret)}`;
      const record = (status: string) => ({ dynamodb: { Keys: { pk: { S: pk } }, NewImage: toWire({ ...before, status }) } });
      doorbell.followSessions(record('active') as never);
      doorbell.publish('/company/1', '"look"');
      await page.got('data');
      doorbell.followSessions(record('revoked') as never);
      const late = new Promise<string>((resolve) => setTimeout(resolve, 5_000, 'still open'));
      expect(await Promise.race([page.ended, late])).toBe(4401);
      doorbell.publish('/company/1', '"look"');
      await other.got('data');
      other.socket.close();
    },
  );

  attack(
    'a page subscribes to no channel of another company',
    [{ in: 'lib/local/doorbell.ts', replace: "type === 'subscribe' && channel === own &&", by: "type === 'subscribe' &&" }],
    async () => {
      const page = connect({ origin, cookie: cookieOf(await sessionOf(1)) });
      for (const channel of ['/company/2', '/company/*', '/*', '/company/1/', 'company/1', '']) {
        page.messages.length = 0;
        await page.subscribe(channel);
        expect(types(page), channel).toEqual(['subscribe_error']);
      }
      page.messages.length = 0;
      await page.subscribe('/company/1');
      doorbell.publish('/company/2', '"look"');
      doorbell.publish('/company/1', '"look"');
      await page.got('data');
      expect(types(page)).toEqual(['subscribe_success', 'data']);
      page.socket.close();
    },
  );
});

const pageToken = z.object({ data: z.object({ doorbell: z.object({ channel: z.string(), token: z.string() }) }) });
const tokenOf = async (companyId: number): Promise<z.output<typeof pageToken>['data']['doorbell']> => {
  const call = withSession({ method: 'GET', path: '/api/v1/sessions/doorbell' }, await sessionOf(companyId));
  return pageToken.parse((await testApp.call(call)).body).data.doorbell;
};
const isAllowed = async (authorizationToken: string, operation: string, channel?: string): Promise<boolean> => {
  const { isAuthorized, ttlOverride } = await authorize({ authorizationToken, requestContext: { operation, channel } });
  // cached by AppSync, the answer to a connection would be that to each channel
  expect(ttlOverride).toBe(0);
  return isAuthorized;
};
const checks = 'functions/sessions/service/doorbell.ts';

describe('at AppSync', () => {
  attack(
    "a token is for its company's channel, and for no other",
    [{ in: checks, replace: 'channel === undefined || channel === doorbellChannel(grant.companyId)', by: 'true' }],
    async () => {
      const { channel, token } = await tokenOf(1);
      expect(channel).toBe('/company/1');
      expect(await isAllowed(token, 'EVENT_CONNECT')).toBe(true);
      expect(await isAllowed(token, 'EVENT_SUBSCRIBE', channel)).toBe(true);
      for (const other of ['/company/2', '/company/11', '/company/*', '/*', '/company', '/company/1/1', ''])
        expect(await isAllowed(token, 'EVENT_SUBSCRIBE', other), other).toBe(false);
    },
  );

  attack(
    'a subscription that names no channel is none to all',
    [
      {
        in: 'functions/sessions/worker.ts',
        replace: "maySubscribe(token, channel ?? '')",
        by: 'maySubscribe(token, channel ?? undefined)',
      },
    ],
    async () => expect(await isAllowed((await tokenOf(1)).token, 'EVENT_SUBSCRIBE')).toBe(false),
  );

  attack(
    'a page rings no bell of others',
    [{ in: 'functions/sessions/worker.ts', replace: "operation === 'EVENT_SUBSCRIBE' && maySubscribe", by: 'maySubscribe' }],
    async () => {
      const { channel, token } = await tokenOf(1);
      expect(await isAllowed(token, 'EVENT_PUBLISH', channel)).toBe(false);
    },
  );

  attack(
    'a token that is older than fifteen minutes opens nothing',
    [{ in: checks, replace: 'grant === undefined || grant.until <= now()', by: 'grant === undefined' }],
    async () => {
      const { channel, token } = await tokenOf(1);
      testApp.clock.advance(14 * 60_000);
      expect(await isAllowed(token, 'EVENT_SUBSCRIBE', channel)).toBe(true);
      testApp.clock.advance(60_000);
      expect(await isAllowed(token, 'EVENT_CONNECT')).toBe(false);
      expect(await isAllowed(token, 'EVENT_SUBSCRIBE', channel)).toBe(false);
    },
  );

  attack(
    'a token that was made or changed by its bearer opens nothing',
    [{ in: checks, replace: 'sameSecret(token.slice(end + 1), signature(each, text))', by: 'true' }],
    async () => {
      const { token } = await tokenOf(1);
      const [companyId = '', until = '', signature = ''] = token.split('.');
      const made = [
        `2.${until}.${signature}`,
        `${companyId}.${Number(until) + 1}.${signature}`,
        `${companyId}.${until}.`,
        `${companyId}.${until}`,
        `.${signature}`,
        signature,
        '',
      ];
      for (const each of made) {
        expect(await isAllowed(each, 'EVENT_CONNECT'), each).toBe(false);
        expect(await isAllowed(each, 'EVENT_SUBSCRIBE', '/company/2'), each).toBe(false);
      }
    },
  );

  test('a session that has ended gets no token', async () => {
    const ended = await sessionOf(1, { status: 'revoked' });
    expect((await testApp.call(withSession({ method: 'GET', path: '/api/v1/sessions/doorbell' }, ended))).status).toBe(401);
  });
});
