import * as z from 'zod';
import { mediaKinds } from '../contract/stored.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

const storedUpload = z.object({
  companyId: z.int(),
  id: z.string(),
  key: z.string(),
  kind: z.enum(mediaKinds),
  mime: z.string(),
  filename: z.string(),
  size: z.int(),
  createdAt: z.int(),
});
export type Upload = z.output<typeof storedUpload>;

/** An announced upload. The bucket knows whether the file was uploaded. */
const uploadEntity = entity({
  name: 'media-upload',
  purpose: 'A file that was announced through POST /media/uploads',
  attributes: storedUpload,
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: `${tenant(companyId)}#UPLOAD`, sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ createdAt }) => Math.floor(createdAt / 1_000) + 30 * 86_400,
  example: { pk: 'C#<company>#UPLOAD', sk: '<ULID>' },
});

export const putUpload = pattern(
  { question: 'an upload is announced', entity: 'media-upload', by: 'PutItem', units: '1 WRU' },
  async (upload: Upload): Promise<void> => {
    await uploadEntity.put(upload);
  },
);

export const getUpload = pattern(
  { question: 'an announced upload', entity: 'media-upload', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: string): Promise<Upload | undefined> => uploadEntity.get({ companyId, id }, { consistent: true }),
);
