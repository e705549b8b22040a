import * as z from 'zod';
import { mediaKinds } from './contract/stored.ts';
import { exists, missing } from '../../shared/table/condition.ts';
import { entity } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { tenant } from '../../shared/table/schema.ts';
import { dayMs, now } from '../../shared/runtime/clock.ts';

const storedUpload = z.object({
  companyId: z.int(),
  id: z.string(),
  key: z.string(),
  mediaKind: z.enum(mediaKinds),
  mime: z.string(),
  filename: z.string(),
  size: z.int(),
  createdAt: z.int(),
  /** The contact to whom it was sent first; `isShared`: others got it too, so it is not one contact's. */
  contactId: z.int().optional(),
  isShared: z.literal(true).optional(),
});
export type Upload = z.output<typeof storedUpload>;

const sendableDays = 30;
const rowDays = 400;

/** An announced upload. The bucket knows whether the file was uploaded. */
const uploadEntity = entity({
  name: 'media-upload',
  purpose: 'A file that was announced through POST /media/uploads',
  attributes: storedUpload,
  renamed: { kind: 'mediaKind' },
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: `${tenant(companyId)}#UPLOAD`, sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  // as long as the bucket holds the file: an erasure has to know whose it is
  expiresAt: ({ createdAt }) => Math.floor((createdAt + rowDays * dayMs) / 1_000),
  personalData: 'file and its name',
  example: { pk: 'C#<company>#UPLOAD', sk: '<ULID>' },
});

export const putUpload = pattern(
  { question: 'an upload is announced', entity: 'media-upload', by: 'PutItem', units: '1 WRU' },
  async (upload: Upload): Promise<void> => {
    await uploadEntity.put(upload);
  },
);

/** Remembers whose file an upload is: the contact's to whom it is sent first, or several contacts'. Nothing is written when that is known. */
export const recordUploadContact = pattern(
  { question: 'an upload is sent to a contact', entity: 'media-upload', by: 'UpdateItem', units: '1 WRU for the first two contacts' },
  async ({ companyId, id, contactId, isShared }: Upload, recipientId: number): Promise<void> => {
    if (isShared || contactId === recipientId) return;
    const first =
      contactId === undefined && (await uploadEntity.change({ companyId, id }, { set: { contactId: recipientId } }, missing('contactId')));
    if (first && (first.done || first.current?.contactId === recipientId)) return;
    await uploadEntity.change({ companyId, id }, { set: { isShared: true } }, exists());
  },
);

/** Of no one contact from now on. */
export const shareUpload = pattern(
  { question: 'an upload is used by a campaign or a template', entity: 'media-upload', by: 'UpdateItem', units: '1 WRU for the first use' },
  async ({ companyId, id, isShared }: Upload): Promise<void> => {
    if (!isShared) await uploadEntity.change({ companyId, id }, { set: { isShared: true } }, exists());
  },
);

export const deleteUpload = pattern(
  { question: 'remove an upload that was sent to an erased contact alone', entity: 'media-upload', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: string): Promise<void> => {
    await uploadEntity.delete({ companyId, id });
  },
);

/** For an erasure: also after it may no longer be sent. */
export const getUploadOfAnyAge = pattern(
  { question: 'whose file an upload is', entity: 'media-upload', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: string): Promise<Upload | undefined> => uploadEntity.get({ companyId, id }, { consistent: true }),
);

/** An upload can be sent for 30 days. */
export const getUpload = pattern(
  { question: 'an announced upload', entity: 'media-upload', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, id: string): Promise<Upload | undefined> => {
    const upload = await uploadEntity.get({ companyId, id }, { consistent: true });
    return upload && upload.createdAt > now() - sendableDays * dayMs ? upload : undefined;
  },
);
