import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

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
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: tagsKey(companyId), sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#TAG', sk: '<id, 16 digits>' },
});
export type Tag = ItemOf<typeof tagEntity>;

export const findTags = pattern(
  { asks: 'several tags by id', entity: 'tag', by: 'BatchGetItem', units: '0.5 RRU each' },
  (companyId: number, ids: readonly number[]): Promise<Tag[]> => tagEntity.getMany(ids.map((id) => ({ companyId, id }))),
);

export const listTags = pattern(
  { asks: 'all tags of a company', entity: 'tag', by: 'Query', units: '0.5 RRU per 4 KB (about 30 tags)' },
  async (companyId: number): Promise<Tag[]> => {
    const tags: Tag[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await tagEntity.query({ pk: tagsKey(companyId), after });
      tags.push(...page.items);
      after = page.last;
    } while (after);
    return tags;
  },
);

const tagsKey = (companyId: number): string => `${tenant(companyId)}#TAG`;
