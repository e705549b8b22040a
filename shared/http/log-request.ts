import { logRequest } from '../access/logged-request.ts';
import { tokenPrefixes } from '../access/token.ts';
import type { Principal, RouteSpec } from '../contract/route.ts';
import { log } from '../runtime/log.ts';
import { now } from '../runtime/clock.ts';
import { type Exchange, headersOf, type HttpEvent, type HttpRequest, type HttpResult, type Middleware } from './exchange.ts';

/**
 * Writes the calls of integrations to the company's request log: those that were refused, or all, as its settings say. A call that cannot be
 * written is answered all the same.
 */
export const requestRecord = (): Middleware<HttpEvent> => ({ after: record, onError: record });

async function record({ event, response }: HttpRequest): Promise<void> {
  const { exchange } = event;
  const { principal, route, routeName, requestId } = exchange;
  if (!principal || !route || routeName === undefined || !response) return;
  const status = response.statusCode ?? 200;
  if (!isLogged(principal, status)) return;
  const agent = headersOf(event)['user-agent'];
  const fields = refusedFields(response);
  await logRequest({
    companyId: principal.companyId,
    requestId,
    at: exchange.startedAt,
    operation: routeName,
    method: event.requestContext.http.method,
    // an address may carry the secret itself
    path: route.path.includes('token}') ? route.path : event.rawPath.slice(0, longestText),
    status,
    ms: now() - exchange.startedAt,
    credentialId: principal.credentialId,
    credentialKind: principal.credentialKind,
    ip: event.requestContext.http.sourceIp,
    ...(exchange.problem === undefined ? {} : { code: exchange.problem }),
    ...(principal.userId > 0 ? { userId: principal.userId } : {}),
    ...(agent === undefined ? {} : { userAgent: agent.slice(0, longestText) }),
    ...(fields.length > 0 ? { fields } : {}),
    ...(exchange.replayed ? { replayed: true as const } : {}),
    ...(principal.logsBodies ? bodiesOf(exchange, route, response) : {}),
  }).catch((error: unknown) => log.error('A request was not written to the request log', error));
}

/**
 * A public key is in the hands of strangers, a receiver's address in those of a platform, and a page of the console shows its own calls. A call
 * beyond a limit costs its caller nothing, and so the company neither.
 */
const isLogged = ({ credentialKind, logsRequests = 'refused' }: Principal, status: number): boolean =>
  (credentialKind === 'token' || credentialKind === 'erp_token' || credentialKind === 'secret_key') &&
  status !== 429 &&
  (logsRequests === 'all' || (logsRequests === 'refused' && status >= 400));

const longestText = 300;
const mostFields = 20;
/** Characters of a body, at most. */
const longestBody = 10_000;

function refusedFields({ statusCode = 200, body, isBase64Encoded }: HttpResult): string[] {
  if (statusCode !== 422 || body === undefined || isBase64Encoded) return [];
  const { errors, details } = JSON.parse(body) as { errors?: object; details?: object };
  return Object.keys(errors ?? details ?? {})
    .slice(0, mostFields)
    .map((name) => name.slice(0, longestText));
}

/** What was sent and answered, of operations that neither take nor give secrets. */
function bodiesOf({ body: sent }: Exchange, { secret, caller }: RouteSpec, response: HttpResult): { sent?: string; got?: string } {
  if (secret || caller.kind === 'public_key') return {};
  const isJson = String(response.headers?.['content-type']).startsWith('application/json');
  return {
    ...(sent === undefined ? {} : { sent: shortened(sent) }),
    ...(response.body !== undefined && isJson && !response.isBase64Encoded ? { got: shortened(JSON.parse(response.body)) } : {}),
  };
}

const shortened = (value: unknown): string => JSON.stringify(withoutSecrets(value)).slice(0, longestBody);

/** What looks like a secret, by its name or by its form, is left out, wherever it is. */
export const withoutSecrets = (value: unknown): unknown => {
  if (typeof value === 'string') return secretForm.test(value) || signedAddress.test(value) ? hidden : value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, secretName.test(name) && each !== null ? hidden : withoutSecrets(each)]),
  );
};

const hidden = '(secret)';
const secretName = /(^|_)(token|secret|password|passcode|pin|otp|signature|api_key|private_key)$/i;
const secretForm = new RegExp(`\\b(${[...new Set(Object.values(tokenPrefixes)), 'whsec'].join('|')})_[\\w+/=-]{16}`);
const signedAddress = /[?&](X-Amz-Signature|token|signature|secret)=/i;
