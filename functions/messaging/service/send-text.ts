import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { TextInput } from '../contract/send.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import { composeText, textErrors } from '../domain/compose-text.ts';
import { loadFile, storeFile } from '../../media/service/files.ts';
import { loadLink } from '../../media/service/links.ts';
import { loadUpload, recordUploadRecipient, type UploadedMedia } from '../../media/service/uploads.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import { checkWindow, invalidFields, loadSendRequest, type OperationContext, resolveRecipient, type SendProblem } from './send-request.ts';

type Invalid = Problem<'validation_failed'>;
interface LoadedMedia {
  media: StoredMedia | undefined;
  upload?: UploadedMedia['upload'];
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
  if (loaded.upload) await recordUploadRecipient(loaded.upload, recipient.contactId);
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
  return input.image ? loadFile(input.image, `C${companyId}/sent/${operationId}`) : { media: undefined };
}
