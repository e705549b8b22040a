import {
  accessProblem,
  type Authentication,
  authenticate,
  countAddressRequest,
  countOwnCall,
  isOfToken,
  isValidCredential,
  type OwnCalls,
  type RateState,
} from '../access/credential.ts';
import { countLeasedAddressRequest } from '../access/address-lease.ts';
import { isInNetworks } from '../access/networks.ts';
import { chargeReadUnits, readCostProblem } from '../access/read-cost.ts';
import { authenticateReceiver, countUnsignedPost } from '../access/receiver.ts';
import { countRefusedCredential, type RefusalClass, refusalsLimit } from '../access/refused.ts';
import { crossOriginReason, freshProofMs, isOtherSession, pageSessionHeader, sessionCookieName } from '../access/session.ts';
import { hasTokenPrefix, type TokenKind } from '../access/token.ts';
import { type Problem, problem, problems } from '../contract/problems.ts';
import type { CallerRule, LimitClass, Principal, RouteSpec } from '../contract/route.ts';
import { setActor } from '../runtime/actor.ts';
import { addToLogScope, metric } from '../runtime/log.ts';
import { now } from '../runtime/clock.ts';
import { readUnits } from '../table/read-units.ts';
import {
  cookiesOf,
  type Exchange,
  headersOf,
  publicBase,
  type HttpRequest,
  type Middleware,
  RefusedRequest,
  type RoutedEvent,
} from './exchange.ts';

/** Who calls, and whether within the limit. Afterwards the company is charged with what the request has read. */
export const callerAndLimit = (ownCalls?: OwnCallsOf): Middleware => ({
  before: ({ event }) => {
    const { caller } = event.exchange.route;
    switch (caller.kind) {
      case 'public':
        return admitPublic(event, ownCalls);
      case 'webhook_token':
        return admitReceiver(event);
      default:
        return admitToken(event, caller);
    }
  },
  after: charge,
  onError: charge,
});

async function charge({ event: { exchange } }: HttpRequest): Promise<void> {
  if (exchange.principal) await chargeReadUnits(exchange.principal.companyId, readUnits());
}

/**
 * The calls that a caller without a credential has of its own, so that it does not wait for others of its address; undefined: none. What it
 * is known by is ours: sealed, or stored, so that no one makes it up.
 */
export type OwnCallsOf = (request: {
  routeName: string;
  cookies: Readonly<Record<string, string>>;
  url: string;
}) => Promise<OwnCalls | undefined>;

/** A caller without a credential, counted by what it is known by while it has calls of its own, else by address: 1 WRU, or 2. */
async function admitPublic(event: RoutedEvent, ownCalls: OwnCallsOf | undefined): Promise<void> {
  const { exchange } = event;
  if (exchange.route.sameOrigin) refuseCrossOrigin(event);
  const own = await ownCalls?.({ routeName: exchange.routeName, cookies: cookiesOf(event), url: publicBase(event) });
  exchange.rate = own && (await countOwnCall(own, exchange.route.limit));
  if (exchange.rate) return;
  const { rate, problem: refused } = await countAddressRequest(event.requestContext.http.sourceIp, exchange.route.limit);
  exchange.rate = rate;
  if (refused) throw new RefusedRequest(refused);
}

/** A platform that posts to a receiver. Its token is only read: the operation checks the signature, and counts the posts that have none. */
async function admitReceiver(event: RoutedEvent): Promise<void> {
  const { exchange } = event;
  const { limit } = exchange.route;
  const secret = Object.entries(exchange.pathParameters).find(([name]) => name.endsWith('token'))?.[1];
  if (secret === undefined) throw new RefusedRequest(problem('invalid_webhook_token'));
  const beyond = refusalsLimit('refused_receivers', event.requestContext.http.sourceIp);
  const checked = await authenticateReceiver(secret, limit);
  exchange.rate = checked.rate;
  if (!checked.ok) {
    // a provider has few addresses for all companies: a receiver that there is is let in where other posts are refused
    refuseBeyond(exchange, beyond);
    await countRefused(event, 'refused_receivers', checked.problem, hasTokenPrefix('webhook_token', secret));
    throw new RefusedRequest(isOfToken(checked.problem) ? unknownAddress(exchange.route) : checked.problem);
  }
  admit(event, checked.principal, secret);
  exchange.countUnsigned = async () => {
    const counted = await countUnsignedPost(secret, limit);
    exchange.rate = counted.rate;
    return counted.problem;
  };
}

