import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { contactExists } from '../../contacts/service.ts';
import { type AudienceSource, groupExists } from '../../contacts/service/audience.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { audienceTypes, StoredCampaign } from '../contract/stored.ts';
import { type GivenParameters, uncoveredPlaceholders } from '../domain/parameters.ts';

export type AudienceType = (typeof audienceTypes)[number];
export type FieldErrors = Record<string, string[]>;

/** The audience of a request (1§4, A39): its kind is inferred, and a field of another kind is prohibited. */
export const resolveAudience = async (
  companyId: number,
  given: { audience_type?: AudienceType | undefined; group_id?: number | null | undefined; contact_id?: number | null | undefined },
): Promise<{ type: AudienceType; source: AudienceSource } | FieldErrors> => {
  const groupId = given.group_id ?? undefined;
  const contactId = given.contact_id ?? undefined;
  const type = given.audience_type ?? (groupId !== undefined ? 'group' : contactId !== undefined ? 'contact' : 'all');
  const errors: FieldErrors = {};
  if (groupId !== undefined && type !== 'group') errors['group_id'] = ['Only with audience_type group.'];
  if (contactId !== undefined && type !== 'contact') errors['contact_id'] = ['Only with audience_type contact.'];
  if (type === 'group' && groupId === undefined) errors['group_id'] = ['Required with audience_type group.'];
  if (type === 'contact' && contactId === undefined) errors['contact_id'] = ['Required with audience_type contact.'];
  if (Object.keys(errors).length > 0) return errors;
  if (groupId !== undefined)
    return (await groupExists(companyId, groupId)) ? { type, source: { of: 'group', groupId } } : { group_id: ['There is no such group.'] };
  if (contactId !== undefined)
    return (await contactExists(companyId, contactId))
      ? { type, source: { of: 'contact', contactId } }
      : { contact_id: ['There is no such contact.'] };
  return { type, source: { of: 'all' } };
};

/** The audience as the campaign stores it; what belongs to another kind is cleared. */
export const storedAudience = ({ type, source }: { type: AudienceType; source: AudienceSource }) => ({
  audienceType: type,
  groupId: 'groupId' in source ? source.groupId : undefined,
  contactId: 'contactId' in source ? source.contactId : undefined,
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
    else (errors['paramvalues'] ??= []).push(`The placeholder ${place} is covered by neither paramvalues nor parammatch.`);
  }
  return errors;
};

export const audienceSourceOf = ({ audienceType, groupId, contactId }: StoredCampaign): AudienceSource => {
  if (audienceType === 'group' && groupId !== undefined) return { of: 'group', groupId };
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
