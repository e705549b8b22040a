import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { type AudienceSource, contactIsThere, groupExists } from '../../contacts/service/audience.ts';
import { templateNeeds } from '../../messaging/service/campaign-sends.ts';
import { readTemplate } from '../../messaging/service/templates.ts';
import type { StoredTemplate } from '../../messaging/contract/template-stored.ts';
import type { audienceTypes, StoredCampaign } from '../contract/stored.ts';
import { type GivenParameters, uncovered } from '../domain/parameters.ts';

export type AudienceType = (typeof audienceTypes)[number];
export type Errors = Record<string, string[]>;

/** The audience as asked for (1§4, A39): its kind is inferred, and a field of another kind is prohibited. */
export const audienceAsked = async (
  companyId: number,
  given: { audience_type?: AudienceType | undefined; group_id?: number | null | undefined; contact_id?: number | null | undefined },
): Promise<{ type: AudienceType; source: AudienceSource } | Errors> => {
  const groupId = given.group_id ?? undefined;
  const contactId = given.contact_id ?? undefined;
  const type = given.audience_type ?? (groupId !== undefined ? 'group' : contactId !== undefined ? 'contact' : 'all');
  const errors: Errors = {};
  if (groupId !== undefined && type !== 'group') errors['group_id'] = ['Only with audience_type group.'];
  if (contactId !== undefined && type !== 'contact') errors['contact_id'] = ['Only with audience_type contact.'];
  if (type === 'group' && groupId === undefined) errors['group_id'] = ['Required with audience_type group.'];
  if (type === 'contact' && contactId === undefined) errors['contact_id'] = ['Required with audience_type contact.'];
  if (Object.keys(errors).length > 0) return errors;
  if (groupId !== undefined)
    return (await groupExists(companyId, groupId)) ? { type, source: { of: 'group', groupId } } : { group_id: ['There is no such group.'] };
  if (contactId !== undefined)
    return (await contactIsThere(companyId, contactId))
      ? { type, source: { of: 'contact', contactId } }
      : { contact_id: ['There is no such contact.'] };
  return { type, source: { of: 'all' } };
};

export const isErrors = <T extends object>(value: T | Errors): value is Errors => !('source' in value) && !('id' in value);

/** The template as asked for: ours, approved. */
export const templateAsked = async (companyId: number, id: number): Promise<StoredTemplate | Errors> => {
  const template = await readTemplate(companyId, id);
  if (isProblem(template)) return { template_id: ['There is no such template.'] };
  return template.status === 'APPROVED' ? template : { template_id: [`The template is ${template.status}, not APPROVED.`] };
};

/** What of the template neither values nor contact fields can fill, as errors of the fields that could. */
export const parameterErrors = (template: StoredTemplate, given: GivenParameters): Errors => {
  const needs = templateNeeds(template);
  if (needs.isCarousel) return { template_id: ['Carousel templates cannot be sent by a campaign.'] };
  const errors: Errors = {};
  for (const place of uncovered(needs, given)) {
    if (place === 'header.media') errors['media_url'] = [`The template has a header of kind ${needs.media}: it needs a file of this kind.`];
    else (errors['paramvalues'] ??= []).push(`The placeholder ${place} is covered by neither paramvalues nor parammatch.`);
  }
  return errors;
};

export const sourceOf = ({ audienceType, groupId, contactId }: StoredCampaign): AudienceSource => {
  if (audienceType === 'group' && groupId !== undefined) return { of: 'group', groupId };
  if (audienceType === 'contact' && contactId !== undefined) return { of: 'contact', contactId };
  return { of: 'all' };
};

export const givenBy = ({ values, match, mediaUrl, media }: StoredCampaign): GivenParameters => ({ values, match, mediaUrl, media });

export const refusedBy = (errors: Errors): Problem<'validation_failed'> => problem('validation_failed', { errors });
