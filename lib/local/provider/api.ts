/** The provider's HTTP interface: the caller, the object, and the fault that strikes. */
import * as http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isKnownVersion, servedVersion, versionHeader } from '../../../shared/provider/versions.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { refuseForeign } from '../foreign-requests.ts';
import type { Accounts } from './accounts.ts';
import { plainError, refuse, refuseObject, refuseParameter, refusePermission, refuseToken } from './errors.ts';
import type { BlockedUsers } from './blocked-users.ts';
import type { Faults } from './faults.ts';
import type { Links } from './links.ts';
import type { MediaStore } from './media.ts';
import type { Answer } from './answer.ts';
import { isReadReceipt, type Messages, sendingEdges } from './messages.ts';
import type { PhoneTools } from './phone-tools.ts';
import type { Profiles } from './profiles.ts';
import type { BusinessNumber, Registry } from './registry.ts';
import type { Signup } from './signup.ts';
import { siteVerify } from './siteverify.ts';
import { isPricingAnalytics, type PricingAnalytics } from './pricing-analytics.ts';
import type { Reach } from './reach.ts';
import type { TemplateAnalytics } from './template-analytics.ts';
import { listLibrary } from './template-library.ts';
import type { Templates } from './templates.ts';
import type { Users } from './users.ts';

interface Parts {
  blocked: BlockedUsers;
  links: Links;
  profiles: Profiles;
  tools: PhoneTools;
  signup: Signup;
  registry: Registry;
  users: Users;
  faults: Faults;
  messages: Messages;
  templates: Templates;
  analytics: TemplateAnalytics;
  pricingAnalytics: PricingAnalytics;
  reach: Reach;
  media: MediaStore;
  accounts: Accounts;
  log: (line: string) => void;
}

interface Call {
  method: string;
  /** The one that the call names, which another may serve. */
  version: string;
  /** Path after the version, in parts. */
  id: string;
  edge: string | undefined;
  /** Which one of the edge. */
  part: string | undefined;
  query: URLSearchParams;
  token: string;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
  /** The provider's own address, as the client reached it. */
  base: string;
}

/** Real time: how long a socket is held whose answer never comes. */
const silenceMs = 60_000;
/** Of a call without a version. */
const oldestVersion = 'v19.0';
const bodyMost = 110 * 1024 * 1024;

