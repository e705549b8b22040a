import { optionalSetting } from '../runtime/env.ts';
import { parseExact } from '../runtime/json.ts';
import { log } from '../runtime/log.ts';
import { isRequestNeverSent } from '../runtime/request-never-sent.ts';

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
  | { outcome: 'answered'; status: number; headers: Headers /** Undefined: not JSON, or cut off. */; body: unknown }
  /** Proven: the request never reached the provider. */
  | { outcome: 'unsent' }
  /** The request left, and no response came. */
  | { outcome: 'lost' };

/** One call of the provider's API. Never repeated here: the caller decides by its result. */
export const callProvider = async (access: ProviderAccess, request: ProviderRequest): Promise<ProviderReply> => {
  if (request.path.some(climbs)) return { outcome: 'answered', status: 404, headers: new Headers(), body: undefined };
  const token = await access.accessToken().catch((error: unknown) => log.error('The access token of a number cannot be read', error));
  if (token === undefined) return { outcome: 'unsent' };
  const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
  const path = [access.version, ...request.path].map(encodeURIComponent).join('/');
  const init: RequestInit = {
    method: request.method,
    ...contentOf(request, token),
    signal: AbortSignal.timeout(request.timeoutMs),
    redirect: 'error',
  };
  try {
    const response = await fetch(`${providerRoot(access)}/${path}${query}`, init);
    return {
      outcome: 'answered',
      status: response.status,
      headers: response.headers,
      body: await readBody(response),
    };
  } catch (error) {
    return isRequestNeverSent(error) ? { outcome: 'unsent' } : { outcome: 'lost' };
  }
};

function contentOf({ body, form, file }: ProviderRequest, token: string): Pick<RequestInit, 'headers' | 'body'> {
  const authorization = `Bearer ${token}`;
  if (file) return { headers: { authorization: `OAuth ${token}`, file_offset: String(file.offset) }, body: new Uint8Array(file.bytes) };
  if (body !== undefined) return { headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return { headers: { authorization }, ...(form ? { body: form } : {}) };
}

const providerRoot = (access: ProviderAccess): string =>
  (access.baseUrl ?? optionalSetting('PROVIDER_BASE_URL') ?? 'https://graph.facebook.com').replace(/\/+$/, '');

/** Segments that an URL would resolve, and that no encoding prevents: an id of a webhook could reach another resource by them. */
const climbs = (segment: string): boolean => segment === '' || segment === '.' || segment === '..';

const maxBodyBytes = 10 * 1024 * 1024;

async function readBody(response: Response): Promise<unknown> {
  const { status } = response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // leaving the loop cancels the rest of the body
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) {
      log.warn('The provider answered with a body that is too long', { status });
      return undefined;
    }
    chunks.push(chunk);
  }
  try {
    return parseExact(Buffer.concat(chunks).toString('utf8'));
  } catch {
    log.warn('The provider answered without a readable body', { status });
    return undefined;
  }
}
