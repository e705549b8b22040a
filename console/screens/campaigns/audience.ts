import { useQuery } from '@tanstack/react-query';
import type { Campaign } from '../../../client/client.ts';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';

type Audience = Pick<Campaign, 'audience_type' | 'group_id' | 'tag_id' | 'segment_id'>;

/** Whom campaigns are for, with the names of their groups, tags and segments; one that is gone has the kind alone. */
export const useAudienceNames = (campaigns: readonly Audience[]): ((of: Audience) => string) => {
  const text = useText(campaignsText);
  const isThere = (type: Campaign['audience_type']): boolean => campaigns.some(({ audience_type: each }) => each === type);
  const staleTime = 5 * 60_000;
  const groups = useQuery({ ...read('listGroups', { query: { limit: 100 } }), staleTime, enabled: isThere('group') }).data?.data.data;
  const tags = useQuery({ ...read('listTags'), staleTime, enabled: isThere('tag') }).data?.data;
  const segments = useQuery({ ...read('listSegments'), staleTime, enabled: isThere('segment') }).data?.data;
  const nameIn = (all: readonly { id: number; name: string }[] | undefined, id: number | null): string | undefined =>
    all?.find((each) => each.id === id)?.name;
  return ({ audience_type: type, group_id: group, tag_id: tag, segment_id: segment }) =>
    ({
      all: text.toAll,
      group: nameIn(groups, group) ?? text.toGroup,
      tag: nameIn(tags, tag) ?? text.toTag,
      segment: nameIn(segments, segment) ?? text.toSegment,
      contact: text.toContact,
    })[type];
};
