import * as z from 'zod';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';

/** What fetching a file of the provider came to. */
export type FetchedMedia =
  | { outcome: 'fetched'; bytes: Buffer; mime: string | undefined; sha256: string | undefined }
  /** It is not there any more, or too large for us: asking again gives the same. */
  | { outcome: 'gone'; reason: string }
  /** It may be there the next time. */
  | { outcome: 'later'; reason: string };

/** The provider's answer to a file's id (provider reference §5). */
export const mediaDescription = z.looseObject({ url: z.string(), mime_type: z.string().optional(), sha256: z.string().optional() });

/** The provider's own limit for a document (provider reference §1.3). */
const maxBytes = 100 * 1024 * 1024;

/**
 * A file by its id: first its address, good for five minutes, then its bytes, each with the number's token (provider reference §5). The
 * address is the provider's word, so it is fetched by the guarded client.
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

/** Tells the person that the message and those before it were read (provider reference §1.7). `later`: worth another try. */
export const markMessageRead = async (
  access: ProviderAccess,
  phoneNumberId: string,
  wamid: string,
): Promise<'told' | 'refused' | 'later'> => {
  const answer = await callProvider(access, {
    method: 'POST',
    path: [phoneNumberId, 'messages'],
    body: { messaging_product: 'whatsapp', status: 'read', message_id: wamid },
    timeoutMs: 10_000,
  });
  if (answer.outcome !== 'answered') return 'later';
  if (answer.status >= 200 && answer.status < 300) return 'told';
  return answer.status >= 500 || answer.status === 429 ? 'later' : 'refused';
};
