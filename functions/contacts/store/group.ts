import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { normalizedName } from '../domain/group.ts';
import { groupPlace, labelsKey } from './label-key.ts';

/** A company has at most 500. */
export const groupEntity = entity({
  name: 'group',
  purpose: 'A group of contacts; its contacts carry its id',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    name: z.string(),
    contactsCount: z.int().default(0),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: labelsKey(companyId), sk: groupPlace(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#LABEL', sk: 'G#<2^53 - 1 - id, 16 digits>' },
});
export type Group = ItemOf<typeof groupEntity>;

/** Makes group names unique, ignoring case (A19). */
export const groupNameEntity = entity({
  name: 'group-name',
  purpose: 'Which group has a name; unique by its key',
  attributes: z.object({ companyId: z.int(), normalized: z.string(), groupId: z.int() }),
  key: ({ companyId, normalized }: { companyId: number; normalized: string }) => ({ pk: `${tenant(companyId)}#GROUPNAME`, sk: normalized }),
  idOf: ({ companyId, normalized }) => ({ companyId, normalized }),
  example: { pk: 'C#<company>#GROUPNAME', sk: '<name, normalized>' },
});

export const getGroups = pattern(
  { question: 'groups by id', entity: 'group', by: 'BatchGetItem', units: '0.5 RRU each' },
  (companyId: number, ids: readonly number[]): Promise<Group[]> => groupEntity.getMany(ids.map((id) => ({ companyId, id }))),
);

/** Ids by normalized name; unknown names are left out. */
export const getGroupIdsByName = pattern(
  { question: 'groups by name', entity: 'group-name', by: 'BatchGetItem', units: '0.5 RRU each' },
  async (companyId: number, names: readonly string[]): Promise<Map<string, number>> => {
    const keys = names.map((name) => ({ companyId, normalized: normalizedName(name) }));
    return new Map((await groupNameEntity.getMany(keys)).map(({ normalized, groupId }) => [normalized, groupId]));
  },
);

/** `taken`: another group has the name. `missing`: the group was deleted or renamed. Leaves the projected count unchanged. */
export const updateGroupName = pattern(
  { question: 'rename a group, unless the name is taken', entity: 'group', by: 'TransactWriteItems', units: '2-6 WRU' },
  async (before: Group, name: string, at: number): Promise<'done' | 'taken' | 'missing'> => {
    const { companyId, id } = before;
    const [old, normalized] = [normalizedName(before.name), normalizedName(name)];
    const isSameName = old === normalized;
    const committed = await commit({
      group: groupEntity.changing({ companyId, id }, { set: { name, updatedAt: at } }, equals('name', before.name)),
      newName: isSameName ? undefined : groupNameEntity.putting({ companyId, normalized, groupId: id }, missing()),
      oldName: isSameName ? undefined : groupNameEntity.deleting({ companyId, normalized: old }, equals('groupId', id)),
    });
    if (committed.done) return 'done';
    return committed.refused.group ? 'missing' : 'taken';
  },
);

/** False: the group was deleted or renamed since it was read. */
export const deleteGroupAndName = pattern(
  { question: 'delete a group', entity: 'group', by: 'TransactWriteItems', units: '4 WRU' },
  async ({ companyId, id, name }: Group): Promise<boolean> => {
    const committed = await commit({
      group: groupEntity.deleting({ companyId, id }, equals('name', name)),
      name: groupNameEntity.deleting({ companyId, normalized: normalizedName(name) }, equals('groupId', id)),
    });
    return committed.done;
  },
);

export const getGroup = pattern(
  { question: 'a group by id', entity: 'group', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<Group | undefined> => groupEntity.get({ companyId, id }, { consistent: true }),
);

/** Creates the group and returns its id, or returns the id of the existing group with that name. */
export const getOrCreateGroupId = pattern(
  { question: 'create a group, unless its name is taken', entity: 'group', by: 'TransactWriteItems', units: '4 WRU' },
  async (companyId: number, id: number, name: string, at: number): Promise<number> => (await getOrCreateGroup(companyId, id, name, at)).id,
);

export const getOrCreateGroup = pattern(
  { question: 'create a group, or find the one that has its name', entity: 'group', by: 'TransactWriteItems', units: '4 WRU' },
  async (companyId: number, id: number, name: string, at: number): Promise<{ id: number; created: boolean }> => {
    const normalized = normalizedName(name);
    const committed = await commit({
      group: groupEntity.putting(
        { companyId, id, name, contactsCount: 0, rev: 0, checkpoints: {}, createdAt: at, updatedAt: at },
        missing(),
      ),
      name: groupNameEntity.putting({ companyId, normalized, groupId: id }, missing()),
    });
    if (committed.done) return { id, created: true };
    const existing = committed.refused.name?.current;
    if (!existing) throw new Error('A group id was assigned twice.');
    return { id: existing.groupId, created: false };
  },
);