type TokenCaller = Exclude<CallerRule, { kind: 'public' | 'webhook_token' }>;

/** A caller with a token, a key or a session: one conditional write authenticates and counts (decision G12), 1 WRU. */
async function admitToken(event: RoutedEvent, caller: TokenCaller): Promise<void> {
  const { exchange } = event;
  const { route } = exchange;
  const { sourceIp } = event.requestContext.http;
  const session = sessionOf(event, caller.kind);
  if (session !== undefined) refuseCrossOrigin(event);
  const secret = session ?? secretOf(event, caller.kind);
  if (caller.kind === 'public_key') refuseMisplacedKey(event);
  if (secret === undefined) throw new RefusedRequest(missingProblem(event, caller.kind));
  const kinds: readonly TokenKind[] = session === undefined ? kindsOf(caller.kind) : ['session'];
  const beyond = refusalsLimit('refused_credentials', sourceIp);
  // an office, a carrier or an edge of CloudFront is one address of many callers: who makes up secrets there keeps no valid one waiting
  if (beyond && !(await isValidCredential(kinds, secret))) refuseBeyond(exchange, beyond);
  const [checked, limited] = await Promise.all([
    authenticate(kinds, secret, limitOf(route, session !== undefined)),
    route.addressLimit && countLeasedAddressRequest(sourceIp, route.addressLimit),
  ]);
  exchange.rate = checked.rate;
  if (!checked.ok) {
    const isWellFormed = kinds.some((kind) => hasTokenPrefix(kind, secret));
    await countRefused(event, 'refused_credentials', checked.problem, isWellFormed);
    throw new RefusedRequest(
      session === undefined ? tokenProblem(event, caller.kind, secret, checked.problem) : sessionProblem(checked.problem),
    );
  }
  const { principal } = checked;
  if (session !== undefined) refuseOtherSession(event, principal);
  const refused = limited?.problem ?? readCostProblem(principal.companyId);
  if (refused) throw new RefusedRequest(refused);
  admit(event, principal, secret);
  // of the callers of a verification key's route, only a user has scopes
  if (!('scope' in caller) || !['token', 'session'].includes(principal.credentialKind)) return;
  const unauthorized = accessProblem(principal, caller.scope, caller.role);
  if (unauthorized) throw new RefusedRequest(unauthorized);
  refuseWithoutProof(route, principal);
}

/** What makes credentials, users and numbers needs in a session a proof that its user is there: a stolen cookie makes nothing that lasts. */
function refuseWithoutProof({ freshProof }: RouteSpec, { credentialKind, provenAt = 0 }: Principal): void {
  if (freshProof && credentialKind === 'session' && provenAt <= now() - freshProofMs)
    throw new RefusedRequest(problem('fresh_proof_required'));
}

/**
 * A secret key where a public one belongs is a leak: it is in an app or a page. It is refused and counted, whether it is valid or not, so that
 * its company finds it before others do (V4).
 */
function refuseMisplacedKey(event: RoutedEvent): void {
  const headers = headersOf(event);
  const shown = [headers['x-public-key'], event.queryStringParameters?.['public_key']].find((key) => key !== undefined && isSecretKey(key));
  const hidden = headers['x-secret-key'];
  const message =
    shown !== undefined
      ? 'This is a secret key (sk_...) in the place of a public one. It is in every copy of the app or the page: rotate it, and use the public key (pk_...).'
      : hidden !== undefined && (hasTokenPrefix('public_key', hidden) || hasTokenPrefix('test_public_key', hidden))
        ? 'This is a public key (pk_...) in the place of a secret one: send it as X-Public-Key.'
        : undefined;
  if (message === undefined) return;
  metric('MisplacedKeys', 'Count', 1);
  throw new RefusedRequest(problem('public_key_invalid', { message }));
}

