import { pattern } from '../../../shared/table/pattern.ts';
import { rawItems } from '../../../shared/table/query.ts';
import { groupPlace, labelsKey, labelsPer4Kb, tagPlace } from './label-key.ts';
import { type Group, groupEntity } from './group.ts';
import { type Tag, tagEntity } from './tag.ts';

export interface Labels {
  groups: Group[];
  tags: Tag[];
}

/**
 * Groups and tags by id, the cheaper way: by key at 0.5 RRU each, or the range that contains them at 0.5 RRU per 4 KB. Ids are dense, so
 * the distance between the ends bounds the size of the range.
 */
export const getLabels = pattern(
  { question: 'groups and tags by id', entity: 'group', by: 'Query', units: '0.5 RRU for the first 25 of both, or each, or per 4 KB' },
  async (companyId: number, groupIds: readonly number[], tagIds: readonly number[]): Promise<Labels> => {
    const [groups, tags] = [new Set(groupIds), new Set(tagIds)];
    if (groups.size > 0 && tags.size > 0 && Math.max(...groups) + Math.max(...tags) <= labelsPer4Kb)
      return wanted(await listStretch(companyId, groupPlace(Math.max(...groups)), tagPlace(Math.max(...tags))), groups, tags);
    const [foundGroups, foundTags] = await Promise.all([getGroupsByIds(companyId, groups), getTagsByIds(companyId, tags)]);
    return wanted({ groups: foundGroups, tags: foundTags }, groups, tags);
  },
);

/** Groups and tags, each sorted by id. */
export const listLabels = pattern(
  { question: 'all groups and tags of a company', entity: 'group', by: 'Query', units: '0.5 RRU per 4 KB (about 25 of both)' },
  (companyId: number): Promise<Labels> => listStretch(companyId, 'G#', 'T#~'),
);

/** Sorted by id. */
export const listAllGroups = pattern(
  { question: 'all groups of a company', entity: 'group', by: 'Query', units: '0.5 RRU per 4 KB (about 25 groups)' },
  async (companyId: number): Promise<Group[]> => (await listStretch(companyId, 'G#', 'G#~')).groups,
);

/** Sorted by id. */
export const listAllTags = pattern(
  { question: 'all tags of a company', entity: 'tag', by: 'Query', units: '0.5 RRU per 4 KB (about 25 tags)' },
  async (companyId: number): Promise<Tag[]> => (await listStretch(companyId, 'T#', 'T#~')).tags,
);

async function getGroupsByIds(companyId: number, ids: ReadonlySet<number>): Promise<Group[]> {
  if (!isStretch(ids)) return groupEntity.getMany([...ids].map((id) => ({ companyId, id })));
  return (await listStretch(companyId, groupPlace(Math.max(...ids)), groupPlace(Math.min(...ids)))).groups;
}

async function getTagsByIds(companyId: number, ids: ReadonlySet<number>): Promise<Tag[]> {
  if (!isStretch(ids)) return tagEntity.getMany([...ids].map((id) => ({ companyId, id })));
  return (await listStretch(companyId, tagPlace(Math.min(...ids)), tagPlace(Math.max(...ids)))).tags;
}

const isStretch = (ids: ReadonlySet<number>): boolean =>
  ids.size > 0 && ids.size > Math.ceil((Math.max(...ids) - Math.min(...ids) + 1) / labelsPer4Kb);

const wanted = ({ groups, tags }: Labels, groupIds: ReadonlySet<number>, tagIds: ReadonlySet<number>): Labels => ({
  groups: groups.filter(({ id }) => groupIds.has(id)),
  tags: tags.filter(({ id }) => tagIds.has(id)),
});

async function listStretch(companyId: number, from: string, to: string): Promise<Labels> {
  const items: Record<string, unknown>[] = [];
  for await (const item of rawItems({ pk: labelsKey(companyId), between: [from, to] })) items.push(item);
  const of = (kind: string) => items.filter((item) => item['kind'] === kind);
  return { groups: of(groupEntity.name).map(groupEntity.parse).toReversed(), tags: of(tagEntity.name).map(tagEntity.parse) };
}
