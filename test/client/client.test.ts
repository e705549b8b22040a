import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientOptions, follow, operationsById, paginate, switchboard, SwitchboardProblem } from '../../client/client.ts';
import { contactsContext } from '../../functions/contacts/context.ts';
import { credential } from '../support/credentials.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let testApp: TestApp;
let token = '';
beforeAll(async () => {
  testApp = await startTestApp({ contexts: [contactsContext] });
  token = await credential({ companyId: 1, role: 'member' });
});
afterAll(() => testApp.stop());

type Send = NonNullable<ClientOptions['fetch']>;

/** The product behind `fetch`. */
const send: Send = async (url, init) => {
  const { pathname, search } = new URL(url);
  const headers = Object.fromEntries(new Headers(init.headers));
  const answer = await testApp.call({ method: init.method ?? 'GET', path: pathname + search, headers, body: init.body });
  return new Response(answer.raw, { status: answer.status, headers: answer.headers });
};
const client = (options: Partial<ClientOptions> = {}) =>
  switchboard({ baseUrl: 'https://api.example.test/', token, fetch: send, ...options });

/** Each call's headers and what became of it: the nth one as given, later ones as the product answers. */
const unreliable = (...fates: (Response | 'answer lost' | 'never arrives')[]) => {
  const keys: (string | null)[] = [];
  const fetch: Send = async (url, init) => {
    keys.push(new Headers(init.headers).get('idempotency-key'));
    const fate = fates[keys.length - 1];
    if (fate instanceof Response) return fate;
    if (fate === 'never arrives') throw new TypeError('fetch failed');
    const answer = await send(url, init);
    if (fate === 'answer lost') throw new TypeError('fetch failed');
    return answer;
  };
  return { keys, fetch };
};

