import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * As much of a deployment as the conformance runner calls, without a table behind it. A fault has the name of the check that must notice it, and
 * breaks the one rule that the check is about.
 */
export interface FakeDeployment extends AsyncDisposable {
  url: string;
  faults: Set<string>;
  /** Contacts, endpoints and messages that are there: none after a run. */
  leftovers: () => number;
  /** Texts that were sent, or scheduled and not cancelled. */
  sentTexts: () => number;
}

export const fakeToken = 'swb_fake';

interface FakeAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

interface FakeCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  raw: string;
  body: Record<string, unknown>;
}

const remedies = { remedy: 'As the reference says.', doc_url: '/docs' };

export const startFakeDeployment = async (): Promise<FakeDeployment> => {
  const state = new FakeState();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void respond(state, request, Buffer.concat(chunks).toString('utf8'), response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: state.faults,
    leftovers: () => state.contacts.size + state.endpoints.size,
    sentTexts: () => state.messages.size,
    [Symbol.asyncDispose]: async () => {
      for (const timer of state.timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

class FakeState {
  faults = new Set<string>();
  contacts = new Map<number, { phone: string; updatedAt: string }>();
  endpoints = new Map<number, { url: string; secret: string }>();
  messages = new Map<number, string>();
  answers = new Map<string, { request: string; answer: FakeAnswer }>();
  timers = new Set<NodeJS.Timeout>();
  calls = 0;
  crmCalls = 0;
  lastId = 0;

  has(fault: string): boolean {
    return this.faults.has(fault);
  }
}

async function respond(state: FakeState, request: IncomingMessage, raw: string, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  state.calls++;
  const requestId = `req_${String(state.has('request-ids') ? 1 : state.calls).padStart(26, '0')}`;
  const call = { method: request.method ?? 'GET', path: pathname, query: searchParams, headers: request.headers, raw, body: {} };
  const answer = state.has('no-server-errors') && pathname === '/api/v1/no-such-path' ? { status: 500, body: {} } : answerTo(state, call);
  const { status, body, headers = {} } = answer;
  // as long as a table would take: calls at once are answered beside each other
  await new Promise((resolve) => setImmediate(resolve));
  const isError = status >= 400;
  const text = body === undefined ? '' : JSON.stringify(isError ? { status: 'error', ...remedies, request_id: requestId, ...body } : body);
  const isShort = request.method === 'HEAD' && !state.has('head');
  response.writeHead(state.has('head') && request.method === 'HEAD' ? 404 : status, {
    'content-type': 'application/json',
    'x-request-id': requestId,
    'x-api-version': '1.0',
    'x-ratelimit-limit': pathname.includes('/crm/') ? '60' : '1200',
    'x-ratelimit-remaining': String(state.has('limit-headers') ? 1_200 : 1_200 - state.calls),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 60_000) * 60),
    ...headers,
  });
  response.end(isShort ? '' : text);
}

const problem = (status: number, code: string, more: Record<string, unknown> = {}): FakeAnswer => ({
  status,
  body: { code, message: `It is refused: ${code}.`, ...more },
});
const success = (data: unknown, status = 200): FakeAnswer => ({ status, body: { status: 'success', message: 'Done.', data } });

/** Refusals before any operation, each of which a fault turns into another answer. */
function answerTo(state: FakeState, call: FakeCall): FakeAnswer {
  const { method, path, headers } = call;
  const broken = (fault: string, answer: FakeAnswer): FakeAnswer => (state.has(fault) ? success({}) : answer);
  if (headers.authorization === undefined) return broken('no-token', problem(401, 'token_missing'));
  if (headers.authorization !== `Bearer ${fakeToken}`) return broken('wrong-token', problem(401, 'token_invalid'));
  if (path === '/api/v1/no-such-path') return broken('unknown-route', problem(404, 'route_not_found'));
  if (path === '/api/v1/me' && method === 'PATCH') return broken('wrong-method', problem(405, 'method_not_allowed'));
  if (call.raw !== '') {
    if (headers['content-type'] !== 'application/json') return broken('content-type', problem(415, 'unsupported_content_type'));
    try {
      call.body = JSON.parse(call.raw) as Record<string, unknown>;
    } catch {
      return broken('broken-json', problem(400, 'invalid_json'));
    }
  }
  return withKey(state, call);
}

function withKey(state: FakeState, call: FakeCall): FakeAnswer {
  const { 'idempotency-key': key } = call.headers;
  if (typeof key !== 'string') return operationOf(state, call);
  if (key.length > 255 && !state.has('bad-key')) return problem(400, 'invalid_idempotency_key');
  const request = `${call.method} ${call.path} ${call.raw}`;
  const stored = state.answers.get(key);
  const forgets =
    (state.has('same-key') || state.has('same-key-at-once') || state.has('message-once')) &&
    (call.path.endsWith('/text') || stored?.request === request);
  if (stored && !forgets) {
    if (stored.request === request) return { ...stored.answer, headers: { 'idempotent-replayed': 'true' } };
    if (!state.has('same-key-other-body')) return problem(409, 'idempotency_key_reused');
  }
  const answer = operationOf(state, call);
  if (answer.status < 300) state.answers.set(key, { request, answer });
  return answer;
}

function operationOf(state: FakeState, call: FakeCall): FakeAnswer {
  const { method, path } = call;
  if (path === '/api/v1/me')
    return state.has('record-envelope')
      ? { status: 200, body: { company_name: 'Fake' } }
      : success({ id: 1, company_id: 1, company_name: 'Fake' });
  if (path === '/api/v1/crm/pipelines') {
    state.crmCalls++;
    const answer = problem(429, 'rate_limited');
    return state.crmCalls > 60 ? { ...answer, headers: state.has('limit-reached') ? {} : { 'retry-after': '30' } } : success([]);
  }
  const [, , , resource, id] = path.split('/');
  if (resource === 'contacts') return contactsOf(state, call, id);
  if (resource === 'webhooks') return endpointsOf(state, call, id);
  if (path === '/api/v1/messages/text') return textOf(state, call);
  if (resource === 'messages' && method === 'DELETE') {
    state.messages.delete(Number(id));
    return success({});
  }
  return problem(404, 'route_not_found');
}

function contactsOf(state: FakeState, { method, query, body }: FakeCall, id: string | undefined): FakeAnswer {
  if (method === 'POST') return createdContact(state, body);
  if (id === undefined) {
    const rows = [...state.contacts].map(([own, { phone }]) => ({ id: own, phone }));
    const found = rows.filter(({ phone }) => phone.includes(query.get('search') ?? ''));
    const meta = state.has('list-envelope') ? {} : { per_page: Number(query.get('limit')), next_cursor: null };
    return { status: 200, body: { status: 'success', data: found, meta } };
  }
  const contact = state.contacts.get(Number(id));
  if (!contact) return state.has('unknown-record') ? success(null) : problem(404, 'not_found');
  if (method === 'DELETE' && !state.has('removal')) {
    state.contacts.delete(Number(id));
    notify(state, 'contact.deleted', Number(id));
  }
  return state.has('removal') ? problem(403, 'insufficient_scope') : success({ id: Number(id) });
}

function createdContact(state: FakeState, body: Record<string, unknown>): FakeAnswer {
  const phone = String(body['phone']).replace('+', '');
  if (phone.length < 8)
    return problem(422, 'validation_failed', state.has('field-errors') ? {} : { errors: { phone: ['It is too short.'] } });
  const known = [...state.contacts].find(([, contact]) => contact.phone === phone);
  const isAnew = known === undefined || state.has('same-key-at-once');
  const id = isAnew ? ++state.lastId : known[0];
  const updatedAt = state.has('utc-times') ? '2026-12-24 17:00' : `${new Date().toISOString().slice(0, -1)}000Z`;
  state.contacts.set(id, { phone, updatedAt });
  if (isAnew) notify(state, 'contact.created', id);
  return success({ id, phone, created: isAnew, updated_at: updatedAt });
}

function endpointsOf(state: FakeState, { method, body }: FakeCall, id: string | undefined): FakeAnswer {
  if (method === 'DELETE') {
    state.endpoints.delete(Number(id));
    return success({});
  }
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  state.endpoints.set(++state.lastId, { url: String(body['url']), secret });
  return success({ id: state.lastId, secret });
}

function textOf(state: FakeState, { body }: FakeCall): FakeAnswer {
  if ('schedule_at' in body && !state.has('near-miss')) return problem(422, 'unknown_field');
  const id = ++state.lastId;
  state.messages.set(id, String(body['message']));
  const time = String(body['scheduled_at']);
  const read = state.has('scheduled-at-with-zone') ? `${time.slice(0, 19)}Z` : time;
  return success({ message_id: id, contact_id: 1, ...('scheduled_at' in body ? { scheduled_at: new Date(read).toISOString() } : {}) });
}

/** Delivers an event to every endpoint; after an answer other than 2xx once more, a moment later. */
function notify(state: FakeState, event: string, contactId: number): void {
  for (const { url, secret } of state.endpoints.values()) {
    const id = `evt_${++state.lastId}`;
    const body = JSON.stringify({ id, event, timestamp: new Date().toISOString(), data: { contact_id: contactId } });
    const attempt = async (again: boolean): Promise<void> => {
      const sentId = again && state.has('webhook-repeated') ? `${id}b` : id;
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const key = Buffer.from(state.has('webhook-signed') ? 'another' : secret.slice(6), 'base64');
      const signature = createHmac('sha256', key).update(`${sentId}.${timestamp}.${body}`).digest('base64');
      const headers = { 'webhook-id': sentId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
      const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined);
      if (answer?.ok === false && !again) state.timers.add(setTimeout(() => void attempt(true), 20));
    };
    state.timers.add(setTimeout(() => void attempt(false), 5));
  }
}
