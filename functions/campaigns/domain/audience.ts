import type { Audience } from '../../contacts/contract/audience.ts';
import type { StoredCampaign } from '../contract/stored.ts';

/** The table holds an audience as its kind, and its id under a name of the kind. Only this file reads and writes these attributes. */
type StoredAudience = Pick<StoredCampaign, 'audienceType' | 'groupId' | 'tagId' | 'segmentId' | 'contactId'>;

export const audienceOf = ({ audienceType, groupId, tagId, segmentId, contactId }: StoredAudience): Audience => {
  if (audienceType === 'all') return { of: 'all' };
  const id = { group: groupId, tag: tagId, segment: segmentId, contact: contactId }[audienceType];
  if (id === undefined) throw new Error(`A campaign to a ${audienceType} names none.`);
  return { of: audienceType, id };
};

/** The id of any other kind is removed. */
export const storedAudience = (audience: Audience): StoredAudience => {
  const ids = { groupId: undefined, tagId: undefined, segmentId: undefined, contactId: undefined };
  return { audienceType: audience.of, ...ids, ...(audience.of === 'all' ? {} : { [`${audience.of}Id`]: audience.id }) };
};

/** The fields of the API that name an audience. */
export interface AudienceFields extends Partial<Record<`${AudienceKind}_id`, number>> {
  audience_type: Audience['of'];
}
export type AudienceKind = Exclude<Audience['of'], 'all'>;

export const audienceFields = (audience: Audience): AudienceFields => ({
  audience_type: audience.of,
  ...(audience.of === 'all' ? {} : { [`${audience.of}_id`]: audience.id }),
});
