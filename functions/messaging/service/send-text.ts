import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { headObject, writeObject } from '../../../shared/objects/bucket.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { mediaBucket } from '../contract/bucket.ts';
import type { ListInput, TextInput } from '../contract/send.ts';
import type { MessageMedia } from '../contract/stored.ts';
import { composeList, composeText, type Composition, textErrors } from '../domain/compose-text.ts';
import { type FileKind, kindOfFile, kindOfMime, kindOfName, acceptedKinds, maxBytesOf, nameInUrl, sizeError } from '../domain/media.ts';
import { listTemplatePage } from '../../templates/store/template.ts';
import { getUpload } from '../store/upload.ts';
import { linkRefusal } from '../domain/public-link.ts';
import { type Draft, invalidFields, type OperationContext, sendMessage, type SendOutcome, type SendProblem } from './create-outbound.ts';

type Invalid = Problem<'validation_failed'>;
type LoadedMedia = { media: MessageMedia | undefined };

/** POST and GET /messages/text: a text, a file, quick replies or a call to action. */
export const sendText = async (
  companyId: number,
  input: TextInput,
  context: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const { image, media_url, media_id } = input;
  const sources = [media_url && 'media_url', media_id && 'media_id', image && 'image'].filter((source) => typeof source === 'string');
  const errors = textErrors({ ...input, sources: sources.filter((source) => source !== '') });
  if (errors) return invalidFields(errors);
  return sendMessage<Invalid | Problem<'window_closed'>, LoadedMedia>(
    companyId,
    input,
    {
      closed: () => windowClosedProblem(companyId),
      ask: () => loadMedia(companyId, input, context.operationId),
      compose: ({ media }) => {
        const draft = toDraft(composeText(input, media));
        if (!('composed' in draft) || !image || media?.key === undefined) return draft;
        const { key, mime } = media;
        return { ...draft, bytes: image.bytes, keep: () => writeObject(mediaBucket, key, image.bytes, mime ?? 'application/octet-stream') };
      },
    },
    context,
  );
};

/** POST and GET /messages/list. */
export const sendList = (
  companyId: number,
  input: ListInput,
  context: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> =>
  sendMessage<Invalid | Problem<'window_closed'>, LoadedMedia>(
    companyId,
    input,
    { closed: () => windowClosedProblem(companyId), ask: async () => ({ media: undefined }), compose: () => toDraft(composeList(input)) },
    context,
  );

export const toDraft = (composition: Composition): Draft | Invalid =>
  composition.ok ? { composed: composition.message, lane: 'direct' } : invalidFields(composition.errors);

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
 * The kind of a linked file (A24): by the Content-Type it is served with, else by its extension. One that cannot be reached from here goes
 * to the provider as it is, which may reach it.
 */
async function loadLink(address: string): Promise<LoadedMedia | Invalid> {
  const refusal = linkRefusal(address);
  if (refusal) return invalid('media_url', linkErrors[refusal]);
  const seen = await probeLink(address);
  // an http address is not for us to fetch: it goes as it is, told by its extension
  if (seen.outcome === 'refused' && seen.reason !== 'not_https') return invalid('media_url', linkErrors[seen.reason]);
  const isSeen = seen.outcome === 'answered' && seen.status >= 200 && seen.status < 300;
  const file: FileKind | undefined = (isSeen ? kindOfMime(seen.headers['content-type']) : undefined) ?? kindOfName(address);
  if (!file) return invalid('media_url', `Must lead to one of ${acceptedKinds}, told by its Content-Type or its extension.`);
  const size = isSeen ? contentLengthOf(seen.headers) : undefined;
  if (size !== undefined && size > maxBytesOf[file.kind]) return invalid('media_url', sizeError(file.kind));
  const filename = file.kind === 'document' ? nameInUrl(address) : undefined;
  return { media: { ...file, url: address, ...(size === undefined ? {} : { size }), ...(filename ? { filename } : {}) } };
}

const probeTimeoutMs = 3_000;

/** HEAD; where that is not answered, the first bytes. */
async function probeLink(address: string) {
  const head = await guardedFetch(address, { method: 'HEAD', timeoutMs: probeTimeoutMs, maxBytes: 1, cut: true, redirects: 3 });
  const isAnswered = head.outcome === 'answered' && ![400, 403, 404, 405, 501].includes(head.status);
  if (isAnswered || head.outcome !== 'answered') return head;
  return guardedFetch(address, { headers: { range: 'bytes=0-0' }, timeoutMs: probeTimeoutMs, maxBytes: 1, cut: true, redirects: 3 });
}

/** The whole file's size, also of a part. */
function contentLengthOf(headers: Readonly<Record<string, string>>): number | undefined {
  const said = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  const size = Number(said);
  return said !== undefined && Number.isSafeInteger(size) ? size : undefined;
}

const linkErrors = {
  not_an_address: 'Must be an http or https address.',
  not_https: 'Must be an http or https address.',
  credentials: 'Must not have a user name or password in it.',
  private_address: 'Must be an address on the public internet.',
} as const;

async function loadUpload(companyId: number, id: string): Promise<LoadedMedia | Invalid> {
  const upload = await getUpload(companyId, id);
  if (!upload) return invalid('media_id', 'There is no such upload.');
  const object = await headObject(mediaBucket, upload.key);
  if (object === undefined) return invalid('media_id', 'The file has not been uploaded yet.');
  const size = object.bytes;
  if (size > maxBytesOf[upload.kind]) return invalid('media_id', sizeError(upload.kind));
  const { kind, key, mime, filename } = upload;
  return { media: { kind, key, mime, size, filename } };
}

/** With the templates that could be sent in its place, those first that a service message is most like. */
async function windowClosedProblem(companyId: number): Promise<Problem<'window_closed'>> {
  const { templates } = await listTemplatePage(companyId, { status: 'APPROVED', name: undefined, after: undefined, limit: 50 });
  const fitting = templates.filter(({ category }) => category !== 'AUTHENTICATION');
  const suggested = fitting.toSorted((a, b) => Number(b.category === 'UTILITY') - Number(a.category === 'UTILITY')).slice(0, 5);
  return problem('window_closed', {
    details: {
      policy: 'enforce',
      suggested_templates: suggested.map(({ id, name, language, category }) => ({ id, name, language, category })),
    },
  });
}
