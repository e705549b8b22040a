import { isProblem, type Problem, problems } from '../contract/problems.ts';
import { accessProblem, countAddressRequest, authenticate, type RateState } from '../access/credential.ts';
import { countLeasedAddressRequest } from '../access/address-lease.ts';
import { chargeReadUnits, readCostProblem } from '../access/read-cost.ts';
import { authenticateReceiver, countUnsignedPost, isKnownReceiver } from '../access/receiver.ts';
import { countRefusedCredential, refusalsLimit } from '../access/refused.ts';
import { crossOriginReason, sessionCookieName } from '../access/session.ts';
import { hasTokenPrefix, type TokenKind } from '../access/token.ts';
import { problem } from '../contract/problems.ts';
import { drawWithoutKey, type LimitClass, type Principal, type RouteSpec } from '../contract/route.ts';
import { type Actor, setActor } from '../runtime/actor.ts';
import { now } from '../runtime/clock.ts';
import { ulid } from '../runtime/ids.ts';
import { addToLogScope, log, metric } from '../runtime/log.ts';
import { Conflict } from '../table/conflict.ts';
import { readUnits } from '../table/read-units.ts';
import { problemResult } from './answer.ts';
import { cameThroughEntrance } from './entrance.ts';
import { sourceNetworkOf } from '../access/network.ts';
import { isInNetworks } from '../access/networks.ts';
import { countRefusal } from './refusals.ts';
import { baseUrlOf, EarlyAnswer, type Exchange, headersOf, type HttpEvent, type Middleware, Refusal } from './exchange.ts';

/** First and last: gives the request its id, logs one line, sets the headers that every answer has. */
export const requestLog = (): Middleware => ({
  before: ({ event }) => {
    const startedAt = now();
    event.exchange = {
      requestId: `req_${ulid(startedAt)}`,
      baseUrl: baseUrlOf(event),
      startedAt,
      pathParameters: {},
      query: {},
      replayed: false,
    } as unknown as Exchange;
    event.exchange.operationId = event.exchange.requestId;
    event.exchange.once = drawWithoutKey;
    const source = sourceNetworkOf(event.requestContext.http.sourceIp);
    addToLogScope({ request_id: event.exchange.requestId, method: event.requestContext.http.method, source });
  },
  after: finish,
  onError: finish,
});

/** What did not come through the entrance before the API, where there is one, is an unknown address. */
export const entrance = (): Middleware => ({
  before: ({ event }) => {
    if (!cameThroughEntrance(event)) throw new Refusal(problem('route_not_found'));
  },
});

/** Turns what was thrown into the error body: a Refusal as its problem, anything else as a 5xx whose cause is only logged. */
export const problemsToBodies = (): Middleware => ({
  onError: (request) => {
    const { error, event } = request;
    if (error instanceof EarlyAnswer) request.response = error.result;
    else request.response = problemResult(error instanceof Refusal ? error.refusal : unexpected(error), event.exchange);
  },
});

/**
 * Who calls, and whether within the limit: one conditional write for a token (decision G12), one for an address. A receiver's token is
 * only read: its operation checks the signature, and counts the posts that have none.
 */
