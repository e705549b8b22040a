import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import { renderContent, type RenderedContent } from '../../messaging/service/render-content.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { RenderInput } from '../contract/render.ts';
import { buildComponents } from '../domain/parameters.ts';
import { parseOfferEnd } from './campaign-input.ts';
import { contactFieldReader } from './eligibility.ts';

/** What a send of a template would say, filled and checked by the same code as a send or a campaign. Nothing is sent. 1 RRU, and 1 for the contact. */
export const renderTemplate = async (
  companyId: number,
  id: number,
  { contact_id: contactId, components, paramvalues, parammatch, media_url: mediaUrl, location, offer_ends_at, products }: RenderInput,
): Promise<({ template_id: number } & RenderedContent) | Problem<'not_found' | 'validation_failed'>> => {
  const [template, contacts] = await Promise.all([
    getTemplate(companyId, id),
    contactId === undefined ? undefined : getLiveContacts(companyId, [contactId]),
  ]);
  if (isProblem(template)) return template;
  const contact = contactId === undefined ? undefined : contacts?.get(contactId);
  if (contactId !== undefined && !contact) return invalid('contact_id', 'There is no such contact.');
  const read = contact ? contactFieldReader(contact) : () => undefined;
  const offerEnd = parseOfferEnd(offer_ends_at, 'UTC', { nowMs: now(), startMs: now() });
  if ('errors' in offerEnd) return problem('validation_failed', offerEnd);
  const given = { values: paramvalues ?? {}, match: parammatch ?? {}, mediaUrl, location, offerEndsAt: offerEnd.value, products };
  const filled = components ? { components } : buildComponents(templateParameters(template), given, read);
  if ('missing' in filled) return invalid('paramvalues', `Values are missing for ${filled.missing.join(', ')}.`);
  const result = renderContent(template, filled.components);
  if ('errors' in result) return problem('validation_failed', { errors: result.errors });
  return { template_id: id, ...result };
};
