import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { signedUrl } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { mediaBucket } from '../contract/bucket.ts';
import { type UploadInput } from '../contract/media.ts';
import { kindOfMime, kindOfName, kindsTaken, maxBytesOf, sizeError } from '../domain/media.ts';
import { addUpload } from '../store/upload.ts';

export interface Announced {
  id: string;
  address: string;
  headers: Record<string, string>;
  expiresAtMs: number;
}

const lifeSeconds = 3_600;

/** POST /media/uploads (G21): the address at which one file of one type and size may be put, for an hour. */
export const createUpload = async (
  companyId: number,
  { filename, content_type, size }: UploadInput,
  operationId: string,
): Promise<Announced | Problem<'validation_failed'>> => {
  const file = kindOfMime(content_type) ?? kindOfName(filename);
  if (!file) return invalid('content_type', `Must be one of ${kindsTaken}.`);
  if (size > maxBytesOf[file.kind]) return invalid('size', sizeError(file.kind));
  const key = `C${companyId}/uploads/${operationId}`;
  const at = now();
  await addUpload({ companyId, id: operationId, key, ...file, filename, size, createdAt: at });
  const headers = { 'content-type': file.mime, 'content-length': String(size) };
  const address = await signedUrl(mediaBucket, key, 'PUT', { seconds: lifeSeconds, headers });
  return { id: operationId, address, headers, expiresAtMs: at + lifeSeconds * 1_000 };
};
