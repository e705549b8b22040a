import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { signedUrl } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { mediaBucket } from '../contract/bucket.ts';
import { type UploadInput } from '../contract/media.ts';
import { kindOfMime, kindOfName, acceptedKinds, maxBytesOf, sizeError } from '../domain/media.ts';
import { putUpload } from '../store/upload.ts';

export interface AnnouncedUpload {
  id: string;
  url: string;
  headers: Record<string, string>;
  expiresAtMs: number;
}

const uploadLifetimeSeconds = 3_600;

/** Announces an upload: a signed URL that takes one file of this type and size, for an hour. */
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
  const headers = { 'content-type': file.mime, 'content-length': String(size) };
  const address = await signedUrl(mediaBucket, key, 'PUT', { seconds: uploadLifetimeSeconds, headers });
  return { id: operationId, url: address, headers, expiresAtMs: at + uploadLifetimeSeconds * 1_000 };
};
