import { normalizedName } from '../domain/group.ts';
import { getGroupIdsByName } from '../store/group.ts';
import { getLabels } from '../store/label.ts';

/**
 * Ids of the groups that texts name, by normalized name; unknown ones are left out. A number that is the name of no group is the id of one (A5):
 * forms, queries and files can only send text. 0.5 RRU each, for such a number twice.
 */
export const findGroupIds = async (companyId: number, names: readonly string[]): Promise<Map<string, number>> => {
  const byName = await getGroupIdsByName(companyId, names);
  const ids = names
    .map(normalizedName)
    .filter((name) => /^[1-9][0-9]{0,15}$/.test(name) && !byName.has(name))
    .map(Number)
    .filter(Number.isSafeInteger);
  if (ids.length === 0) return byName;
  const { groups } = await getLabels(companyId, ids, []);
  return new Map([...byName, ...groups.map(({ id }) => [String(id), id] as const)]);
};
