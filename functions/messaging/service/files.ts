import type { UploadedFile } from '../../../shared/contract/file.ts';
import { wholeObject, writeObject } from '../../../shared/objects/bucket.ts';
import type { SendingNumber } from '../../../shared/provider/call.ts';
import { mediaBucket } from '../contract/bucket.ts';
import type { MessageMedia } from '../contract/stored.ts';
import { kindOfFile, maxBytesOf, sizeError } from '../domain/media.ts';
import { uploadMedia } from '../gateway/media.ts';

/** Files that are sent: checked when they come, stored in our bucket, uploaded to the provider when they are sent. */

/** The kind of a file in a form, or why it cannot be sent. */
export const checkFile = (given: UploadedFile): MessageMedia | { refused: string } => {
  if (given.size === 0) return { refused: 'The file is empty.' };
  const kind = kindOfFile(given.bytes.subarray(0, 16), given.contentType, given.filename);
  if (!kind) return { refused: 'Is not a kind of file that can be sent.' };
  if (given.size > maxBytesOf[kind.kind]) return { refused: sizeError(kind.kind) };
  return { ...kind, size: given.size, sha256: given.sha256, filename: given.filename || 'file' };
};

export const storeFile = async (key: string, file: UploadedFile, mime: string | undefined): Promise<void> =>
  writeObject(mediaBucket, key, file.bytes, mime ?? 'application/octet-stream');

/** The provider's id of a stored file, valid for 30 days. Undefined: not to be had now. `refused`: the provider does not take the file. */
export const uploadStoredFile = async (number: SendingNumber, media: MessageMedia): Promise<string | { refused: string } | undefined> => {
  const bytes = media.key === undefined ? undefined : await wholeObject(mediaBucket, media.key);
  if (!bytes) return undefined;
  const uploaded = await uploadMedia(number, {
    bytes,
    mime: media.mime ?? 'application/octet-stream',
    filename: media.filename ?? 'file',
  });
  if (uploaded.outcome === 'uploaded') return uploaded.id;
  return uploaded.outcome === 'refused' ? { refused: uploaded.title } : undefined;
};