const isSecretKey = (key: string): boolean => hasTokenPrefix('secret_key', key) || hasTokenPrefix('test_secret_key', key);

/** A valid credential becomes the request's caller, if it may come from this address and this part of the request. */
function admit(event: RoutedEvent, principal: Principal, secret: string): void {
  const { exchange } = event;
  const { companyId, userId, credentialId, credentialKind, networks } = principal;
  if (networks && !isInNetworks(event.requestContext.http.sourceIp, networks))
    throw new RefusedRequest(
      problem('ip_not_allowed', {
        message: `${nameOf(principal, secret)} may not be used from ${event.requestContext.http.sourceIp}.`,
        details: { address: event.requestContext.http.sourceIp, credential_id: credentialId },
      }),
    );
  if (isInQuery(event, secret) && refusesItThere(principal, exchange.route))
    throw new RefusedRequest(problem('token_missing', { message: queryTokenRefused }));
  exchange.hasTokenInQuery = isInQuery(event, secret) && credentialKind === 'token';
  exchange.principal = principal;
  setActor({ via: 'api', credentialId, credentialKind, ...(userId > 0 ? { userId } : {}), requestId: exchange.requestId });
  addToLogScope({ company_id: companyId, credential_id: credentialId });
}

/** A credential as its owner finds it in a list: by its id, and the end of its secret. */
const nameOf = ({ credentialKind, credentialId }: Principal, secret: string): string =>
  credentialKind === 'session' ? 'This session' : `The token ${credentialId} (...${secret.slice(-4)})`;

/** Refuses what comes from an address that is beyond a limit. */
function refuseBeyond(exchange: Exchange, limited: { problem: Problem; rate: RateState } | undefined): void {
  if (!limited) return;
  exchange.rate = limited.rate;
  throw new RefusedRequest(limited.problem);
}

type RefusedCredential = Extract<Authentication, { ok: false }>['problem'];

/** Counts a credential that is not valid by the address it came from, and refuses it as the limit does beyond that. */
async function countRefused(event: RoutedEvent, limit: RefusalClass, refused: RefusedCredential, isWellFormed: boolean): Promise<void> {
  if (problems[refused.problem].status !== 401) return;
  refuseBeyond(event.exchange, await countRefusedCredential(limit, event.requestContext.http.sourceIp, isWellFormed));
}

const sessionProblem = (refused: RefusedCredential): Problem =>
  isOfToken(refused) ? { ...refused, message: 'There is no such session, or it has ended: sign in again.' } : refused;

/** What a token or a key that is not valid is answered with: an address with an unknown token in it looks like no address. */
function tokenProblem(event: RoutedEvent, kind: TokenCaller['kind'], secret: string, refused: RefusedCredential): Problem {
  if (!isOfToken(refused)) return refused;
  // an inactive key looks like an unknown one (V4, V25); a user's token keeps the codes it has everywhere
  if (kind === 'public_key') return hasTokenPrefix('token', secret) ? refused : problem('public_key_invalid');
  return isInPath(event, kind) ? unknownAddress(event.exchange.route) : withKindOf(refused, secret, kind);
}

const unknownAddress = ({ errors }: RouteSpec): Problem =>
  problem(errors.includes('invalid_webhook_token') ? 'invalid_webhook_token' : 'not_found');

/** A credential of another kind is named as that: its prefix says it, and it is in no table of the wanted kind. */
function withKindOf(refused: RefusedCredential, secret: string, kind: 'token' | 'erp_token'): Problem {
  const wanted = secretKinds[kind === 'token' ? 'swb' : 'erp'];
  const sent = secretKinds[(/^([a-z]{2,3})_/.exec(secret)?.[1] ?? '') as keyof typeof secretKinds];
  if (refused.problem !== 'token_invalid' || !sent || sent === wanted) return refused;
  return { ...refused, message: `This is ${sent}; the operation takes ${wanted}.` };
}

