import { optionalSetting } from '../runtime/env.ts';
import { bodyWithin, fetchService } from '../runtime/fetch.ts';
import { parseExact } from '../runtime/json.ts';
import { addToLogScope, log } from '../runtime/log.ts';
import { isRequestNeverSent } from '../runtime/request-never-sent.ts';
import { versionHeader } from './versions.ts';
import { type HttpCall, type HttpReply, maxReplyBytes, NeverConnected, providerHttp } from './http.ts';

/** How a number's calls reach the provider: its token, API version and base URL. */
export interface ProviderAccess {
  version: string;
  /** The base URL for this number; undefined: the deployment's. */
  baseUrl: string | undefined;
  accessToken: () => Promise<string>;
}

/** The number that messages go out from. */
export interface SendingNumber extends ProviderAccess {
  phoneNumberId: string;
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** The segments after the version, not yet encoded. */
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** Instead of a body: multipart/form-data. */
  form?: FormData;
  /** Instead of a body: a part of a file, for an upload session, which takes the token in a scheme of its own. */
  file?: { bytes: Buffer; offset: number };
  timeoutMs: number;
}

export type ProviderReply =
  | { outcome: 'answered'; status: number; headers: HttpReply['headers'] /** Undefined: not JSON, or cut off. */; body: unknown }
  /** Proven: the request never reached the provider. */
  | { outcome: 'unsent' }
  /** The request left, and no response came. */
  | { outcome: 'lost' };

/** One call of the provider's API. Never repeated here: the caller decides by its result. */
export const callProvider = async (access: ProviderAccess, request: ProviderRequest): Promise<ProviderReply> => {
  if (request.path.some(climbs)) return { outcome: 'answered', status: 404, headers: {}, body: undefined };
  const token = await access.accessToken().catch((error: unknown) => log.error('The access token of a number cannot be read', error));
  if (token === undefined) return { outcome: 'unsent' };
  const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
  const path = [access.version, ...request.path].map(encodeURIComponent).join('/');
  const address = `${providerRoot(access)}/${path}${query}`;
  const { form, timeoutMs } = request;
  const call: HttpCall = { method: request.method, ...contentOf(request, token), timeoutMs };
  try {
    const { status, headers, body } = await (form ? postForm(address, form, call) : providerHttp.send(address, call));
    // a redirect of a call that may have been accepted
    if (redirects.has(status)) return { outcome: 'lost' };
    const served = headers[versionHeader];
    if (status >= 400 && typeof served === 'string') addToLogScope({ provider_version: served.slice(0, 8) });
    return { outcome: 'answered', status, headers, body: body && parsed(body, status) };
  } catch (error) {
    return error instanceof NeverConnected || isRequestNeverSent(error) ? { outcome: 'unsent' } : { outcome: 'lost' };
  }
};

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** By `fetch`, which writes the form of a file without a second copy of it. */
async function postForm(address: string, form: FormData, { method, headers, timeoutMs }: HttpCall): Promise<HttpReply> {
  const answer = await fetchService(address, { method, headers, body: form, signal: AbortSignal.timeout(timeoutMs) });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await bodyWithin(answer, maxReplyBytes) };
}

function contentOf({ body, file }: ProviderRequest, token: string): Pick<HttpCall, 'headers' | 'body'> {
  const authorization = `Bearer ${token}`;
  if (file) return { headers: { authorization: `OAuth ${token}`, file_offset: String(file.offset) }, body: file.bytes };
  if (body !== undefined) return { headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return { headers: { authorization } };
}

/** Where a number's calls go: its own base URL, else the deployment's. */
export const providerRoot = (access: Pick<ProviderAccess, 'baseUrl'>): string =>
  (access.baseUrl ?? optionalSetting('PROVIDER_BASE_URL') ?? 'https://graph.facebook.com').replace(/\/+$/, '');

/** Segments that an URL would resolve, and that no encoding prevents: an id of a webhook could reach another resource by them. */
const climbs = (segment: string): boolean => segment === '' || segment === '.' || segment === '..';

function parsed(body: Buffer, status: number): unknown {
  try {
    return parseExact(body.toString('utf8'));
  } catch {
    log.warn('The provider answered without a readable body', { status });
    return undefined;
  }
}
