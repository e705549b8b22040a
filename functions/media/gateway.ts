import * as z from 'zod';
import { callProvider, type ProviderAccess, providerRoot, type SendingNumber } from '../../shared/provider/call.ts';
import { classifyProviderError } from '../../shared/provider/errors.ts';
import { guardedFetch } from '../../shared/runtime/fetch.ts';

/** The result of uploading a file; `unsent`: another try may succeed. */
export type UploadResult =
  | { outcome: 'uploaded'; id: string }
  | { outcome: 'refused'; code: number; title: string; details: string | undefined }
  | { outcome: 'unsent' };

/** Uploads a file to the provider. An upload sends nothing to a recipient, so a lost response is not ambiguous: the upload is repeated. */
export const uploadMedia = async (
  number: SendingNumber,
  file: { bytes: Buffer; mime: string; filename: string },
): Promise<UploadResult> => {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', file.mime);
  form.set('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>], { type: file.mime }), file.filename);
  const reply = await callProvider(number, { method: 'POST', path: [number.phoneNumberId, 'media'], form, timeoutMs: 15_000 });
  if (reply.outcome !== 'answered') return { outcome: 'unsent' };
  const id: unknown = (reply.body as { id?: unknown } | null | undefined)?.id;
  if (reply.status < 300 && typeof id === 'string' && id !== '') return { outcome: 'uploaded', id };
  const error = classifyProviderError(reply.body);
  return error ? { outcome: 'refused', ...error } : { outcome: 'unsent' };
};

/** The result of fetching a file from the provider. */
export type FetchedMedia =
  | { outcome: 'fetched'; bytes: Buffer; mime: string | undefined; sha256: string | undefined }
  /** The file no longer exists or is too large: another try gives the same. */
  | { outcome: 'gone'; reason: string }
  /** Another try may succeed. */
  | { outcome: 'later'; reason: string };

/** The provider's description of a file. https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media#get-media-url */
export const mediaDescription = z.looseObject({ url: z.string(), mime_type: z.string().optional(), sha256: z.string().optional() });

/**
 * Whether a file's address may get the number's token: the host that the number's calls go to, and the provider's domains of files. An answer
 * that names another host is followed without it.
 */
export const isProviderAddress = (address: string, access: Pick<ProviderAccess, 'baseUrl'>): boolean => {
  if (!URL.canParse(address)) return false;
  const { hostname, origin } = new URL(address);
  return origin === new URL(providerRoot(access)).origin || providerDomains.some((domain) => `.${hostname}`.endsWith(`.${domain}`));
};

const providerDomains = ['facebook.com', 'fbsbx.com', 'fbcdn.net', 'whatsapp.net', 'whatsapp.com'];

/** The provider's own limit for a document. */
const maxBytes = 100 * 1024 * 1024;

/**
 * A file by its id: first its URL, valid for five minutes, then its bytes, with the number's token where it is the provider's. The URL comes
 * from outside, so the guarded client fetches it.
 */
export const fetchMedia = async (access: ProviderAccess, id: string): Promise<FetchedMedia> => {
  const answer = await callProvider(access, { method: 'GET', path: [id], timeoutMs: 10_000 });
  if (answer.outcome !== 'answered') return { outcome: 'later', reason: answer.outcome };
  const found = mediaDescription.safeParse(answer.body);
  if (answer.status !== 200 || !found.success) {
    const isFinal = answer.status >= 400 && answer.status < 500 && ![401, 403, 408, 429].includes(answer.status);
    return { outcome: isFinal ? 'gone' : 'later', reason: `HTTP ${answer.status}` };
  }
  const file = await guardedFetch(found.data.url, {
    headers: isProviderAddress(found.data.url, access) ? { authorization: `Bearer ${await access.accessToken()}` } : {},
    timeoutMs: 60_000,
    maxBytes,
    redirects: 3,
  });
  if (file.outcome === 'refused') return { outcome: 'gone', reason: file.reason };
  if (file.outcome === 'failed') return { outcome: file.reason === 'too_large' ? 'gone' : 'later', reason: file.reason };
  if (file.status !== 200) return { outcome: 'later', reason: `HTTP ${file.status}` };
  return { outcome: 'fetched', bytes: file.body, mime: found.data.mime_type, sha256: found.data.sha256 };
};
