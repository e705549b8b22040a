import { wholeObject, writeObject } from '../../../shared/objects/bucket.ts';
import type { UploadedFile } from '../../../shared/contract/file.ts';
import { mediaBucket } from '../contract/bucket.ts';
import type { MessageMedia } from '../contract/stored.ts';
import { kindOfFile, sizeError, maxBytesOf } from '../domain/media.ts';
import { uploadMedia } from '../gateway/media.ts';
import type { SendingNumber } from '../gateway/messages.ts';

/** The file of a campaign: kept in our bucket when the campaign is made, given to the provider once when it is sent. */

/** What a file of a form is to the provider, or why it is refused. */
export const checkCampaignFile = (given: UploadedFile): MessageMedia | { refused: string } => {
  if (given.size === 0) return { refused: 'The file is empty.' };
  const kind = kindOfFile(given.bytes.subarray(0, 16), given.contentType, given.filename);
  if (!kind) return { refused: 'Is not a kind of file that can be sent.' };
  if (given.size > maxBytesOf[kind.kind]) return { refused: sizeError(kind.kind) };
  return { ...kind, size: given.size, sha256: given.sha256, filename: given.filename || 'file' };
};

export const storeFile = async (key: string, file: UploadedFile, mime: string | undefined): Promise<void> =>
  writeObject(mediaBucket, key, file.bytes, mime ?? 'application/octet-stream');

/** The provider's id of a kept file, good for 30 days; undefined: it cannot be had now. `refused`: the provider does not take it. */
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
