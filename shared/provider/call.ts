import { optionalSetting } from '../runtime/env.ts';
import { parseExact } from '../runtime/json.ts';
import { log } from '../runtime/log.ts';
import { isRequestNeverSent } from '../runtime/request-never-sent.ts';

/** Whom the provider takes us for: a number's token, version and root. */
export interface ProviderAccess {
  version: string;
  /** The provider's root for this number; undefined: the deployment's. */
  baseUrl: string | undefined;
  accessToken: () => Promise<string>;
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** After the version, its parts not yet encoded. */
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** In place of a body: multipart/form-data. */
  form?: FormData;
  timeoutMs: number;
}

export type ProviderReply =
  | { outcome: 'answered'; status: number; headers: Headers /** Undefined: not JSON, or cut off. */; body: unknown }
  /** Proven: the request never reached the provider. */
  | { outcome: 'unsent' }
  /** The request left and no answer came. */
  | { outcome: 'lost' };

/** One call of the provider's interface, never repeated here: who calls must know what came of it. */
export const callProvider = async (access: ProviderAccess, request: ProviderRequest): Promise<ProviderReply> => {
  const token = await access.accessToken().catch((error: unknown) => log.error('The access token of a number cannot be read', error));
  if (token === undefined) return { outcome: 'unsent' };
  const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
  const path = [access.version, ...request.path].map(encodeURIComponent).join('/');
  const init: RequestInit = {
    method: request.method,
    headers: { authorization: `Bearer ${token}`, ...(request.body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(request.body === undefined ? (request.form ? { body: request.form } : {}) : { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(request.timeoutMs),
    redirect: 'error',
  };
  try {
    const response = await fetch(`${providerRoot(access)}/${path}${query}`, init);
    return {
      outcome: 'answered',
      status: response.status,
      headers: response.headers,
      body: readJson(await response.text(), response.status),
    };
  } catch (error) {
    return isRequestNeverSent(error) ? { outcome: 'unsent' } : { outcome: 'lost' };
  }
};

const providerRoot = (access: ProviderAccess): string =>
  (access.baseUrl ?? optionalSetting('PROVIDER_BASE_URL') ?? 'https://graph.facebook.com').replace(/\/+$/, '');

function readJson(text: string, status: number): unknown {
  try {
    return parseExact(text);
  } catch {
    log.warn('The provider answered without a readable body', { status });
    return undefined;
  }
}
