import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { normalizedName } from '../domain/group.ts';
import { labelsKey, tagPlace } from './label-key.ts';

/** A company has at most 1,000. */
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
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: labelsKey(companyId), sk: tagPlace(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#LABEL', sk: 'T#<id, 16 digits>' },
});
export type Tag = ItemOf<typeof tagEntity>;

/** Keeps tag names unique without case (A22). */
export const tagNameEntity = entity({
  name: 'tag-name',
  purpose: 'Which tag has a name; unique by its key',
  attributes: z.object({ companyId: z.int(), folded: z.string(), tagId: z.int() }),
  key: ({ companyId, folded }: { companyId: number; folded: string }) => ({ pk: `${tenant(companyId)}#TAGNAME`, sk: folded }),
  idOf: ({ companyId, folded }) => ({ companyId, folded }),
  example: { pk: 'C#<company>#TAGNAME', sk: '<name, case-folded>' },
});

export const getTag = pattern(
  { question: 'a tag by id', entity: 'tag', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<Tag | undefined> => tagEntity.get({ companyId, id }, { consistent: true }),
);

export const createTagAndName = pattern(
  { question: 'create a tag, unless its name is taken', entity: 'tag', by: 'TransactWriteItems', units: '4 WRU' },
  async (tag: Tag): Promise<boolean> => {
    const { companyId, id, name } = tag;
    const committed = await commit([
      tagEntity.putting(tag, missing()),
      tagNameEntity.putting({ companyId, folded: normalizedName(name), tagId: id }, missing()),
    ]);
    return committed.done;
  },
);

/** `taken`: another tag has the name; `changed`: the tag changed or went since it was read. */
export const updateTagAndName = pattern(
  { question: 'change a tag, unless its name is taken', entity: 'tag', by: 'TransactWriteItems', units: '2-6 WRU' },
  async (before: Tag, after: Tag): Promise<'done' | 'taken' | 'changed'> => {
    const { companyId, id } = before;
    const [old, folded] = [normalizedName(before.name), normalizedName(after.name)];
    const committed = await commit([
      tagEntity.putting(after, equals('updatedAt', before.updatedAt)),
      ...(old === folded
        ? []
        : [
            tagNameEntity.putting({ companyId, folded, tagId: id }, missing()),
            tagNameEntity.deleting({ companyId, folded: old }, equals('tagId', id)),
          ]),
    ]);
    if (committed.done) return 'done';
    return committed.refused.some(({ index }) => index === 0) ? 'changed' : 'taken';
  },
);

export const deleteTagAndName = pattern(
  { question: 'delete a tag', entity: 'tag', by: 'TransactWriteItems', units: '4 WRU' },
  async ({ companyId, id, name }: Tag): Promise<boolean> => {
    const committed = await commit([
      tagEntity.deleting({ companyId, id }, equals('name', name)),
      tagNameEntity.deleting({ companyId, folded: normalizedName(name) }, equals('tagId', id)),
    ]);
    return committed.done;
  },
);
