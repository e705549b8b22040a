import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { readByIds } from './range.ts';

/** A company's tags lie in one partition: at most 1,000. */
export const tagEntity = entity({
  name: 'tag',
  purpose: 'A tag; contacts carry its id',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    name: z.string(),
    /** `#RRGGBB`. */
    color: z.string(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#TAG`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#TAG', sk: '<id, 16 digits>' },
});
export type Tag = ItemOf<typeof tagEntity>;

export const findTags = pattern(
  { asks: 'several tags by id', entity: 'tag', by: 'BatchGetItem', units: '0.5 RRU each, or per 4 KB of the stretch of ids' },
  (companyId: number, ids: readonly number[]): Promise<Tag[]> => readByIds(tagEntity, companyId, ids),
);
