import { type FieldErrors, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Audience } from '../../contacts/contract/audience.ts';
import { audienceExists } from '../../contacts/service/audience.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import type { AudienceKind } from '../domain/audience.ts';
import { type GivenParameters, uncoveredPlaceholders } from '../domain/parameters.ts';

/** A part of a request: what it says, or which of its fields are wrong. */
export type Checked<T> = { value: T } | { errors: FieldErrors };

export const errorsOf = (checked: Checked<unknown>): FieldErrors => ('errors' in checked ? checked.errors : {});

/** What names an audience in a request. */
export type GivenAudience = { audience_type?: Audience['of'] | undefined } & Partial<Record<AudienceField, number | null | undefined>>;
type AudienceField = `${AudienceKind}_id`;
const audienceKinds: readonly AudienceKind[] = ['group', 'tag', 'segment', 'contact'];

/** The audience of a request: its kind is inferred, and a field of another kind is prohibited. */
export const resolveAudience = async (companyId: number, given: GivenAudience): Promise<Checked<Audience>> => {
  const named = audienceKinds.flatMap((of) => {
    const id = given[`${of}_id`];
    return id == null ? [] : [{ of, id }];
  });
  const type = given.audience_type ?? named[0]?.of ?? 'all';
  const audience: Audience | undefined = type === 'all' ? { of: type } : named.find(({ of }) => of === type);
  const errors: FieldErrors = {};
  for (const { of } of named) if (of !== type) errors[`${of}_id`] = [`Only with audience_type ${of}.`];
  if (!audience) errors[`${type}_id`] = [`Required with audience_type ${type}.`];
  if (!audience || Object.keys(errors).length > 0) return { errors };
  return (await audienceExists(companyId, audience)) ? { value: audience } : { errors: { [`${type}_id`]: [`There is no such ${type}.`] } };
};

/** Whether a request names an audience. */
export const namesAudience = (given: GivenAudience): boolean =>
  given.audience_type !== undefined || audienceKinds.some((of) => given[`${of}_id`] != null);

/** The template of a request: it belongs to the company and is approved. */
export const resolveTemplate = async (companyId: number, id: number): Promise<Checked<StoredTemplate>> => {
  const template = await getTemplate(companyId, id);
  if (isProblem(template)) return { errors: { template_id: ['There is no such template.'] } };
  if (template.status === 'APPROVED') return { value: template };
  return { errors: { template_id: [`The template is ${template.status}, not APPROVED.`] } };
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

export const parametersOf = ({ values, match, mediaUrl, media, location }: StoredCampaign): GivenParameters => ({
  values,
  match,
  mediaUrl,
  media,
  location,
});

export const validationProblem = (errors: FieldErrors): Problem<'validation_failed'> => problem('validation_failed', { errors });