describe('the client', () => {
  it('of a page sends a session in place of a token, and with writes the header that no form can send', async () => {
    const sent: [string, RequestInit][] = [];
    const api = switchboard({
      baseUrl: 'https://api.example.test',
      session: true,
      fetch: (url, init) => {
        sent.push([url, init]);
        return Promise.resolve(Response.json({ data: [] }));
      },
    });
    await api.tags.list();
    await api.tags.create({ body: { name: 'a' } });
    // signing in, before there is a session
    await api.sessions.create({ body: { token: 'swb_' } });
    const headers = sent.map(([, init]) => new Headers(init.headers));
    expect(sent.map(([, init]) => init.credentials)).toEqual(['same-origin', 'same-origin', 'same-origin']);
    expect(headers.map((each) => each.get('authorization'))).toEqual([null, null, null]);
    expect(headers.map((each) => each.get('x-session-request'))).toEqual([null, '1', '1']);
  });

  it('takes its credential to no other address, whatever a server answers', async () => {
    const elsewhere: unknown[] = [];
    const thief = createServer((call, response) => {
      elsewhere.push(call.headers);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(thief, 'listening');
    const at = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const redirecting = createServer((_, response) => response.writeHead(307, { location: `${at(thief)}/` }).end()).listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const api = switchboard({ baseUrl: at(redirecting), publicKey: 'pk', secretKey: 'sk', attempts: 1 });
    await expect(api.verification.getConfig()).rejects.toThrow('fetch failed');
    expect(elsewhere).toEqual([]);
    await Promise.all([thief, redirecting].map((server) => new Promise((resolve) => server.close(resolve))));
  });

  it('takes and answers what the operations do, by their names and types', async () => {
    const api = client();
    const { data: made } = await api.contacts.create({ body: { phone: '+4915120000001', name: 'Zoë', groups: ['Friends'] } });
    expect(made).toMatchObject({ name: 'Zoë', phone: '4915120000001', created: true });
    const groupId: number | undefined = made.groups[0]?.id;
    expect((await api.contacts.get({ params: { id: made.id } })).data.groups).toEqual([{ id: groupId, name: 'Friends' }]);
    expect((await api.contacts.list({ query: { limit: 1 } })).meta).toMatchObject({ per_page: 1 });
    expect((await api.countries.list()).data.length).toBeGreaterThan(200);
    // @ts-expect-error a contact has a phone
    await expect(api.createContact({ body: { name: 'Nobody' } })).rejects.toThrow(SwitchboardProblem);
    // @ts-expect-error there is no such operation
    expect(api.sendPigeon).toBeUndefined();
  });

  it('calls an operation by resource, by its id, and by its former name', async () => {
    const paths: string[] = [];
    const fetch: Send = (url, init) => {
      paths.push(`${init.method} ${new URL(url).pathname}`);
      return send(url, init);
    };
    const api = client({ fetch });
    const { data: made } = await api.contacts.create({ body: { phone: '+4915120000009' } });
    const input = { params: { id: made.id } };
    const answers = [await api.contacts.get(input), await api.call('getContact', input), await api.getContact(input)];
    expect(answers.map(({ data }) => data.id)).toEqual([made.id, made.id, made.id]);
    expect(new Set(paths.slice(1))).toEqual(new Set([`GET /api/v1/contacts/${made.id}`]));
    // @ts-expect-error an operation by its id takes the operation's input
    await expect(api.call('getContact', {})).rejects.toThrow('params.id');
  });

  it('has one method for each operation within its resource', () => {
    const api = client() as unknown as Record<string, Record<string, unknown>>;
    for (const [id, { name }] of Object.entries(operationsById)) {
      const [resource = '', method = ''] = name.split('.');
      expect(api[resource]?.[method], id).toBeTypeOf('function');
    }
    expect(new Set(Object.values(operationsById).map(({ name }) => name)).size).toBe(Object.keys(operationsById).length);
    expect(operationsById.createContact.name).toBe('contacts.create');
    expect(operationsById.listContactNotes.name).toBe('contacts.listNotes');
  });

  it('throws refusals with code, fields and request id', async () => {
    const problem = await client()
      .contacts.create({ body: { phone: '12', tags: [99] } })
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(SwitchboardProblem);
    expect(problem).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: { phone: [expect.any(String)] },
      requestId: expect.stringMatching(/^req_/),
    });
    await expect(client().contacts.get({ params: { id: 4711 } })).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  it('says in the message which field is wrong, and of the gateway what the API has for the same', () => {
    const body = { message: 'Some fields are not valid.', code: 'validation_failed', errors: { phone: ['This field is required.'] } };
    expect(new SwitchboardProblem(422, body, 'req_1').message).toBe('Some fields are not valid. phone: This field is required.');
    const tooLarge = new SwitchboardProblem(413, { message: 'Request Too Long' }, undefined);
    expect([tooLarge.code, tooLarge.remedy]).toEqual(['payload_too_large', expect.stringContaining('POST /media/uploads')]);
  });

  it('tries a write again under one key after a lost answer, and it happens once', async () => {
    const { keys, fetch } = unreliable('never arrives', 'answer lost');
    const { data } = await client({ fetch }).contacts.create({ body: { phone: '+4915120000002' } });
    expect(data.created).toBe(true);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('tries again what is refused for a moment, and nothing else', async () => {
    const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
      new Response(JSON.stringify({ status: 'error', message: 'No.', code }), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      });
    const busy = unreliable(refusal(503, 'temporarily_unavailable', { 'retry-after': '0' }), refusal(429, 'rate_limited'));
    await client({ fetch: busy.fetch }).tags.list();
    expect(busy.keys).toEqual([null, null, null]);
    for (const [status, code] of [
      [403, 'plan_limit_reached'],
      [429, 'check_phone_quota'],
      [409, 'idempotency_key_reused'],
    ] as const) {
      const never = unreliable(refusal(status, code));
      await expect(client({ fetch: never.fetch }).tags.list()).rejects.toMatchObject({ status, code });
      expect(never.keys).toHaveLength(1);
    }
    const ever = unreliable(...Array.from({ length: 9 }, () => refusal(503, 'temporarily_unavailable')));
    await expect(client({ fetch: ever.fetch, attempts: 2 }).tags.list()).rejects.toMatchObject({ status: 503 });
    expect(ever.keys).toHaveLength(2);
  });

  it('walks a list to its end', async () => {
    const owner = await credential({ companyId: 2, role: 'member' });
    const api = client({ token: owner });
    for (let i = 0; i < 7; i++) await api.contacts.create({ body: { phone: `+491512000010${i}` } });
    const ids: number[] = [];
    for await (const { id } of paginate((cursor) => api.contacts.list({ query: { limit: 3, ...cursor } }))) ids.push(id);
    expect(ids).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('follows the feed from a place on, or from now, each event once, and ends when it is aborted', async () => {
    const log = Array.from({ length: 7 }, (_, nth) => ({ id: String(nth + 1) }));
    /** As the feed answers: without a place the newest, behind the last one nothing. */
    const list = ({ after }: { after?: string }) => {
      const from = after === undefined ? Math.max(0, log.length - 2) : Number(after);
      const data = log.slice(from, from + 2);
      return Promise.resolve({ data, meta: { has_more: from + 2 < log.length, next_cursor: data.at(-1)?.id ?? after ?? '0' } });
    };
    const seen: string[] = [];
    for await (const { id } of follow(list, { after: '2', pauseMs: 1 })) if (seen.push(id) === 5) break;
    expect(seen).toEqual(['3', '4', '5', '6', '7']);
    const stop = new AbortController();
    const fromNow = follow(list, { pauseMs: 1, signal: stop.signal });
    const next = fromNow.next();
    log.push({ id: '8' });
    expect((await next).value).toEqual({ id: '8' });
    const waiting = fromNow.next();
    stop.abort(new Error('Enough.'));
    await expect(waiting).rejects.toThrow('Enough.');
  });

  it('says which option or parameter is missing before it calls anybody', async () => {
    const unused = unreliable();
    const api = switchboard({ baseUrl: 'https://api.example.test', fetch: unused.fetch });
    await expect(api.contacts.list()).rejects.toThrow('token');
    await expect(client({ fetch: unused.fetch }).contacts.get({ params: { id: '' as unknown as number } })).rejects.toThrow('params.id');
    expect(unused.keys).toEqual([]);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const { fetch } = unreliable('never arrives');
    const call = client({ fetch }).tags.list({}, { signal: stop.signal });
    stop.abort(new Error('Enough.'));
    await expect(call).rejects.toThrow();
  });
});

it('builds as a package that plain JavaScript loads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-client-'));
  try {
    const root = join(import.meta.dirname, '../..');
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'client'), '--outDir', folder]);
    const built = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'client.js')).href)) as { switchboard: typeof switchboard };
    const api = built.switchboard({ baseUrl: 'https://api.example.test', token, fetch: send });
    expect(Object.keys(api)).toEqual(expect.arrayContaining([...Object.keys(operationsById), 'contacts', 'call']));
    expect((await api.tags.list()).status).toBe('success');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
