import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import type { UploadedFile } from '../../../shared/contract/file.ts';
import { deleteObject, wholeObject, writeObject } from '../../../shared/objects/bucket.ts';
import type { ProviderAccess, SendingNumber } from '../../../shared/provider/call.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { mediaBucket } from '../contract/bucket.ts';
import { acceptedKinds, type StoredMedia } from '../contract/stored.ts';
import { kindOfFile } from '../domain/file-bytes.ts';
import { maxBytesOf, sizeError } from '../domain/file-kind.ts';
import { fetchMedia, uploadMedia, type FetchedMedia, type UploadResult } from '../gateway.ts';

/** Files that are sent: checked when they come, stored in our bucket, uploaded to the provider when they are sent. */

/** The kind of a file in a form, or why it cannot be sent. */
export const checkFile = (given: UploadedFile): StoredMedia | { refused: string } => {
  if (given.size === 0) return { refused: 'The file is empty.' };
  const kind = kindOfFile(given.bytes.subarray(0, 16), given.contentType, given.filename);
  if (!kind) return { refused: 'Is not a kind of file that can be sent.' };
  if (given.size > maxBytesOf[kind.kind]) return { refused: sizeError(kind.kind) };
  return { ...kind, size: given.size, sha256: given.sha256, filename: given.filename || 'file' };
};

/** The `image` of a form, as it will be stored under the key. */
export const loadFile = (image: UploadedFile, key: string): { media: StoredMedia } | Problem<'validation_failed'> => {
  if (image.size === 0) return invalid('image', 'The file is empty.');
  const file = kindOfFile(image.bytes.subarray(0, 16), image.contentType, image.filename);
  if (!file) return invalid('image', `Must be one of ${acceptedKinds}.`);
  if (image.size > maxBytesOf[file.kind]) return invalid('image', sizeError(file.kind));
  const { size, sha256, filename } = image;
  return { media: { ...file, key, size, sha256, filename: filename || 'file' } };
};

export const storeFile = async (key: string, file: UploadedFile, mime: string | undefined): Promise<void> =>
  writeObject(mediaBucket, key, file.bytes, mime ?? 'application/octet-stream');

/** Undefined: it is gone, or is a link. */
export const readFile = async ({ key }: StoredMedia): Promise<Buffer | undefined> =>
  key === undefined ? undefined : wholeObject(mediaBucket, key);

export const deleteFile = (key: string): Promise<void> => deleteObject(mediaBucket, key);

/** The provider's id of a file, valid for 30 days. */
export const uploadFile = (number: SendingNumber, { mime, filename }: StoredMedia, bytes: Buffer): Promise<UploadResult> =>
  uploadMedia(number, { bytes, mime: mime ?? 'application/octet-stream', filename: filename ?? 'file' });

/** The same of a stored file. Undefined: not to be had now. `refused`: the provider does not take the file. */
export const uploadStoredFile = async (number: SendingNumber, media: StoredMedia): Promise<string | { refused: string } | undefined> => {
  const bytes = await readFile(media);
  if (!bytes) return undefined;
  const uploaded = await uploadFile(number, media, bytes);
  if (uploaded.outcome === 'uploaded') return uploaded.id;
  return uploaded.outcome === 'refused' ? { refused: uploaded.title } : undefined;
};

/** Fetches a received file from the provider, by the id in `media`, and stores it under the key. */
export const fetchFile = async (
  number: ProviderAccess,
  { providerId, media, key }: { providerId: string; media: StoredMedia; key: string },
): Promise<{ outcome: 'fetched'; file: StoredMedia } | Exclude<FetchedMedia, { outcome: 'fetched' }>> => {
  const fetched = await fetchMedia(number, providerId);
  if (fetched.outcome !== 'fetched') return fetched;
  const { bytes } = fetched;
  const mime = fetched.mime ?? media.mime ?? 'application/octet-stream';
  await writeObject(mediaBucket, key, bytes, mime);
  return { outcome: 'fetched', file: { ...media, key, mime, size: bytes.length, sha256: sha256(bytes) } };
};
