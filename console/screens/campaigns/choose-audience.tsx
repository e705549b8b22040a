import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Campaign } from '../../../client/client.ts';
import { SelectField } from '../../components/fields.tsx';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';

/** Who gets it, as the API takes it. */
export interface ChosenAudience {
  audience_type: 'all' | 'group' | 'tag' | 'segment';
  group_id?: number;
  tag_id?: number;
  segment_id?: number;
}
type Given = Pick<Campaign, 'audience_type' | 'group_id' | 'tag_id' | 'segment_id'>;

/** Who got a campaign, as the form has it; one contact is no choice of the form. */
export const audienceIn = (from: Given | undefined): ChosenAudience => {
  const type = from?.audience_type;
  if (from === undefined || type === undefined || type === 'all' || type === 'contact') return { audience_type: 'all' };
  return { audience_type: type, [`${type}_id`]: from[`${type}_id`] ?? undefined };
};

type Kind = ChosenAudience['audience_type'];

/** All contacts, or those of a group, a tag or a segment. */
export const CampaignAudience = ({
  chosen,
  onChoose,
}: {
  chosen: ChosenAudience;
  onChoose: (next: ChosenAudience) => void;
}): JSX.Element => {
  const text = useText(campaignsText);
  const staleTime = 5 * 60_000;
  const groups = useQuery({ ...read('listGroups', { query: { limit: 100 } }), staleTime }).data?.data.data ?? [];
  const tags = useQuery({ ...read('listTags'), staleTime }).data?.data ?? [];
  const segments = useQuery({ ...read('listSegments'), staleTime }).data?.data ?? [];
  const all: Readonly<Record<Exclude<Kind, 'all'>, readonly { id: number; name: string }[]>> = {
    group: groups,
    tag: tags,
    segment: segments,
  };
  const names: Readonly<Record<Kind, string>> = { all: text.toAll, group: text.toGroup, tag: text.toTag, segment: text.toSegment };
  const kinds = (['all', 'group', 'tag', 'segment'] as const).filter((kind) => kind === 'all' || all[kind].length > 0);
  const { audience_type: kind } = chosen;
  const chooseOne = (of: Exclude<Kind, 'all'>, id: number | undefined): void =>
    onChoose({ audience_type: of, ...(id === undefined ? {} : { [`${of}_id`]: id }) });
  return (
    <>
      <SelectField
        label={text.audience}
        value={kind}
        choices={kinds.map((each) => [each, names[each]] as const)}
        onText={(next) => (next === 'all' ? onChoose({ audience_type: 'all' }) : chooseOne(next, all[next][0]?.id))}
      />
      {kind !== 'all' && (
        <SelectField
          label={names[kind]}
          value={String(chosen[`${kind}_id`] ?? '')}
          choices={all[kind].map(({ id, name }) => [String(id), name] as const)}
          onText={(id) => chooseOne(kind, Number(id))}
        />
      )}
    </>
  );
};