export function createApi(parts: Parts): http.Server {
  const {
    blocked,
    links,
    profiles,
    tools,
    signup,
    registry,
    users,
    faults,
    messages,
    templates,
    analytics,
    pricingAnalytics,
    reach,
    media,
    accounts,
    log,
  } = parts;

  async function handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const raw = await readBody(request);
    const base = `http://${request.headers.host ?? '127.0.0.1'}`;
    const url = new URL(request.url ?? '/', base);
    const latency = faults.settings().latency_ms;
    if (latency) await sleep(latency);
    if (url.pathname === '/siteverify')
      return reply(response, siteVerify(request.method ?? '', request.headers['content-type'] ?? '', raw));
    const browsed = signup.browse(request.method ?? '', url, parseJson(raw.toString()));
    if (browsed) return show(response, browsed);
    const token = bearer(request.headers.authorization, url);
    if (url.pathname === '/whatsapp_business/attachments/') return download(response, url.searchParams, token);
    const [, versionPart, rest] = /^(?:\/(v\d+\.\d+))?\/(.*)$/.exec(url.pathname) ?? [];
    const [id = '', edge, ...more] = decodeURIComponent(rest ?? '').split('/');
    const version = versionPart ?? oldestVersion;
    if (more.length > (edge === 'message_qrdls' ? 1 : 0) || !isKnownVersion(version)) return reply(response, unknownPath(url.pathname));
    response.setHeader(versionHeader, servedVersion(version, now()));
    if (id === 'oauth' && edge === 'access_token') return reply(response, signup.exchange(url.searchParams));
    if (id === 'debug_token') return reply(response, signup.inspect(token, url.searchParams));
    if (edge === 'subscriptions') return reply(response, await onApp(request.method ?? 'GET', id, token, raw));
    if (!registry.isKnownToken(token)) return reply(response, refuseToken());
    const call: Call = {
      method: request.method ?? 'GET',
      version,
      id,
      edge,
      part: more[0],
      query: url.searchParams,
      token,
      headers: request.headers,
      raw,
      base,
    };
    const sending = sendingEdges.find((name) => name === edge);
    if (sending && call.method === 'POST') return send(call, sending, response);
    reply(response, await dispatch(call));
  }

  async function onApp(method: string, id: string, token: string, raw: Buffer): Promise<Answer> {
    const numbers = accounts.appOf(id, token);
    if (numbers.length === 0 && !(method === 'GET' && signup.isApp(token) && token.startsWith(`${id}|`))) return refuseToken();
    if (method === 'GET') return accounts.appSubscriptions(numbers);
    return method === 'POST' ? accounts.subscribeApp(numbers, parseJson(raw.toString())) : refuseObject(method, id);
  }

  async function send(call: Call, edge: (typeof sendingEdges)[number], response: http.ServerResponse): Promise<void> {
    const number = ownNumber(call);
    if ('body' in number) return reply(response, number);
    const raw = call.raw.toString();
    const body = parseJson(raw);
    if (!number.registered) return reply(response, refuse(133010));
    // Faults strike messages, not read receipts.
    const fate = isReadReceipt(body) ? 'normal' : faults.fateOfSend();
    if (fate === 'reset_before') return void response.socket?.resetAndDestroy();
    if (fate === 'throttle') return reply(response, { ...refuse(130429), status: faults.random() < 0.5 ? 400 : 429 });
    if (fate === 'server_error') return failAsServer(response, faults.random());
    const answer = await messages.send(number, body, { raw, version: call.version, edge });
    if (answer.status === 200 && fate === 'reset_after') return void response.socket?.resetAndDestroy();
    if (answer.status === 200 && fate === 'timeout') {
      setTimeout(() => response.socket?.destroy(), silenceMs).unref();
      return;
    }
    reply(response, answer);
  }

  function download(response: http.ServerResponse, query: URLSearchParams, token: string): void {
    if (!registry.isKnownToken(token)) return reply(response, refuseToken());
    const found = media.download(query);
    if (!found) return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not Found');
    if (!mayUse(token, found.media.phone_number_id)) return reply(response, refusePermission(10));
    response.writeHead(200, { 'Content-Type': found.media.mime_type, 'Content-Length': found.bytes.length }).end(found.bytes);
  }

  /** The object decides which edges there are. */
  function dispatch(call: Call): Answer | Promise<Answer> {
    const { id, method, edge } = call;
    // the app that a token belongs to
    if (id === 'app' && edge === undefined && method === 'GET') return accounts.app(call.token);
    if (id === 'message_template_library' && edge === undefined && method === 'GET') return listLibrary(call.query);
    if (id.startsWith('upload:')) {
      // a file is taken under no other scheme
      if (method === 'POST' && !/^OAuth\s/i.test(call.headers.authorization ?? '')) return refuseToken();
      return method === 'POST' ? media.continueUpload(id, header(call.headers.file_offset), call.raw) : media.resumeUpload(id);
    }
    if (edge === 'uploads' && method === 'POST') return media.startUpload(call.query);
    if (registry.number(id)) return onNumber(call);
    if (registry.numbersOf({ waba_id: id }).length > 0) return onAccount(call);
    if (edge === undefined || edge === 'unpause') {
      const template = registry.template(id);
      if (template) return onTemplate(call, template);
      const found = media.find(id);
      if (found) return onMedia(call, found);
    }
    return refuseObject(method, id);
  }

  function onNumber(call: Call): Answer | Promise<Answer> {
    const number = ownNumber(call);
    if ('body' in number) return number;
    const { edge, method } = call;
    if (edge === 'media' && method === 'POST') return media.upload(call.id, header(call.headers['content-type']) ?? '', call.raw);
    if (edge === undefined && method === 'GET') return accounts.number(number, call.query.get('fields'));
    if (edge === undefined && method === 'POST') return accounts.configure(number, parseJson(call.raw.toString()));
    if (edge === 'register' && method === 'POST') return accounts.register(number, parseJson(call.raw.toString()));
    if (edge === 'message_qrdls') return links(number, method, call.part, call.query, parseJson(call.raw.toString()));
    if (edge === 'whatsapp_business_profile') return profiles(number, method, call.query, parseJson(call.raw.toString()));
    if (edge === 'username') return tools.username(number, method, parseJson(call.raw.toString()));
    if (edge === 'conversational_automation' && method === 'POST') return tools.setAutomation(number, parseJson(call.raw.toString()));
    if (edge === 'contact_book' && method === 'DELETE') {
      const { contact_book_error: code } = faults.settings();
      return code === undefined ? users.removeFromBook(number, call.query) : refuse(code);
    }
    if (edge === 'block_users') return onBlockedUsers(number, call);
    if (edge === 'deregister' && method === 'POST') return { status: 200, body: { success: true } };
    return refuseObject(method, call.id);
  }

  function onBlockedUsers(number: BusinessNumber, { id, method, query, raw }: Call): Answer {
    if (method === 'GET') return blocked.list(number, query);
    if (method === 'POST') return blocked.block(number, parseJson(raw.toString()));
    return method === 'DELETE' ? blocked.unblock(number, parseJson(raw.toString())) : refuseObject(method, id);
  }

  function onAccount(call: Call): Answer | Promise<Answer> {
    const { id, method, edge, query } = call;
    if (registry.numbersOf({ waba_id: id, access_token: call.token }).length === 0) return refusePermission(200);
    const body = parseJson(call.raw.toString());
    switch (`${method} ${edge ?? ''}`) {
      case 'GET ':
        return onAccountFields(id, query.get('fields'));
      case 'GET phone_numbers':
        return accounts.numbers(id, query.get('fields'));
      case 'GET subscribed_apps':
        return accounts.subscriptions(id);
      case 'POST subscribed_apps':
        return accounts.subscribe(id, body);
      case 'DELETE subscribed_apps':
        return accounts.unsubscribe(id);
      case 'GET message_templates':
        return templates.list(id, query, `${call.base}/${call.version}/${id}/message_templates`);
      case 'GET template_analytics':
        return analytics(id, query);
      case 'GET reachestimate':
        return reach(query);
      case 'POST message_templates':
        return templates.create(id, body);
      case 'DELETE message_templates':
        return templates.delete(id, query);
      case 'POST upsert_message_templates':
        return templates.upsert(id, body);
      default:
        return refuseObject(method, id);
    }
  }

  const onAccountFields = (id: string, fields: string | null): Answer =>
    isPricingAnalytics(fields) ? pricingAnalytics(id, fields) : accounts.account(id, fields);

  function onTemplate(call: Call, template: NonNullable<ReturnType<Registry['template']>>): Answer {
    if (registry.numbersOf({ waba_id: template.waba_id, access_token: call.token }).length === 0) return refusePermission(200);
    if (call.edge === 'unpause') return call.method === 'POST' ? templates.unpause(template) : refuseObject(call.method, call.id);
    if (call.method === 'GET') return templates.get(template, call.query);
    return call.method === 'POST' ? templates.edit(template, parseJson(call.raw.toString())) : refuseObject(call.method, call.id);
  }

  function onMedia(call: Call, found: NonNullable<ReturnType<MediaStore['find']>>): Answer {
    const owner = call.query.get('phone_number_id');
    if (!mayUse(call.token, found.phone_number_id) || (owner !== null && owner !== found.phone_number_id))
      return refuseObject(call.method, call.id);
    if (call.method === 'GET') return media.describe(found, call.base);
    return call.method === 'DELETE' ? media.delete(found) : refuseObject(call.method, call.id);
  }

  function ownNumber(call: Call): BusinessNumber | Answer {
    const number = registry.number(call.id);
    if (!number) return refuseObject(call.method, call.id);
    return number.access_token === call.token ? number : refusePermission(10);
  }

  function mayUse(token: string, phoneNumberId: string): boolean {
    return registry.number(phoneNumberId)?.access_token === token;
  }

  const server = http.createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    handle(request, response).catch((cause: unknown) => {
      if (cause instanceof RangeError) return reply(response, refuseParameter('The request body is too large.'));
      log(`provider: ${request.method} ${request.url?.split('?')[0]} failed: ${cause instanceof Error ? cause.message : String(cause)}`);
      if (!response.headersSent)
        reply(response, plainError(500, { message: 'An unknown error occurred', type: 'OAuthException', code: 1 }));
    });
  });
  // its script and its dialog are opened by pages of the product
  return refuseForeign(server, { isNavigable: true, scripts: ['/sdk.js'] });
}

