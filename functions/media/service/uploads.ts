import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { deleteObject, getObjectSummary, onlyOnce, signedUrl } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { mediaBucket } from '../contract/bucket.ts';
import { type UploadInput } from '../contract/upload.ts';
import { kindOfMime, kindOfName, maxBytesOf, sizeError } from '../domain/file-kind.ts';
import { acceptedKinds, type StoredMedia } from '../contract/stored.ts';
import { deleteUpload, getUpload, getUploadOfAnyAge, putUpload, recordUploadContact, shareUpload, type Upload } from '../store.ts';

export interface AnnouncedUpload {
  id: string;
  url: string;
  headers: Record<string, string>;
  expiresAtMs: number;
}

const uploadLifetimeSeconds = 3_600;

/** Announces an upload: a signed URL that takes one file of this type and size, once, for an hour. */
export const createUpload = async (
  companyId: number,
  { filename, content_type, size }: UploadInput,
  operationId: string,
): Promise<AnnouncedUpload | Problem<'validation_failed'>> => {
  const file = kindOfMime(content_type) ?? kindOfName(filename);
  if (!file) return invalid('content_type', `Must be one of ${acceptedKinds}.`);
  if (size > maxBytesOf[file.kind]) return invalid('size', sizeError(file.kind));
  const key = `C${companyId}/uploads/${operationId}`;
  const at = now();
  await putUpload({ companyId, id: operationId, key, mediaKind: file.kind, mime: file.mime, filename, size, createdAt: at });
  const headers = { 'content-type': file.mime, 'content-length': String(size), ...onlyOnce };
  const address = await signedUrl(mediaBucket, key, 'PUT', { seconds: uploadLifetimeSeconds, headers });
  return { id: operationId, url: address, headers, expiresAtMs: at + uploadLifetimeSeconds * 1_000 };
};

export interface UploadedMedia {
  media: StoredMedia;
  upload: Upload;
}

/** The file of an upload, for a message, a campaign or a template; `field` names it in the request. 1 RRU. */
export const loadUpload = async (
  companyId: number,
  id: string,
  field = 'media_id',
): Promise<UploadedMedia | Problem<'validation_failed'>> => {
  const upload = await getUpload(companyId, id);
  if (!upload) return invalid(field, 'There is no such upload.');
  const object = await getObjectSummary(mediaBucket, upload.key);
  if (object === undefined) return invalid(field, 'The file has not been uploaded yet.');
  const size = object.bytes;
  if (size > maxBytesOf[upload.mediaKind]) return invalid(field, sizeError(upload.mediaKind));
  const { mediaKind, key, mime, filename } = upload;
  return { media: { kind: mediaKind, key, mime, size, filename }, upload };
};

/** For what goes to many contacts: the erasure of one of them does not remove the file. */
export const loadSharedUpload = async (companyId: number, id: string): Promise<StoredMedia | Problem<'validation_failed'>> => {
  const loaded = await loadUpload(companyId, id);
  if (isProblem(loaded)) return loaded;
  await shareUpload(loaded.upload);
  return loaded.media;
};

/** Before an upload is sent to a contact: the erasure of the contact ends the file, unless others get it too. 1 WRU for the first two. */
export const recordUploadRecipient = (upload: Upload, contactId: number): Promise<void> => recordUploadContact(upload, contactId);

/** Whose file an upload is, for the erasure of a contact: what removes the file that was sent to this contact alone. 1 RRU. */
export const uploadRemoval = async (companyId: number, key: string, contactId: number): Promise<(() => Promise<void>) | undefined> => {
  const id = /^C\d+\/uploads\/(.+)$/.exec(key)?.[1];
  if (id === undefined) return () => deleteObject(mediaBucket, key);
  const upload = await getUploadOfAnyAge(companyId, id);
  if (upload?.contactId !== contactId || upload.isShared) return undefined;
  return async () => {
    await deleteObject(mediaBucket, key);
    await deleteUpload(companyId, id);
  };
};