export const callerAndLimit = (): Middleware => ({
  after: charge,
  onError: charge,
  before: async ({ event }) => {
    const { exchange } = event;
    const { caller } = exchange.route;
    if (caller.kind === 'public') {
      const { limit } = exchange.route;
      if (exchange.route.sameOrigin) refuseCrossOrigin(event);
      const spent = await countAddressRequest(event.requestContext.http.sourceIp, limit);
      exchange.rate = spent.rate;
      if (spent.problem) throw new Refusal(spent.problem);
      return;
    }
    const session = sessionOf(event);
    if (session !== undefined) refuseCrossOrigin(event);
    const secret = session ?? secretOf(event, caller.kind);
    const kinds: readonly TokenKind[] = session === undefined ? kindsOf(caller.kind) : ['session'];
    const limit = limitOf(exchange.route, session !== undefined);
    if (secret === undefined)
      throw new Refusal(isInPath(event, caller.kind) ? problem('invalid_webhook_token') : missingProblem(event, caller.kind));
    const { sourceIp } = event.requestContext.http;
    const refusalClass = caller.kind === 'webhook_token' ? 'refused_receivers' : 'refused_credentials';
    const limited = isKnownToBeValid(caller.kind, secret) ? undefined : refusalsLimit(refusalClass, sourceIp);
    if (limited) throw refusedBy(limited, exchange);
    const [checked, guarded] = await Promise.all([
      caller.kind === 'webhook_token' ? authenticateReceiver(secret, limit) : authenticate(kinds, secret, limit),
      exchange.route.addressLimit && countLeasedAddressRequest(sourceIp, exchange.route.addressLimit),
    ]);
    exchange.rate = checked.rate;
    if (checked.ok && guarded) throw new Refusal(guarded.problem);
    if (!checked.ok) {
      const beyond =
        problems[checked.problem.problem].status === 401
          ? await countRefusedCredential(
              refusalClass,
              sourceIp,
              kinds.some((kind) => hasTokenPrefix(kind, secret)),
            )
          : undefined;
      if (beyond) throw refusedBy(beyond, exchange);
      if (session !== undefined && checked.problem.problem.startsWith('token_'))
        throw new Refusal({ ...checked.problem, message: 'There is no such session, or it has ended: sign in again.' });
      // an inactive key looks like an unknown one (V4, V25); a user's token keeps the codes it has everywhere
      if (caller.kind === 'public_key' && checked.problem.problem.startsWith('token_') && !hasTokenPrefix('token', secret))
        throw new Refusal(problem('public_key_invalid'));
      const unknownAddress = isInPath(event, caller.kind) && checked.problem.problem.startsWith('token_');
      throw new Refusal(
        unknownAddress
          ? problem(exchange.route.errors.includes('invalid_webhook_token') ? 'invalid_webhook_token' : 'not_found')
          : withKindOf(checked.problem, secret, caller.kind),
      );
    }
    const readTooMuch = caller.kind === 'webhook_token' ? undefined : readCostProblem(checked.principal.companyId);
    if (readTooMuch) throw new Refusal(readTooMuch);
    const { networks } = checked.principal;
    if (networks && !isInNetworks(sourceIp, networks)) throw new Refusal(problem('ip_not_allowed'));
    if (isInQuery(event, secret) && refusesItThere(checked.principal, exchange.route))
      throw new Refusal(problem('token_missing', { message: queryTokenRefused }));
    exchange.principal = checked.principal;
    setActor({ via: 'api', ...principalActor(checked.principal), requestId: exchange.requestId });
    if (caller.kind === 'webhook_token')
      exchange.countUnsigned = async () => {
        const counted = await countUnsignedPost(secret, limit);
        exchange.rate = counted.rate;
        return counted.problem;
      };
    addToLogScope({ company_id: checked.principal.companyId, credential_id: checked.principal.credentialId });
    // of the callers of a verification key's route, only a user has scopes
    if ('scope' in caller && ['token', 'session'].includes(checked.principal.credentialKind)) {
      const refused = accessProblem(checked.principal, caller.scope, caller.role);
      if (refused) throw new Refusal(refused);
    }
  },
});

async function charge({ event: { exchange } }: Parameters<NonNullable<Middleware['after']>>[0]): Promise<void> {
  if (exchange.principal) await chargeReadUnits(exchange.principal.companyId, readUnits());
}

/** A receiver that this process has read is let through at an address whose other posts are refused: a provider has few for all companies. */
const isKnownToBeValid = (kind: string, secret: string): boolean => kind === 'webhook_token' && isKnownReceiver(secret);

function refusedBy({ problem: reason, rate }: { problem: Problem; rate: RateState }, exchange: Exchange): Refusal {
  exchange.rate = rate;
  return new Refusal(reason);
}

const principalActor = ({
  userId,
  credentialId,
  credentialKind,
}: Principal): Pick<Actor, 'userId' | 'credentialId' | 'credentialKind'> => ({
  credentialId,
  credentialKind,
  ...(userId > 0 ? { userId } : {}),
});

/**
 * The secret of a session, on the routes that take a user's token. Any other credential of the request wins, but a token in the query: a
 * link could have put it there.
 */
function sessionOf(event: HttpEvent): string | undefined {
  const { exchange, cookies = [] } = event;
  if (exchange.route.caller.kind !== 'token' && exchange.route.caller.kind !== 'public_key') return undefined;
  const headers = headersOf(event);
  if (['authorization', 'x-secret-key', 'x-public-key'].some((name) => headers[name] !== undefined)) return undefined;
  if (exchange.route.caller.kind === 'public_key' && event.queryStringParameters?.['public_key'] !== undefined) return undefined;
  const prefix = `${sessionCookieName(exchange.baseUrl)}=`;
  return cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
}

function refuseCrossOrigin(event: HttpEvent): void {
  const { route, baseUrl } = event.exchange;
  const message = crossOriginReason(headersOf(event), baseUrl, route.effect === 'write');
  if (message !== undefined) throw new Refusal(problem('cross_origin_request', { message }));
}

/** A page shows a board by many calls: the limit of CRM is for integrations (docs/decisions/sessions.md). */
const limitOf = ({ limit, effect }: RouteSpec, isSession: boolean): LimitClass => (isSession && limit === 'crm' ? effect : limit);

type CallerKind = keyof typeof missingCodes;

function missingProblem(event: HttpEvent, kind: CallerKind): Problem {
  const code = missingCodes[kind];
  const isOtherScheme = code === 'token_missing' && headersOf(event)['authorization'] !== undefined;
  return problem(code, isOtherScheme ? { message: 'Authorization must be "Bearer <API_TOKEN>".' } : {});
}

