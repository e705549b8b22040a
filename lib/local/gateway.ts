import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Doorbell, doorbellPath } from './doorbell.ts';
import { print, maskedAddress, requestLine } from './console.ts';
import type { ControlAnswer } from './control.ts';
import { refusal } from './control.ts';
import type { Cors } from './cors.ts';
import { StartProblem } from './data-folder.ts';
import { foreignBody, foreignReason } from './foreign-requests.ts';
import { FunctionProblem } from './environment.ts';
import type { FunctionPool } from './functions.ts';
import { gatewayResponse, httpEvent, httpResponse, type WireRequest, type WireResponse } from './http-event.ts';
import { type Json, parseJson } from './json.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';
import type { Sites } from './sites.ts';
import { type RouteMatch, routePattern, router } from './routing.ts';

/** A function behind a "METHOD /path" pattern: of the API, or of a function URL, which knows no route keys or path parameters. */
export interface HttpTarget {
  key: string;
  pool: FunctionPool;
  via: 'api' | 'url';
}

export interface GatewayOptions {
  targets: readonly HttpTarget[];
  cors: Cors | undefined;
  sites?: Sites;
  scheduler: Pick<DeliveryScheduler, 'runRequest' | 'runPost'>;
  control: (method: string, path: string, query: string, body: Json) => Promise<ControlAnswer>;
  doorbell?: Pick<Doorbell, 'upgrade'>;
}

export interface Gateway {
  /** Answers requests from now on; until then every response says to retry. */
  open(parts: GatewayOptions): void;
  stop(): void;
}

/** Takes the product's one port at once, so that a port in use is known before anything else is started. */
export const startGateway = async (port: number): Promise<Gateway> => {
  let serve: ((request: WireRequest) => Promise<Served>) | undefined;
  let doorbell: GatewayOptions['doorbell'];
  let stopped = false;
  // longer than clients keep an idle connection: none is closed under a request
  const shouldUpgradeCallback = ({ url }: IncomingMessage): boolean => doorbell !== undefined && url === doorbellPath;
  // clients of HTTP/2 offer it as an upgrade of their first request, which is answered as any
  const server = createServer({ keepAliveTimeout: 65_000, shouldUpgradeCallback }, (incoming, outgoing) => {
    const started = performance.now();
    answer(incoming, outgoing, (request) => serve?.(request) ?? Promise.resolve({ response: starting(), masked: [] }))
      .then(({ request, served }) => {
        if (request.path.startsWith('/_local/')) return;
        const address = maskedAddress(request.path, request.query, served.masked);
        print(requestLine(request.method, address, served.response.status, performance.now() - started));
      })
      .catch((error: unknown) => {
        if (!stopped) print(`http   ${error instanceof Error ? error.message : String(error)}`);
        outgoing.destroy();
      });
  });
  server.requestTimeout = 0;
  server.on('upgrade', (incoming, socket, firstBytes) => {
    if (!serve || !doorbell) return socket.destroy();
    const answerBy = serve;
    doorbell.upgrade(incoming, socket, firstBytes, async (request) => (await answerBy(request)).response).catch(() => socket.destroy());
  });
  await openPort(server, port);
  return {
    open: (parts) => {
      serve = serving(parts);
      doorbell = parts.doorbell;
    },
    stop: () => {
      stopped = true;
      server.close();
      server.closeAllConnections();
    },
  };
};

interface Served {
  response: WireResponse;
  /** Segments of the path that are secret. */
  masked: readonly string[];
}

const serving = ({ targets, cors, sites, scheduler, control }: GatewayOptions): ((request: WireRequest) => Promise<Served>) => {
  const find = router(targets.filter(({ key }) => key !== '$default').map((route) => ({ pattern: routePattern(route.key), route })));
  const fallback = targets.find(({ key }) => key === '$default');
  return async (request) => {
    const { method, path, headers } = request;
    const isControl = path.startsWith('/_local/');
    const foreign = foreignReason(headers, isControl ? {} : { otherHosts, isOpenToPages: true });
    if (foreign !== undefined) return { response: jsonResponse({ status: 403, body: foreignBody(foreign) }), masked: [] };
    if (isControl) return { response: await controlled(request, control), masked: [] };
    const page = sites?.(method, path);
    if (page) return { response: page, masked: [] };
    const preflight = cors?.preflight(method, headers);
    if (preflight) return { response: preflight, masked: [] };
    const match: RouteMatch<HttpTarget> | undefined =
      find(method, path) ??
      viaUrl(find(method, path.replace(/^\/+/, '/'))) ??
      (fallback && { route: fallback, parameters: undefined, rawParameters: {} });
    if (!match) return { response: gatewayResponse(404, 'Not Found'), masked: [] };
    const inTurn = match.route.via === 'api' ? scheduler.runRequest : scheduler.runPost;
    const response = await inTurn(() => invoked(request, match));
    if (match.route.via === 'api') Object.assign(response.headers, cors?.headersFor(headers));
    const masked = Object.entries(match.rawParameters).flatMap(([name, value]) => (/token|secret|key/i.test(name) ? [value] : []));
    return { response, masked };
  };
};

