/** Uploaded and received media, and the resumable uploads of template samples. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { plainError, refuse, refuseObject, refuseParameter } from './errors.ts';
import { objectId } from './identifiers.ts';

const stored = z.object({
  id: z.string(),
  phone_number_id: z.string(),
  mime_type: z.string(),
  sha256: z.string(),
  file_size: z.number(),
  filename: z.string().optional(),
  expires_at: z.number(),
});
export type StoredMedia = z.infer<typeof stored>;

const session = z.object({ id: z.string(), file_name: z.string().optional(), file_type: z.string(), file_length: z.number() });

const megabyte = 1024 * 1024;
const linkMs = 5 * 60_000;
const uploadedMs = 30 * 86_400_000;
const receivedMs = 7 * 86_400_000;

const documentTypes =
  /^(text\/plain|application\/(pdf|msword|vnd\.ms-(excel|powerpoint)|vnd\.openxmlformats-officedocument\.(wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation)))$/;
const uploadTypes = /^(application\/pdf|image\/(jpe?g|png)|video\/mp4)$/;

/** Bytes allowed per kind of file; undefined for a kind that the provider does not take. */
export function maxMediaBytes(mimeType: string): number | undefined {
  const type = mimeType.split(';')[0]?.trim() ?? '';
  if (/^image\/(jpeg|png)$/.test(type)) return 5 * megabyte;
  if (type === 'image/webp') return megabyte / 2;
  if (/^video\/(mp4|3gpp)$/.test(type)) return 16 * megabyte;
  if (/^audio\/(aac|amr|mpeg|mp4|ogg|opus)$/.test(type)) return 16 * megabyte;
  return documentTypes.test(type) ? 100 * megabyte : undefined;
}

