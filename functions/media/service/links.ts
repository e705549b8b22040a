import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { guardedFetch, type UrlRefusal, refusalOf } from '../../../shared/runtime/fetch.ts';
import { acceptedKinds, nameInUrl, type StoredMedia } from '../contract/stored.ts';
import { type FileKind, kindOfMime, kindOfName, maxBytesOf, sizeError } from '../domain/file-kind.ts';

/**
 * Why the provider must not be sent to a URL. http is allowed, which is never fetched from here; both must lead to the public internet.
 * See docs/decisions/media-links-over-http.md.
 */
const linkRefusal = (url: string): UrlRefusal | undefined =>
  refusalOf(url) === 'not_https' ? refusalOf(url.replace(/^http:/i, 'https:')) : refusalOf(url);

export const isPublicLink = (url: string): boolean => linkRefusal(url) === undefined;

/**
 * The kind of a linked file: by the Content-Type it is served with, otherwise by its extension. A link that cannot be reached from here is
 * passed on as it is; the provider may reach it.
 */
export const loadLink = async (url: string): Promise<{ media: StoredMedia } | Problem<'validation_failed'>> => {
  const refusal = linkRefusal(url);
  if (refusal) return invalid('media_url', linkErrors[refusal]);
  const probed = await probeLink(url);
  // http links are not fetched here: the extension gives the kind, and the provider fetches the file
  if (probed.outcome === 'refused' && probed.reason !== 'not_https') return invalid('media_url', linkErrors[probed.reason]);
  const isFound = probed.outcome === 'answered' && probed.status >= 200 && probed.status < 300;
  const file: FileKind | undefined = (isFound ? kindOfMime(probed.headers['content-type']) : undefined) ?? kindOfName(url);
  if (!file) return invalid('media_url', `Must lead to one of ${acceptedKinds}, by its Content-Type or its extension.`);
  const size = isFound ? contentLengthOf(probed.headers) : undefined;
  if (size !== undefined && size > maxBytesOf[file.kind]) return invalid('media_url', sizeError(file.kind));
  const filename = file.kind === 'document' ? nameInUrl(url) : undefined;
  return { media: { ...file, url, ...(size === undefined ? {} : { size }), ...(filename ? { filename } : {}) } };
};

const probeTimeoutMs = 3_000;

/** A HEAD request; where the server refuses HEAD, a GET of the first byte. */
async function probeLink(url: string) {
  const probed = await guardedFetch(url, { method: 'HEAD', timeoutMs: probeTimeoutMs, maxBytes: 1, cut: true, redirects: 3 });
  const isAnswered = probed.outcome === 'answered' && ![400, 403, 404, 405, 501].includes(probed.status);
  if (isAnswered || probed.outcome !== 'answered') return probed;
  return guardedFetch(url, { headers: { range: 'bytes=0-0' }, timeoutMs: probeTimeoutMs, maxBytes: 1, cut: true, redirects: 3 });
}

/** The size of the whole file, also where the answer is a part of it. */
function contentLengthOf(headers: Readonly<Record<string, string>>): number | undefined {
  const stated = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  const size = Number(stated);
  return stated !== undefined && Number.isSafeInteger(size) ? size : undefined;
}

const linkErrors = {
  not_an_address: 'Must be an http or https URL.',
  not_https: 'Must be an http or https URL.',
  credentials: 'Must not have a user name or password in it.',
  private_address: 'Must be a URL on the public internet.',
  port: 'Must use port 443 or one from 1024 up.',
} as const;
