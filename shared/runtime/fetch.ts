import { lookup, type LookupAddress, Resolver } from 'node:dns';
import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { optionalSetting } from './env.ts';

/**
 * The HTTP client for URLs that callers give, safe from server-side request forgery: https only, no credentials in the URL, no private,
 * link-local, metadata, multicast or reserved address, no port of another protocol. The connection resolves the name itself and checks the result, so DNS rebinding
 * does not work. With `SWITCHBOARD_LOCAL=1`, loopback is allowed, also over http.
 */
export interface GuardedRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** For everything together: look-up, connection, redirects, body. */
  timeoutMs: number;
  /** A longer body fails (`too_large`), or is cut off there when `cut` is set. */
  maxBytes: number;
  cut?: boolean;
  /** How many redirects are followed, each checked like the first URL; none by default. */
  redirects?: number;
}

export type Guarded =
  | { outcome: 'answered'; status: number; headers: Readonly<Record<string, string>>; body: Buffer; url: string }
  /** The URL is not allowed; no request was sent. */
  | { outcome: 'refused'; reason: UrlRefusal }
  /** The request failed. */
  | { outcome: 'failed'; reason: 'unreachable' | 'timeout' | 'too_large' | 'too_many_redirects' };

export type UrlRefusal = 'not_an_address' | 'not_https' | 'credentials' | 'private_address' | 'port';

/** What is wrong with a URL before any look-up. A name is checked again when it is resolved. */
export const refusalOf = (address: string): UrlRefusal | undefined => {
  if (address.split('').some((character) => character <= ' ' || character === '\u007f' || character === '\\')) return 'not_an_address';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.hostname === '') return 'not_an_address';
  const host = bareHost(url.hostname);
  const isLoopbackAllowed = isLocal() && isLoopback(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackAllowed)) return 'not_https';
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?#]*@/i.test(address)) return 'credentials';
  if (isLoopbackAllowed) return undefined;
  if (!isPortAllowed(url.port)) return 'port';
  if (isIP(host)) return isPublicAddress(host) ? undefined : 'private_address';
  return isInnerName(host) ? 'private_address' : undefined;
};

/** 443, 8443 and what services of their own listen on: below are SSH, mail, databases' neighbours, whose answers would show what is open. */
const isPortAllowed = (port: string): boolean => port === '' || port === '443' || Number(port) >= 1_024;

/** Whether a connection may go to this IPv4 or IPv6 address. Of IPv6, only global unicast addresses that embed no IPv4 address. */
export const isPublicAddress = (address: string): boolean => {
  const plain = address.split('%')[0] ?? '';
  if (isIPv6(plain)) return globalUnicast.check(plain, 'ipv6') && !closed.check(plain, 'ipv6');
  return isIP(plain) === 4 && !closed.check(plain, 'ipv4');
};

export const guardedFetch = async (address: string, request: GuardedRequest): Promise<Guarded> => {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  let url = address;
  let headers = request.headers ?? {};
  for (let hop = 0; ; hop++) {
    const refusal = refusalOf(url);
    if (refusal) return { outcome: 'refused', reason: refusal };
    const answer = await once(new URL(url), { ...request, headers }, deadline);
    if (answer.outcome !== 'answered') return answer;
    const location = answer.headers['location'];
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
    if (!isRedirect || request.redirects === undefined) return answer;
    if (hop >= request.redirects) return { outcome: 'failed', reason: 'too_many_redirects' };
    if (!URL.canParse(location, url)) return { outcome: 'refused', reason: 'not_an_address' };
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) headers = withoutSecrets(headers);
    url = next.href;
  }
};

/**
 * The platform's client, for addresses that the deployment itself knows: services by a constant or a setting, and buckets. A redirect fails, as
 * it would take the body and the credentials to another host. Lint refuses `fetch` in all other files.
 */
export const fetchService = (address: string, init: Omit<RequestInit, 'redirect'>): Promise<Response> =>
  fetch(address, { ...init, redirect: 'error' });

