import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

export const blockEntity = entity({
  name: 'verification-block',
  purpose: 'A block as the company sees it; the block itself is in the request budget, source or prefix that it names',
  attributes: z.object({
    companyId: z.int(),
    id: z.string(),
    profileId: z.string(),
    subjectKind: z.enum(['identifier', 'ip', 'prefix']),
    reason: z.string(),
    /** The identifier's hash, the source's address, or the prefix. */
    subject: z.string(),
    /** Of an identifier that is blocked for one source alone: its address. */
    address: z.string().optional(),
    /** As the API shows it; an identifier is masked. */
    shown: z.string(),
    createdAt: z.int(),
    blockedUntil: z.int(),
  }),
  renamed: { kind: 'subjectKind' },
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: `${tenant(companyId)}#V#BLOCKS`, sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ blockedUntil }) => Math.ceil(blockedUntil / 1_000),
  personalData: 'a keyed hash or a masked identifier, address of a caller',
  endsBy: 'expiry, at the end of the block',
  example: { pk: 'C#<company>#V#BLOCKS', sk: '<hash of profile, kind and subject>' },
});
export type Block = ItemOf<typeof blockEntity>;

export const putBlock = pattern(
  { question: 'record a block', entity: 'verification-block', by: 'PutItem', units: '1 WRU' },
  async (block: Block): Promise<void> => {
    await blockEntity.put(block);
  },
);

export const getBlock = pattern(
  { question: 'a block by id', entity: 'verification-block', by: 'GetItem', units: '1 RRU, read consistently' },
  (companyId: number, id: string): Promise<Block | undefined> => blockEntity.get({ companyId, id }, { consistent: true }),
);

export const listBlocks = pattern(
  { question: 'the blocks of a company, a page', entity: 'verification-block', by: 'Query', units: '0.5 RRU for about 12' },
  async (companyId: number, afterId: string | undefined, limit: number): Promise<{ items: Block[]; last: string | undefined }> => {
    const after = afterId === undefined ? undefined : blockEntity.key({ companyId, id: afterId });
    const { items, last } = await blockEntity.query({ pk: `${tenant(companyId)}#V#BLOCKS`, after: after && { ...after }, limit });
    return { items, last: last && String(last['sk']) };
  },
);

export const deleteBlock = pattern(
  { question: 'end a block', entity: 'verification-block', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: string): Promise<void> => {
    await blockEntity.delete({ companyId, id });
  },
);
