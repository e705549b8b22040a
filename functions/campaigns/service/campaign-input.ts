import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { audienceExists, type AudienceSource } from '../../contacts/service/audience.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { audienceTypes, StoredCampaign } from '../contract/stored.ts';
import { type GivenParameters, uncoveredPlaceholders } from '../domain/parameters.ts';

export type AudienceType = (typeof audienceTypes)[number];
export type FieldErrors = Record<string, string[]>;

/** What names an audience in a request. */
export type GivenAudience = { audience_type?: AudienceType | undefined } & Partial<Record<AudienceField, number | null | undefined>>;
type AudienceField = (typeof audienceFields)[number];
const audienceFields = ['group_id', 'tag_id', 'segment_id', 'contact_id'] as const;

/** The audience of a request (1§4, A39): its kind is inferred, and a field of another kind is prohibited. */
export const resolveAudience = async (
  companyId: number,
  given: GivenAudience,
): Promise<{ type: AudienceType; source: AudienceSource } | FieldErrors> => {
  const fields = audienceFields.flatMap((field) => (given[field] == null ? [] : [{ field, kind: kindOf(field), id: given[field] }]));
  const type = given.audience_type ?? fields[0]?.kind ?? 'all';
  const errors: FieldErrors = {};
  for (const { field, kind } of fields) if (kind !== type) errors[field] = [`Only with audience_type ${kind}.`];
  const named = fields.find(({ kind }) => kind === type);
  if (type !== 'all' && named === undefined) errors[`${type}_id`] = [`Required with audience_type ${type}.`];
  if (Object.keys(errors).length > 0) return errors;
  const source = named ? sourceOf(named) : { of: 'all' as const };
  return (await audienceExists(companyId, source)) ? { type, source } : { [`${type}_id`]: [`There is no such ${type}.`] };
};

const kindOf = (field: AudienceField): Exclude<AudienceType, 'all'> =>
  field === 'group_id' ? 'group' : field === 'tag_id' ? 'tag' : field === 'segment_id' ? 'segment' : 'contact';

const sourceOf = ({ kind, id }: { kind: Exclude<AudienceType, 'all'>; id: number }): AudienceSource => {
  if (kind === 'group') return { of: kind, groupId: id };
  if (kind === 'tag') return { of: kind, tagId: id };
  return kind === 'segment' ? { of: kind, segmentId: id } : { of: kind, contactId: id };
};

/** Whether a change names an audience. */
export const namesAudience = (given: GivenAudience): boolean =>
  given.audience_type !== undefined || audienceFields.some((field) => given[field] != null);

/** Of a request, only what names the audience. */
export const audienceFieldsOf = ({ audience_type, group_id, tag_id, segment_id, contact_id }: GivenAudience): GivenAudience => ({
  audience_type,
  group_id,
  tag_id,
  segment_id,
  contact_id,
});

/** The audience of a campaign as a request names it. */
export const givenAudienceOf = ({ audienceType, groupId, tagId, segmentId, contactId }: StoredCampaign): GivenAudience => ({
  audience_type: audienceType,
  group_id: groupId,
  tag_id: tagId,
  segment_id: segmentId,
  contact_id: contactId,
});

/** The audience as the campaign stores it; what belongs to another kind is cleared. */
export const storedAudience = ({ type, source }: { type: AudienceType; source: AudienceSource }) => ({
  audienceType: type,
  groupId: source.of === 'group' ? source.groupId : undefined,
  tagId: source.of === 'tag' ? source.tagId : undefined,
  segmentId: source.of === 'segment' ? source.segmentId : undefined,
  contactId: source.of === 'contact' ? source.contactId : undefined,
});

export const isFieldErrors = <T extends object>(value: T | FieldErrors): value is FieldErrors => !('source' in value) && !('id' in value);

/** The template of a request: it belongs to the company and is approved. */
export const resolveTemplate = async (companyId: number, id: number): Promise<StoredTemplate | FieldErrors> => {
  const template = await getTemplate(companyId, id);
  if (isProblem(template)) return { template_id: ['There is no such template.'] };
  return template.status === 'APPROVED' ? template : { template_id: [`The template is ${template.status}, not APPROVED.`] };
};

/** What of the template neither values nor contact fields can fill, as errors of the fields that could. */
export const parameterErrors = (template: StoredTemplate, given: GivenParameters): FieldErrors => {
  const needs = templateParameters(template);
  if (needs.isCarousel) return { template_id: ['Carousel templates cannot be sent by a campaign.'] };
  const errors: FieldErrors = {};
  for (const place of uncoveredPlaceholders(needs, given)) {
    if (place === 'header.media' && needs.media === 'location')
      errors['location'] = ['The template has a header of kind location: it needs a place.'];
    else if (place === 'header.media')
      errors['media_url'] = [`The template has a header of kind ${needs.media}: it needs a file of this kind.`];
    else (errors['paramvalues'] ??= []).push(`${placeName(place)} has no value: set paramvalues or parammatch.`);
  }
  return errors;
};

/** As the template shows it: `body.1` is variable {{1}} of the body. */
function placeName(place: string): string {
  const [part = '', name = ''] = place.split('.');
  return part === 'buttons' ? `The URL of button ${Number(name) + 1}` : `Variable {{${name}}} of the ${part}`;
}

export const audienceSourceOf = ({ audienceType, groupId, tagId, segmentId, contactId }: StoredCampaign): AudienceSource => {
  if (audienceType === 'group' && groupId !== undefined) return { of: 'group', groupId };
  if (audienceType === 'tag' && tagId !== undefined) return { of: 'tag', tagId };
  if (audienceType === 'segment' && segmentId !== undefined) return { of: 'segment', segmentId };
  if (audienceType === 'contact' && contactId !== undefined) return { of: 'contact', contactId };
  return { of: 'all' };
};

export const parametersOf = ({ values, match, mediaUrl, media, location }: StoredCampaign): GivenParameters => ({
  values,
  match,
  mediaUrl,
  media,
  location,
});

export const validationProblem = (errors: FieldErrors): Problem<'validation_failed'> => problem('validation_failed', { errors });
