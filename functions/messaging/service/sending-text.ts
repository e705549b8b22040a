import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { headObject, writeObject } from '../../../shared/objects/bucket.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { mediaBucket } from '../contract/bucket.ts';
import type { ListInput, TextInput } from '../contract/send.ts';
import type { MessageMedia } from '../contract/stored.ts';
import { composeList, composeText, type Composition, textErrors } from '../domain/compose.ts';
import { type FileKind, kindOfFile, kindOfMime, kindOfName, kindsTaken, maxBytesOf, nameInUrl, sizeError } from '../domain/media.ts';
import { listTemplates } from '../store/template.ts';
import { findUpload } from '../store/upload.ts';
import { linkRefusal } from './public-link.ts';
import { type Draft, invalidFields, type SendContext, sendMessage, type SendOutcome, type SendProblem } from './sending.ts';

type Invalid = Problem<'validation_failed'>;
type Asked = { media: MessageMedia | undefined };

/** POST and GET /messages/text: a text, a file, quick replies or a call to action. */
export const sendText = async (
  companyId: number,
  input: TextInput,
  context: SendContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const { image, media_url, media_id } = input;
  const sources = [media_url && 'media_url', media_id && 'media_id', image && 'image'].filter((source) => typeof source === 'string');
  const errors = textErrors({ ...input, sources: sources.filter((source) => source !== '') });
  if (errors) return invalidFields(errors);
  return sendMessage<Invalid | Problem<'window_closed'>, Asked>(
    companyId,
    input,
    {
      closed: () => closedWindow(companyId),
      ask: () => mediaOf(companyId, input, context.operationId),
      compose: ({ media }) => {
        const draft = drafted(composeText(input, media));
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
  context: SendContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> =>
  sendMessage<Invalid | Problem<'window_closed'>, Asked>(
    companyId,
    input,
    { closed: () => closedWindow(companyId), ask: async () => ({ media: undefined }), compose: () => drafted(composeList(input)) },
    context,
  );

export const drafted = (composition: Composition): Draft | Invalid =>
  composition.ok ? { composed: composition.message, lane: 'direct' } : invalidFields(composition.errors);

async function mediaOf(companyId: number, input: TextInput, operationId: string): Promise<Asked | Invalid> {
  if (input.media_url) return linked(input.media_url);
  if (input.media_id) return uploaded(companyId, input.media_id);
  const { image } = input;
  if (!image) return { media: undefined };
  if (image.size === 0) return invalid('image', 'The file is empty.');
  const file = kindOfFile(image.bytes.subarray(0, 16), image.contentType, image.filename);
  if (!file) return invalid('image', `Must be one of ${kindsTaken}.`);
  if (image.size > maxBytesOf[file.kind]) return invalid('image', sizeError(file.kind));
  const { size, sha256, filename } = image;
  return { media: { ...file, key: `C${companyId}/sent/${operationId}`, size, sha256, filename: filename || 'file' } };
}

/**
 * The kind of a linked file (A24): by the Content-Type it is served with, else by its extension. One that cannot be reached from here goes
 * to the provider as it is, which may reach it.
 */
async function linked(address: string): Promise<Asked | Invalid> {
  const refusal = linkRefusal(address);
  if (refusal) return invalid('media_url', refusals[refusal]);
  const seen = await look(address);
  // an http address is not for us to fetch: it goes as it is, told by its extension
  if (seen.outcome === 'refused' && seen.reason !== 'not_https') return invalid('media_url', refusals[seen.reason]);
  const isSeen = seen.outcome === 'answered' && seen.status >= 200 && seen.status < 300;
  const file: FileKind | undefined = (isSeen ? kindOfMime(seen.headers['content-type']) : undefined) ?? kindOfName(address);
  if (!file) return invalid('media_url', `Must lead to one of ${kindsTaken}, told by its Content-Type or its extension.`);
  const size = isSeen ? sizeIn(seen.headers) : undefined;
  if (size !== undefined && size > maxBytesOf[file.kind]) return invalid('media_url', sizeError(file.kind));
  const filename = file.kind === 'document' ? nameInUrl(address) : undefined;
  return { media: { ...file, url: address, ...(size === undefined ? {} : { size }), ...(filename ? { filename } : {}) } };
}

const lookMs = 3_000;

/** HEAD; where that is not answered, the first bytes. */
async function look(address: string) {
  const head = await guardedFetch(address, { method: 'HEAD', timeoutMs: lookMs, maxBytes: 1, cut: true, redirects: 3 });
  const isAnswered = head.outcome === 'answered' && ![400, 403, 404, 405, 501].includes(head.status);
  if (isAnswered || head.outcome !== 'answered') return head;
  return guardedFetch(address, { headers: { range: 'bytes=0-0' }, timeoutMs: lookMs, maxBytes: 1, cut: true, redirects: 3 });
}

/** The whole file's size, also of a part. */
function sizeIn(headers: Readonly<Record<string, string>>): number | undefined {
  const said = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  const size = Number(said);
  return said !== undefined && Number.isSafeInteger(size) ? size : undefined;
}

const refusals = {
  not_an_address: 'Must be an http or https address.',
  not_https: 'Must be an http or https address.',
  credentials: 'Must not have a user name or password in it.',
  private_address: 'Must be an address on the public internet.',
} as const;

async function uploaded(companyId: number, id: string): Promise<Asked | Invalid> {
  const upload = await findUpload(companyId, id);
  if (!upload) return invalid('media_id', 'There is no such upload.');
  const object = await headObject(mediaBucket, upload.key);
  if (object === undefined) return invalid('media_id', 'The file has not been uploaded yet.');
  const size = object.bytes;
  if (size > maxBytesOf[upload.kind]) return invalid('media_id', sizeError(upload.kind));
  const { kind, key, mime, filename } = upload;
  return { media: { kind, key, mime, size, filename } };
}

/** With the templates that could be sent in its place, those first that a service message is most like. */
async function closedWindow(companyId: number): Promise<Problem<'window_closed'>> {
  const { templates } = await listTemplates(companyId, { status: 'APPROVED', name: undefined, after: undefined, limit: 50 });
  const fitting = templates.filter(({ category }) => category !== 'AUTHENTICATION');
  const suggested = fitting.toSorted((a, b) => Number(b.category === 'UTILITY') - Number(a.category === 'UTILITY')).slice(0, 5);
  return problem('window_closed', {
    details: {
      policy: 'enforce',
      suggested_templates: suggested.map(({ id, name, language, category }) => ({ id, name, language, category })),
    },
  });
}