/** A credential of another kind is named as that: its prefix says it, and it is in no table of the wanted kind. */
function withKindOf(refused: Problem, secret: string, kind: CallerKind): Problem {
  const wanted = kind === 'token' || kind === 'erp_token' ? secretKinds[kind === 'token' ? 'swb' : 'erp'] : undefined;
  const sent = secretKinds[(/^([a-z]{2,3})_/.exec(secret)?.[1] ?? '') as keyof typeof secretKinds];
  if (refused.problem !== 'token_invalid' || !wanted || !sent || sent === wanted) return refused;
  return { ...refused, message: `This is ${sent}; the operation takes ${wanted}.` };
}

const secretKinds = {
  swb: 'a personal access token (swb_...)',
  erp: 'an ERP token (erp_...)',
  pk: 'a public key (pk_...)',
  sk: 'a secret key (sk_...)',
} as const;

const missingCodes = {
  token: 'token_missing',
  erp_token: 'token_missing',
  webhook_token: 'invalid_webhook_token',
  public_key: 'public_key_missing',
} as const;

function finish(request: Parameters<NonNullable<Middleware['after']>>[0]): void {
  const { event, response } = request;
  const { exchange } = event;
  if (!response) return;
  const route = exchange.route;
  const ms = now() - exchange.startedAt;
  response.headers = {
    'x-request-id': exchange.requestId,
    'x-api-version': '1.0',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
    ...(exchange.rate
      ? {
          'x-ratelimit-limit': exchange.rate.limit,
          'x-ratelimit-remaining': exchange.rate.remaining,
          'x-ratelimit-reset': exchange.rate.resetAt,
        }
      : {}),
    ...(route?.deprecated ? deprecation(route.deprecated.successor) : {}),
    ...(exchange.replayed ? { 'idempotent-replayed': 'true' } : {}),
    ...response.headers,
  };
  if (event.requestContext.http.method === 'HEAD') delete response.body;
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

function unexpected(error: Error | null | undefined) {
  const unread = (error?.cause ?? {}) as { package?: string; data?: unknown };
  if (unread.package === '@middy/http-json-body-parser')
    // names by which prototypes are reached; any other body that cannot be read is its own data
    return unread.data === '__proto__' || unread.data === 'constructor'
      ? problem('invalid_json', { message: `The name ${unread.data} is not allowed.` })
      : problem('invalid_json');
  const name = error?.name ?? '';
  if (isProblem(error)) return error;
  log.error('An operation failed', error);
  return error instanceof Conflict ||
    /Throttl|ProvisionedThroughput|RequestLimitExceeded|TransactionConflict|TransactionCanceled|TimeoutError|NotSent/.test(name)
    ? problem('temporarily_unavailable', { retryAfterSeconds: 1 })
    : problem('internal_error');
}

function secretOf(event: HttpEvent, kind: 'token' | 'erp_token' | 'webhook_token' | 'public_key'): string | undefined {
  const headers = headersOf(event);
  const bearer = /^Bearer +(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1];
  switch (kind) {
    case 'webhook_token':
      return Object.entries(event.exchange.pathParameters).find(([name]) => name.endsWith('token'))?.[1];
    case 'public_key':
      return headers['x-secret-key'] ?? headers['x-public-key'] ?? event.queryStringParameters?.['public_key'] ?? bearer;
    case 'erp_token':
      return isInPath(event, kind) ? event.exchange.pathParameters['erp_token'] : (bearer ?? event.queryStringParameters?.['token']);
    case 'token':
      return bearer ?? event.queryStringParameters?.['token'];
  }
}

/** Rule G18: a company may refuse tokens in the query, which logs and browsers keep. The deprecated GET sends have no other place for them. */
const refusesItThere = ({ refusesQueryToken, credentialKind }: Principal, { deprecated }: RouteSpec): boolean =>
  refusesQueryToken === true && credentialKind !== 'public_key' && deprecated === undefined;
const queryTokenRefused = 'This company takes no token in the query: send it as "Authorization: Bearer <API_TOKEN>".';
const isInQuery = ({ queryStringParameters: query }: HttpEvent, secret: string): boolean => Object.values(query ?? {}).includes(secret);

/** Whether the address itself carries the secret: webhook tokens always, the ERP's where the route has a place for it. */
function isInPath(event: HttpEvent, kind: string): boolean {
  return kind === 'webhook_token' || (kind === 'erp_token' && event.exchange.route.path.includes('{erp_token}'));
}

function kindsOf(kind: 'token' | 'erp_token' | 'webhook_token' | 'public_key'): TokenKind[] {
  return kind === 'public_key' ? ['public_key', 'test_public_key', 'secret_key', 'test_secret_key', 'token'] : [kind];
}

/** Problems that are outcomes, and so are kept under an Idempotency-Key (G19). */
export const isFinalOutcome = (code: keyof typeof problems): boolean => 'isFinal' in problems[code];
