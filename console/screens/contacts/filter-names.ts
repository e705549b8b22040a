import { useQuery } from '@tanstack/react-query';
import { read } from '../../data/queries.ts';
import type { FilterNames } from './filter-words.ts';

const staleTime = 5 * 60_000;

/** What groups, tags, segments and own fields of the company there are. */
export const useLabels = () => {
  const groups = useQuery({ ...read('listGroups', { query: { limit: 100 } }), staleTime }).data?.data.data ?? [];
  const tags = useQuery({ ...read('listTags'), staleTime }).data?.data ?? [];
  const segments = useQuery({ ...read('listSegments'), staleTime }).data?.data ?? [];
  const fields = (useQuery({ ...read('listFields'), staleTime }).data?.data ?? []).filter(({ is_active }) => is_active);
  const byId = (all: readonly { id: number; name: string }[]) => new Map(all.map(({ id, name }) => [id, name] as const));
  const names: FilterNames = {
    groups: byId(groups),
    tags: byId(tags),
    fields: new Map(fields.map(({ key, name }) => [key, name] as const)),
  };
  return { groups, tags, segments, fields, names };
};
