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

/** Makes tag names unique, ignoring case (A22). */
export const tagNameEntity = entity({
  name: 'tag-name',
  purpose: 'Which tag has a name; unique by its key',
  attributes: z.object({ companyId: z.int(), normalized: z.string(), tagId: z.int() }),
  key: ({ companyId, normalized }: { companyId: number; normalized: string }) => ({ pk: `${tenant(companyId)}#TAGNAME`, sk: normalized }),
  idOf: ({ companyId, normalized }) => ({ companyId, normalized }),
  example: { pk: 'C#<company>#TAGNAME', sk: '<name, normalized>' },
});

export const getTag = pattern(
  { question: 'a tag by id', entity: 'tag', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<Tag | undefined> => tagEntity.get({ companyId, id }, { consistent: true }),
);

export const createTagAndName = pattern(
  { question: 'create a tag, unless its name is taken', entity: 'tag', by: 'TransactWriteItems', units: '4 WRU' },
  async (tag: Tag): Promise<boolean> => {
    const { companyId, id, name } = tag;
    const committed = await commit({
      tag: tagEntity.putting(tag, missing()),
      name: tagNameEntity.putting({ companyId, normalized: normalizedName(name), tagId: id }, missing()),
    });
    return committed.done;
  },
);

/** `taken`: another tag has the name. `changed`: the tag was changed or deleted since it was read. */
export const updateTagAndName = pattern(
  { question: 'change a tag, unless its name is taken', entity: 'tag', by: 'TransactWriteItems', units: '2-6 WRU' },
  async (before: Tag, after: Tag): Promise<'done' | 'taken' | 'changed'> => {
    const { companyId, id } = before;
    const [old, normalized] = [normalizedName(before.name), normalizedName(after.name)];
    const isSameName = old === normalized;
    const committed = await commit({
      tag: tagEntity.putting(after, equals('updatedAt', before.updatedAt)),
      newName: isSameName ? undefined : tagNameEntity.putting({ companyId, normalized, tagId: id }, missing()),
      oldName: isSameName ? undefined : tagNameEntity.deleting({ companyId, normalized: old }, equals('tagId', id)),
    });
    if (committed.done) return 'done';
    return committed.refused.tag ? 'changed' : 'taken';
  },
);

export const deleteTagAndName = pattern(
  { question: 'delete a tag', entity: 'tag', by: 'TransactWriteItems', units: '4 WRU' },
  async ({ companyId, id, name }: Tag): Promise<boolean> => {
    const committed = await commit({
      tag: tagEntity.deleting({ companyId, id }, equals('name', name)),
      name: tagNameEntity.deleting({ companyId, normalized: normalizedName(name) }, equals('tagId', id)),
    });
    return committed.done;
  },
);