const secretKinds = {
  swb: 'a personal access token (swb_...)',
  erp: 'an ERP token (erp_...)',
  pk: 'a public key (pk_...)',
  sk: 'a secret key (sk_...)',
} as const;

/**
 * The secret of a session, on the routes that take a user's token. Any other credential of the request wins, but a token in the query: a
 * link could have put it there.
 */
function sessionOf(event: RoutedEvent, kind: TokenCaller['kind']): string | undefined {
  const { exchange, cookies = [] } = event;
  if (kind === 'erp_token') return undefined;
  const headers = headersOf(event);
  if (['authorization', 'x-secret-key', 'x-public-key'].some((name) => headers[name] !== undefined)) return undefined;
  if (kind === 'public_key' && event.queryStringParameters?.['public_key'] !== undefined) return undefined;
  const prefix = `${sessionCookieName(exchange.baseUrl)}=`;
  return cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
}

function refuseCrossOrigin(event: RoutedEvent): void {
  const { route, baseUrl } = event.exchange;
  const message = crossOriginReason(headersOf(event), baseUrl, route.effect === 'write');
  if (message !== undefined) throw new RefusedRequest(problem('cross_origin_request', { message }));
}

/** What a page of one company sends must not reach another that its browser signed in to meanwhile. */
function refuseOtherSession(event: RoutedEvent, principal: Principal): void {
  if (isOtherSession(headersOf(event)[pageSessionHeader], principal)) throw new RefusedRequest(problem('other_session'));
}

/** A page shows a board by many calls: the limit of CRM is for integrations (docs/decisions/sessions.md). */
const limitOf = ({ limit, effect }: RouteSpec, isSession: boolean): LimitClass => (isSession && limit === 'crm' ? effect : limit);

function secretOf(event: RoutedEvent, kind: TokenCaller['kind']): string | undefined {
  const headers = headersOf(event);
  const bearer = /^Bearer +(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1];
  const query = event.queryStringParameters;
  if (kind === 'public_key') return headers['x-secret-key'] ?? headers['x-public-key'] ?? query?.['public_key'] ?? bearer;
  return isInPath(event, kind) ? event.exchange.pathParameters['erp_token'] : (bearer ?? query?.['token']);
}

function missingProblem(event: RoutedEvent, kind: TokenCaller['kind']): Problem {
  if (kind === 'public_key') return problem('public_key_missing');
  if (isInPath(event, kind)) return problem('invalid_webhook_token');
  const isOtherScheme = headersOf(event)['authorization'] !== undefined;
  return problem('token_missing', isOtherScheme ? { message: 'Authorization must be "Bearer <API_TOKEN>".' } : {});
}

/** Whether the address itself carries the secret: the ERP's, where the route has a place for it. */
const isInPath = (event: RoutedEvent, kind: TokenCaller['kind']): boolean =>
  kind === 'erp_token' && event.exchange.route.path.includes('{erp_token}');

const kindsOf = (kind: TokenCaller['kind']): TokenKind[] =>
  kind === 'public_key' ? ['public_key', 'test_public_key', 'secret_key', 'test_secret_key', 'token'] : [kind];

/** Rule G18: a company may refuse tokens in the query, which logs and browsers keep. The deprecated GET sends have no other place for them. */
const refusesItThere = ({ refusesQueryToken, credentialKind }: Principal, { deprecated }: RouteSpec): boolean =>
  refusesQueryToken === true && credentialKind !== 'public_key' && deprecated === undefined;
const queryTokenRefused = 'This company takes no token in the query: send it as "Authorization: Bearer <API_TOKEN>".';
const isInQuery = ({ queryStringParameters: query }: RoutedEvent, secret: string): boolean => Object.values(query ?? {}).includes(secret);