/** The body of a response; undefined: it is longer than `maxBytes`, and the rest is not read. */
export const bodyWithin = async ({ body }: Response, maxBytes: number): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const closed = new BlockList();
const ranges4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // the metadata services of the clouds are in this range, except for one
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
for (const [net, bits] of ranges4) closed.addSubnet(net, bits, 'ipv4');
/** Inside the global unicast range: protocol assignments with Teredo, documentation, 6to4, AS112. */
const ranges6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;
for (const [net, bits] of ranges6) closed.addSubnet(net, bits, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');

const isLocal = (): boolean => optionalSetting('SWITCHBOARD_LOCAL') === '1';

/** Without brackets, and without the dot at the end of a fully qualified name. */
const bareHost = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost';
  return family === 6 ? host === '::1' : loopback.check(host, 'ipv4');
}

/** Names that exist only inside a network. The address they resolve to is checked as well. */
function isInnerName(host: string): boolean {
  return !host.includes('.') || /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/.test(host);
}

function mayConnect(address: string, host: string): boolean {
  return isPublicAddress(address) || (isLocal() && isLoopback(host) && isLoopback(address));
}

class Private extends Error {
  override name = 'Private';
}

let resolver: Resolver | undefined;

/**
 * The addresses of a name, IPv4 first. `lookup` would hold one of the process's four threads while a name server is silent, and calls of the
 * SDK, which resolve names too, would wait for it. On the laptop, names such as localhost are in the system's own list.
 */
function resolve(hostname: string, done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void): void {
  if (isLocal()) return lookup(hostname, { all: true }, done);
  resolver ??= new Resolver({ timeout: 1_500, tries: 2 });
  const found: Record<4 | 6, LookupAddress[] | undefined> = { 4: undefined, 6: undefined };
  const take = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, addresses: readonly string[]) => {
    found[family] = error ? [] : addresses.map((address) => ({ address, family }));
    if (!found[4] || !found[6]) return;
    const all = [...found[4], ...found[6]];
    done(all.length === 0 ? error : null, all);
  };
  resolver.resolve4(hostname, take(4));
  resolver.resolve6(hostname, take(6));
}

/** Fails unless a connection is allowed to every address of the name. */
const guardedLookup =
  (host: string): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found.filter(({ family }) => !options.family || options.family === family);
      if (addresses.length === 0 || addresses.some(({ address }) => !mayConnect(address, host))) return callback(new Private(hostname), []);
      const [first] = addresses;
      return options.all || !first ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };

function once(url: URL, request: GuardedRequest & { headers: Readonly<Record<string, string>> }, deadline: AbortSignal): Promise<Guarded> {
  const host = bareHost(url.hostname);
  return new Promise((resolveWith) => {
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const give = (guarded: Guarded): void => {
      deadline.removeEventListener('abort', onDeadline);
      resolveWith(guarded);
    };
    const call = open(
      url,
      // no pooled connections: each is checked when it is made
      {
        method: request.method ?? 'GET',
        headers: { 'user-agent': 'Switchboard', ...request.headers },
        lookup: guardedLookup(host),
        agent: false,
      },
      (response) => void read(response, request, url.href).then(give),
    );
    const onDeadline = (): void => {
      give({ outcome: 'failed', reason: 'timeout' });
      call.destroy();
    };
    if (deadline.aborted) return onDeadline();
    deadline.addEventListener('abort', onDeadline);
    call.on('socket', (socket) =>
      socket.once('connect', () => {
        if (socket.remoteAddress !== undefined && !mayConnect(socket.remoteAddress, host)) call.destroy(new Private(host));
      }),
    );
    call.on('error', (error) =>
      give(error instanceof Private ? { outcome: 'refused', reason: 'private_address' } : { outcome: 'failed', reason: 'unreachable' }),
    );
    call.end(request.body);
  });
}

async function read(response: IncomingMessage, request: GuardedRequest, url: string): Promise<Guarded> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= request.maxBytes && request.cut) break;
      if (bytes > request.maxBytes) return { outcome: 'failed', reason: 'too_large' };
    }
  } catch {
    return { outcome: 'failed', reason: 'unreachable' };
  } finally {
    response.destroy();
  }
  const body = Buffer.concat(chunks).subarray(0, request.maxBytes);
  return { outcome: 'answered', status: response.statusCode ?? 0, headers: flat(response.headers), body, url };
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(authorization|cookie|x-.*(token|secret|key|signature).*)$/i.test(name)),
  );
}
