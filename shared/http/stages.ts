import { isProblem, problem, problems } from '../contract/problems.ts';
import { drawWithoutKey } from '../contract/route.ts';
import { sourceNetworkOf } from '../access/network.ts';
import { now } from '../runtime/clock.ts';
import { ulid } from '../runtime/ids.ts';
import { addToLogScope, log, metric } from '../runtime/log.ts';
import { Temporary } from '../runtime/temporary.ts';
import { isTableBusy } from '../table/busy.ts';
import { problemResult } from './answer.ts';
import { compressAnswer } from './compression.ts';
import { cameThroughEntrance } from './entrance.ts';
import { baseUrlOf, EarlyAnswer, type HttpEvent, type HttpRequest, type Middleware, RefusedRequest } from './exchange.ts';
import { countRefusal } from './refusals.ts';

/** First and last: gives the request its id, logs one line, sets the headers that every answer has. */
export const requestLog = (): Middleware<HttpEvent> => ({
  before: ({ event }) => {
    const startedAt = now();
    const requestId = `req_${ulid(startedAt)}`;
    event.exchange = {
      requestId,
      baseUrl: baseUrlOf(event),
      startedAt,
      route: undefined,
      routeName: undefined,
      pathParameters: {},
      principal: undefined,
      rate: undefined,
      rawBody: Buffer.alloc(0),
      body: undefined,
      query: {},
      operationId: requestId,
      once: drawWithoutKey,
      replayed: false,
    };
    const { requestId: gateway_request_id, http } = event.requestContext;
    addToLogScope({ request_id: requestId, gateway_request_id, method: http.method, source: sourceNetworkOf(http.sourceIp) });
  },
  after: finish,
  onError: finish,
});

/** What did not come through the entrance before the API, where there is one, is an unknown address. The caller is the one that was seen there. */
export const entrance = (): Middleware<HttpEvent> => ({
  before: ({ event }) => {
    if (!cameThroughEntrance(event)) throw new RefusedRequest(problem('route_not_found'));
    addToLogScope({ source: sourceNetworkOf(event.requestContext.http.sourceIp) });
  },
});

/** Turns what was thrown into the error body: a refused request as its problem, anything else as a 5xx whose cause is only logged. */
export const problemsToBodies = (): Middleware<HttpEvent> => ({
  onError: (request) => {
    const { error, event } = request;
    if (error instanceof EarlyAnswer) request.response = error.result;
    else request.response = problemResult(error instanceof RefusedRequest ? error.refusal : unexpected(error), event.exchange);
  },
});

function finish({ event, response }: HttpRequest): void {
  const { exchange } = event;
  if (!response) return;
  const { route } = exchange;
  const ms = now() - exchange.startedAt;
  response.headers = {
    'x-request-id': exchange.requestId,
    'x-api-version': '1.0',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
    ...(exchange.rate
      ? {
          // texts: what takes the place of API Gateway one day need not take numbers
          'x-ratelimit-limit': String(exchange.rate.limit),
          'x-ratelimit-remaining': String(exchange.rate.remaining),
          'x-ratelimit-reset': String(exchange.rate.resetAt),
        }
      : {}),
    ...(route?.deprecated ? deprecation(route.deprecated.successor) : exchange.hasTokenInQuery ? queryTokenDeprecation : {}),
    ...(exchange.replayed ? { 'idempotent-replayed': 'true' } : {}),
    ...response.headers,
  };
  compressAnswer(event, response);
  if (event.requestContext.http.method === 'HEAD') {
    // the headers are those of GET
    delete response.body;
    delete response.isBase64Encoded;
  }
  const status = response.statusCode ?? 200;
  log.info('request', {
    status,
    ms,
    ...(exchange.routeName ? { route: exchange.routeName } : {}),
    ...(exchange.problem ? { code: exchange.problem } : {}),
  });
  if (status >= 500) metric('ServerErrors', 'Count', 1);
  if (exchange.problem) countRefusal(exchange.problem);
}

/** RFC 9745 and RFC 8594; the dates of decision G20. */
export const deprecation = (successor: string): Record<string, string> => ({
  deprecation: '@1764547200',
  sunset: 'Wed, 01 Dec 2027 00:00:00 GMT',
  link: `<${successor}>; rel="successor-version"`,
});

/** A token in the address keeps working (decision G18), and is no way to start with. */
const queryTokenDeprecation = { deprecation: '@1764547200', link: '</docs#section/Authentication>; rel="deprecation"' };

function unexpected(error: Error | null | undefined) {
  const unread = (error?.cause ?? {}) as { package?: string; data?: unknown };
  if (unread.package === '@middy/http-json-body-parser')
    // names by which prototypes are reached; any other body that cannot be read is its own data
    return unread.data === '__proto__' || unread.data === 'constructor'
      ? problem('invalid_json', { message: `The name ${unread.data} is not allowed.` })
      : problem('invalid_json');
  if (isProblem(error)) return error;
  log.error('An operation failed', error);
  return error instanceof Temporary || isTableBusy(error)
    ? problem('temporarily_unavailable', { retryAfterSeconds: 1 })
    : problem('internal_error');
}

/** Problems that are outcomes, and so are kept under an Idempotency-Key (G19). */
export const isFinalOutcome = (code: keyof typeof problems): boolean => 'isFinal' in problems[code];
