import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import type { TextInput } from '../contract/send.ts';
import type { MessageMedia } from '../contract/stored.ts';
import { composeText, textErrors } from '../domain/compose-text.ts';
import { acceptedKinds, type FileKind, kindOfFile, kindOfMime, kindOfName, maxBytesOf, nameInUrl, sizeError } from '../domain/media.ts';
import { linkRefusal } from '../domain/public-link.ts';
import { recordUploadContact, type Upload } from '../store/upload.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import { storeFile } from './files.ts';
import { loadUpload } from './uploads.ts';
import { checkWindow, invalidFields, loadSendRequest, type OperationContext, resolveRecipient, type SendProblem } from './send-request.ts';

type Invalid = Problem<'validation_failed'>;
interface LoadedMedia {
  media: MessageMedia | undefined;
  upload?: Upload;
}

/** Sends a text, a file, quick replies or a call-to-action button: now, or at its scheduled time. */
export const sendText = async (
  companyId: number,
  input: TextInput,
  operation: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const { image } = input;
  const fieldErrors = textErrors({ ...input, sources: fileFieldsOf(input) });
  if (fieldErrors) return invalidFields(fieldErrors);
  const [request, loaded] = await Promise.all([
    loadSendRequest(companyId, input, operation),
    loadMedia(companyId, input, operation.operationId),
  ]);
  if (isProblem(request)) return request;
  if (isProblem(loaded)) return loaded;
  const composition = composeText(input, loaded.media);
  if (!composition.ok) return invalidFields(composition.errors);
  const recipient = await resolveRecipient(request);
  if (isProblem(recipient)) return recipient;
  const closed = await checkWindow(recipient);
  if (closed) return closed;
  if (loaded.upload) await recordUploadContact(loaded.upload, recipient.contactId);
  if (image && loaded.media?.key !== undefined) await storeFile(loaded.media.key, image, loaded.media.mime);
  return createAndSend(recipient, { content: composition.message, priority: 'direct', bytes: image?.bytes }, operation);
};

/** The deprecated GET form: the same fields, without a file. */
export const sendTextByGet: typeof sendText = (companyId, query, operation) => sendText(companyId, query, operation);

/** The fields of the request that name a file. */
const fileFieldsOf = ({ media_url, media_id, image }: TextInput): string[] => [
  ...(media_url ? ['media_url'] : []),
  ...(media_id ? ['media_id'] : []),
  ...(image ? ['image'] : []),
];

async function loadMedia(companyId: number, input: TextInput, operationId: string): Promise<LoadedMedia | Invalid> {
  if (input.media_url) return loadLink(input.media_url);
  if (input.media_id) return loadUpload(companyId, input.media_id);
  const { image } = input;
  if (!image) return { media: undefined };
  if (image.size === 0) return invalid('image', 'The file is empty.');
  const file = kindOfFile(image.bytes.subarray(0, 16), image.contentType, image.filename);
  if (!file) return invalid('image', `Must be one of ${acceptedKinds}.`);
  if (image.size > maxBytesOf[file.kind]) return invalid('image', sizeError(file.kind));
  const { size, sha256, filename } = image;
  return { media: { ...file, key: `C${companyId}/sent/${operationId}`, size, sha256, filename: filename || 'file' } };
}

/**
 * The kind of a linked file: by the Content-Type it is served with, otherwise by its extension. A link that cannot be reached from here is
 * passed on as it is; the provider may reach it.
 */
async function loadLink(url: string): Promise<LoadedMedia | Invalid> {
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
}

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