/** Names under which the developer's own machines reach this one, such as a container's host or a tunnel. */
const otherHosts = (process.env.SWITCHBOARD_HOSTS ?? '').toLowerCase().split(',').filter(Boolean);

/** The function URL's: it takes a path as it comes, with a slash too many. */
const viaUrl = (match: RouteMatch<HttpTarget> | undefined): RouteMatch<HttpTarget> | undefined =>
  match?.route.via === 'url' ? match : undefined;

const invoked = async (request: WireRequest, { route, parameters }: RouteMatch<HttpTarget>): Promise<WireResponse> => {
  const event = route.via === 'url' ? httpEvent(request, '$default', undefined) : httpEvent(request, route.key, parameters);
  // a body takes six times its bytes at most (each escaped as \u0000), the rest some kilobytes
  if (request.body.length * 6 > maxEventBytes / 2 && Buffer.byteLength(JSON.stringify(event)) > maxEventBytes)
    return gatewayResponse(413, 'Request Too Long');
  const work = route.pool.invoke(event).then((result) => httpResponse(withinLimit(result)));
  try {
    return await (route.via === 'api' ? within(work, apiTimeoutMs) : work);
  } catch (error) {
    const problem = error instanceof FunctionProblem ? `${error.errorType}: ${error.message}` : String(error);
    print(`failed   ${route.pool.name} ${problem.split('\n')[0] ?? ''}`);
    if (error instanceof FunctionProblem && error.trace) print(error.trace);
    return route.via === 'api' ? gatewayResponse(500, 'Internal Server Error') : gatewayResponse(502, 'Internal Server Error');
  }
};

const controlled = async (request: WireRequest, control: GatewayOptions['control']): Promise<WireResponse> => {
  let body: Json = {};
  if (request.body.length > 0 && !/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return jsonResponse({ status: 415, body: { status: 'error', code: 'unsupported_content_type', message: 'Send application/json.' } });
  try {
    if (request.body.length > 0) body = parseJson(request.body.toString('utf8'));
  } catch {
    return jsonResponse(refusal({ body: 'must be JSON' }));
  }
  return jsonResponse(await control(request.method, request.path, request.query, body));
};

const jsonResponse = ({ status, body, headers }: ControlAnswer): WireResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

const answer = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serve: (request: WireRequest) => Promise<Served>,
): Promise<{ request: WireRequest; served: Served }> => {
  const [path = '/', ...query] = (incoming.url ?? '/').split('?');
  const body = await wholeBody(incoming);
  const request: WireRequest = {
    method: incoming.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: incoming.headers,
    body: body ?? Buffer.alloc(0),
    sourceIp: (incoming.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, ''),
  };
  const served = body ? await serve(request) : { response: gatewayResponse(413, 'Request Entity Too Large'), masked: [] };
  const { response } = served;
  const closing = body ? {} : { connection: 'close' };
  const lengths = response.status === 204 || response.status === 304 ? {} : { 'content-length': String(response.body.length) };
  outgoing.writeHead(response.status, { ...lengths, ...response.headers, ...closing });
  outgoing.end(request.method === 'HEAD' ? undefined : response.body);
  return { request, served };
};

/** API Gateway's limits. */
const maxBodyBytes = 10 * 1024 * 1024;
/** Lambda's limit for the event of an invocation, in which a form is base64 and each quote of a text is escaped. */
const maxEventBytes = 6_291_456;
const apiTimeoutMs = 30_000;

/** Lambda's limit for what a function answers, in which a body is a text. */
const maxAnswerBytes = 6_291_556;

function withinLimit(result: Json): Json {
  const bytes = Buffer.byteLength(JSON.stringify(result) ?? '');
  if (bytes > maxAnswerBytes) throw new FunctionProblem('Function.ResponseSizeTooLarge', `Response payload size exceeded: ${bytes} bytes`);
  return result;
}

/** Undefined when it is too large; the rest is then read and dropped, so that the client gets to read the answer. */
const wholeBody = (incoming: IncomingMessage): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(undefined);
      }
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
    incoming.on('aborted', () => reject(new Error('The client went away')));
  });

const within = async (work: Promise<WireResponse>, ms: number): Promise<WireResponse> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<WireResponse>((resolve) => {
    timer = setTimeout(() => resolve(gatewayResponse(503, 'Service Unavailable')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

const starting = (): WireResponse => gatewayResponse(503, 'The product is starting');

const openPort = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const inUse = 'code' in error && error.code === 'EADDRINUSE';
      reject(
        new StartProblem(
          inUse ? `Port ${port} is in use. Stop what uses it, or choose another with --port.` : `Port ${port}: ${error.message}`,
        ),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
