import * as z from 'zod';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';

/** The result of fetching a file from the provider. */
export type FetchedMedia =
  | { outcome: 'fetched'; bytes: Buffer; mime: string | undefined; sha256: string | undefined }
  /** The file no longer exists or is too large: another try gives the same. */
  | { outcome: 'gone'; reason: string }
  /** Another try may succeed. */
  | { outcome: 'later'; reason: string };

/** The provider's description of a file. https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media#get-media-url */
export const mediaDescription = z.looseObject({ url: z.string(), mime_type: z.string().optional(), sha256: z.string().optional() });

/** The provider's own limit for a document. */
const maxBytes = 100 * 1024 * 1024;

/**
 * A file by its id: first its URL, valid for five minutes, then its bytes, both with the number's token. The URL comes from outside, so the
 * guarded client fetches it.
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
    headers: { authorization: `Bearer ${await access.accessToken()}` },
    timeoutMs: 60_000,
    maxBytes,
    redirects: 3,
  });
  if (file.outcome === 'refused') return { outcome: 'gone', reason: file.reason };
  if (file.outcome === 'failed') return { outcome: file.reason === 'too_large' ? 'gone' : 'later', reason: file.reason };
  if (file.status !== 200) return { outcome: 'later', reason: `HTTP ${file.status}` };
  return { outcome: 'fetched', bytes: file.body, mime: found.data.mime_type, sha256: found.data.sha256 };
};

/** Marks a message, and those before it, as read for its sender. `later`: another try may succeed. */
export const postReadReceipt = async (
  access: ProviderAccess,
  phoneNumberId: string,
  wamid: string,
): Promise<'accepted' | 'refused' | 'later'> => {
  const answer = await callProvider(access, {
    method: 'POST',
    path: [phoneNumberId, 'messages'],
    body: { messaging_product: 'whatsapp', status: 'read', message_id: wamid },
    timeoutMs: 10_000,
  });
  if (answer.outcome !== 'answered') return 'later';
  if (answer.status >= 200 && answer.status < 300) return 'accepted';
  return answer.status >= 500 || answer.status === 429 ? 'later' : 'refused';
};
