import { type FieldErrors, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { parseSchedule } from '../../../shared/runtime/schedule.ts';
import type { Audience } from '../../contacts/contract/audience.ts';
import { audienceExists } from '../../contacts/service/audience.ts';
import { isPublicLink } from '../../media/service/links.ts';
import { composeRecipientContent } from '../../messaging/service/campaign-recipients.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import type { AudienceKind } from '../domain/audience.ts';
import { type GivenParameters, sampleComponents, uncoveredPlaceholders } from '../domain/parameters.ts';

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
  const errors: FieldErrors = {};
  for (const place of uncoveredPlaceholders(needs, given)) {
    if (place === 'header.media' && needs.media === 'location')
      errors['location'] = ['The template has a header of kind location: it needs a place.'];
    else if (place === 'header.media')
      errors['media_url'] = [`The template has a header of kind ${needs.media}: it needs a file of this kind.`];
    else if (place === 'offer') errors['offer_ends_at'] = ['The template has a limited-time offer: it needs the time of its end.'];
    else if (place === 'products') errors['products'] = ['The template has a multi-product button: it needs products.'];
    else (errors['paramvalues'] ??= []).push(`${placeName(place)} has no value: set paramvalues or parammatch.`);
  }
  return { ...errors, ...misfitErrors(template, given) };
};

/**
 * What of the given values the template cannot be sent with, to any recipient: a message is composed with the values for all, so that no
 * recipient fails for what the request says. Values that only a contact has are checked when it is its turn.
 */
export const misfitErrors = (template: StoredTemplate, given: GivenParameters): FieldErrors => {
  const needs = templateParameters(template);
  const errors: FieldErrors = {};
  const count = needs.cards.length;
  for (const [field, map] of [['paramvalues', given.values] as const, ['parammatch', given.match] as const]) {
    const stray = Object.keys(map.cards ?? {}).find((index) => Number(index) >= count);
    if (stray !== undefined)
      errors[field] = [count === 0 ? 'The template has no cards.' : `The template has ${count} cards: there is no card ${stray}.`];
  }
  if (given.offerEndsAt !== undefined && !needs.offer) errors['offer_ends_at'] = ['The template has no limited-time offer that ends.'];
  if (given.products && needs.productButton === undefined) errors['products'] = ['The template has no multi-product button.'];
  if (given.mediaUrl !== undefined && !isPublicLink(given.mediaUrl)) errors['media_url'] = ['Must be a URL on the public internet.'];
  const composed = composeRecipientContent(template, sampleComponents(needs, { ...given, mediaUrl: undefined }));
  const reasons = composed.ok ? [] : Object.values(composed.errors).flat();
  return reasons.length === 0 ? errors : { ...errors, paramvalues: [...(errors['paramvalues'] ?? []), ...reasons] };
};

/** As the template shows it: `body.1` is variable {{1}} of the body, `cards.0.header.link` the file of its first card. */
function placeName(place: string): string {
  const [first = '', ...rest] = place.split('.');
  const [part = '', name = ''] = first === 'cards' ? rest.slice(1) : [first, ...rest];
  const card = first === 'cards' ? ` of card ${Number(rest[0]) + 1}` : '';
  if (card !== '' && part === 'header') return `${cardHeaders[name] ?? name}${card} (cards.${rest[0]}.header.${name})`;
  return part === 'buttons' ? `The value of button ${Number(name) + 1}${card}` : `Variable {{${name}}} of the ${part}${card}`;
}

const cardHeaders: Readonly<Record<string, string>> = {
  link: 'The picture or video',
  product_id: 'The product',
  catalog_id: 'The catalog of the product',
};

export const parametersOf = (campaign: StoredCampaign): GivenParameters => {
  const { values, match, mediaUrl, media, location, offerEndsAt, products } = campaign;
  return { values, match, mediaUrl, media, location, offerEndsAt, products };
};

/** The end of the offer in a request: in the future, and after the campaign begins. */
export const parseOfferEnd = (value: string | undefined, timezone: string, { nowMs, startMs }: { nowMs: number; startMs: number }) => {
  if (value === undefined) return { value: undefined };
  const end = parseSchedule(value, timezone, nowMs);
  if (end.when === 'never') return { errors: { offer_ends_at: [end.reason] } };
  return end.when === 'now' || end.atMs <= startMs
    ? { errors: { offer_ends_at: ['Must be after the campaign begins.'] } }
    : { value: end.atMs };
};

export const validationProblem = (errors: FieldErrors): Problem<'validation_failed'> => problem('validation_failed', { errors });