export function openMedia(database: DatabaseSync) {
  const insert = database.prepare('INSERT INTO media (id, doc, bytes) VALUES (?, ?, ?)');
  const select = database.prepare('SELECT doc FROM media WHERE id = ?');
  const selectBytes = database.prepare('SELECT bytes FROM media WHERE id = ?');
  const remove = database.prepare('DELETE FROM media WHERE id = ?');
  const insertUpload = database.prepare('INSERT INTO uploads (id, doc, bytes) VALUES (?, ?, ?)');
  const selectUpload = database.prepare('SELECT doc, bytes FROM uploads WHERE id = ?');
  const appendUpload = database.prepare('UPDATE uploads SET bytes = ? WHERE id = ?');
  const linkSecret = randomBytes(32);

  function find(id: string): StoredMedia | undefined {
    const row = select.get(id);
    const found = row && stored.parse(JSON.parse(String(row.doc)));
    return found && found.expires_at > Date.now() ? found : undefined;
  }

  function link(base: string, media: StoredMedia): string {
    const expiry = Math.floor((Date.now() + linkMs) / 1000);
    return `${base}/whatsapp_business/attachments/?mid=${media.id}&ext=${expiry}&hash=${linkHash(media.id, expiry)}`;
  }

  function linkHash(id: string, expiry: number): string {
    return createHmac('sha256', linkSecret).update(`${id}:${expiry}`).digest('base64url');
  }

  return {
    find,
    link,
    isUsable: (id: string): boolean => find(id) !== undefined,
    save(input: { phoneNumberId: string; mimeType: string; bytes: Buffer; filename?: string | undefined; received: boolean }): StoredMedia {
      const media = stored.parse({
        id: objectId(),
        phone_number_id: input.phoneNumberId,
        mime_type: input.mimeType,
        sha256: createHash('sha256').update(input.bytes).digest('hex'),
        file_size: input.bytes.length,
        filename: input.filename,
        expires_at: Date.now() + (input.received ? receivedMs : uploadedMs),
      });
      insert.run(media.id, JSON.stringify(media), input.bytes);
      return media;
    },
    /** `POST /{PHONE_ID}/media`, multipart. */
    async upload(phoneNumberId: string, contentType: string, body: Buffer): Promise<Answer> {
      const form = await readForm(contentType, body);
      if (form?.get('messaging_product') !== 'whatsapp') return refuseParameter('The parameter messaging_product is required.');
      const file = form.get('file');
      if (!(file instanceof File)) return refuseParameter('The parameter file is required.');
      const named = form.get('type');
      const mimeType = file.type && file.type !== 'application/octet-stream' ? file.type : typeof named === 'string' ? named : file.type;
      const most = maxMediaBytes(mimeType);
      if (most === undefined)
        return refuseParameter(`Param file must be a file with one of the supported types. Received file of type '${mimeType}'.`);
      if (file.size > most) return refuse(131053, `File size ${file.size} exceeds the limit of ${most} bytes for ${mimeType}`);
      const bytes = Buffer.from(await file.arrayBuffer());
      return { status: 200, body: { id: this.save({ phoneNumberId, mimeType, bytes, filename: file.name, received: false }).id } };
    },
    /** `GET /{MEDIA_ID}`: sha256 in hex, an address valid for five minutes. */
    describe(media: StoredMedia, base: string): Answer {
      const { mime_type, sha256, file_size, id } = media;
      return { status: 200, body: { url: link(base, media), mime_type, sha256, file_size, id, messaging_product: 'whatsapp' } };
    },
    delete(media: StoredMedia): Answer {
      remove.run(media.id);
      return { status: 200, body: { success: true } };
    },
    /** The bytes behind an address, if it is genuine, not expired, and the media still exists. */
    download(query: URLSearchParams): { media: StoredMedia; bytes: Uint8Array } | undefined {
      const id = query.get('mid') ?? '';
      const expiry = Number(query.get('ext'));
      const media = find(id);
      if (!media || expiry * 1000 < Date.now() || query.get('hash') !== linkHash(id, expiry)) return undefined;
      const bytes = selectBytes.get(id)?.bytes;
      return bytes instanceof Uint8Array ? { media, bytes } : undefined;
    },
    /** `POST /{APP_ID}/uploads`. */
    startUpload(query: URLSearchParams): Answer {
      const type = query.get('file_type') ?? '';
      const length = Number(query.get('file_length') ?? Number.NaN);
      if (!uploadTypes.test(type))
        return refuseParameter(
          `Param file_type must be one of {application/pdf, image/jpeg, image/jpg, image/png, video/mp4} - got "${type}".`,
        );
      if (!Number.isInteger(length) || length < 1) return refuseParameter('The parameter file_length is required.');
      const id = `upload:${randomBytes(24).toString('base64url')}`;
      const file_name = query.get('file_name') ?? undefined;
      insertUpload.run(id, JSON.stringify({ id, file_name, file_type: type, file_length: length }), Buffer.alloc(0));
      return { status: 200, body: { id } };
    },
    /** `POST /upload:...` with `file_offset`: the handle once everything has arrived. */
    continueUpload(id: string, offset: string | undefined, body: Buffer): Answer {
      const row = selectUpload.get(id);
      if (!row) return refuseObject('POST', id);
      const { file_type, file_length } = session.parse(JSON.parse(String(row.doc)));
      const before = Buffer.from(row.bytes instanceof Uint8Array ? row.bytes : []);
      if (Number(offset) !== before.length) return refuseParameter(`Param file_offset must be ${before.length} - got "${offset ?? ''}".`);
      const bytes = Buffer.concat([before, body]);
      if (bytes.length > file_length)
        return plainError(400, { message: 'Uploaded bytes exceed file_length', type: 'OAuthException', code: 100 });
      appendUpload.run(bytes, id);
      if (bytes.length < file_length) return { status: 200, body: { id, file_offset: bytes.length } };
      const parts = ['4', id.slice(7), file_type].map((part) => Buffer.from(part).toString('base64url'));
      return { status: 200, body: { h: `4::${parts.slice(1).join(':')}:ARZ${createHash('sha256').update(bytes).digest('base64url')}` } };
    },
    /** `GET /upload:...`: where to go on. */
    resumeUpload(id: string): Answer {
      const bytes = selectUpload.get(id)?.bytes;
      return bytes instanceof Uint8Array ? { status: 200, body: { id, file_offset: bytes.length } } : refuseObject('GET', id);
    },
  };
}
export type MediaStore = ReturnType<typeof openMedia>;

/** Undefined for anything that is not a readable form. */
async function readForm(contentType: string, body: Buffer): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
}