function show(response: http.ServerResponse, browsed: { type: string; text: string } | Answer): void {
  if ('body' in browsed) return reply(response, browsed);
  response.writeHead(200, { 'Content-Type': `${browsed.type}; charset=UTF-8`, 'Cache-Control': 'no-store' }).end(browsed.text);
}

function reply(response: http.ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    ...(status === 401 && { 'WWW-Authenticate': 'OAuth "Facebook Platform" "invalid_token"' }),
  });
  response.end(text);
}

/** Half of the failures carry the provider's error body, half the page of whatever stands in front of it. `draw`: 0 to 1. */
function failAsServer(response: http.ServerResponse, draw: number): void {
  const failures = [
    refuse(131016),
    plainError(503, { message: 'Service temporarily unavailable', type: 'OAuthException', code: 2, is_transient: true }),
    refuse(131000),
  ];
  const failure = failures[Math.floor(draw * 6)];
  if (failure) return reply(response, failure);
  const page = '<!DOCTYPE html><html><body><h1>Sorry, something went wrong.</h1></body></html>';
  response.writeHead(draw < 0.75 ? 500 : 503, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
}

function unknownPath(path: string): Answer {
  return plainError(400, { message: `Unknown path components: ${path}`, type: 'OAuthException', code: 2500 });
}

/** Graph reads a token from the header, with either word, or from the query. */
function bearer(authorization: string | undefined, url: URL): string {
  return /^(?:Bearer|OAuth)\s+(.+)$/i.exec(authorization ?? '')?.[1]?.trim() ?? url.searchParams.get('access_token') ?? '';
}

/** Graph takes an unreadable body for an empty one, and complains about the first required parameter. */
function parseJson(raw: string): unknown {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function readBody(request: http.IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyMost) reject(new RangeError('body too large'));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
