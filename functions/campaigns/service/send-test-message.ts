import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { getCompany } from '../../account/service/companies.ts';
import { listActiveNumbers } from '../../account/service/numbers.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import { composeRecipientContent } from '../../messaging/service/campaign-recipients.ts';
import { selectFrom } from '../../messaging/service/select-number.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import type { TestMessageInput, TestMessageResult } from '../contract/test-message.ts';
import { buildComponents } from '../domain/parameters.ts';
import { readAttachment } from './attachment.ts';
import { errorsOf, parameterErrors, parseOfferEnd, resolveTemplate, validationProblem } from './campaign-input.ts';
import { contactFieldReader } from './eligibility.ts';
import { createTestMessage, recipientOf, recipientProblem, type SendContext, testMedia } from './single-recipient.ts';

type TestProblem = Problem<
  | 'validation_failed'
  | 'recipient_opted_out'
  | 'recipient_blocked'
  | 'plan_limit_reached'
  | 'number_missing'
  | 'rate_limited'
  | 'spend_limit_reached'
  | 'price_unknown'
>;

/**
 * POST /campaigns/test: what createCampaign would send, to one recipient and before there is a campaign: checked as there, filled as at its
 * turn. Named by the operation, so that a repetition finds its message.
 */
export const sendTestMessage = async (
  companyId: number,
  input: TestMessageInput,
  context: SendContext,
): Promise<TestMessageResult | TestProblem> => {
  const phone = input.phone === undefined ? undefined : await readCompanyPhone(companyId, input.phone);
  if (phone && !phone.ok) return invalid('phone', phone.reason);
  const [refused, found, company, numbers, attachment] = await Promise.all([
    context.admit(),
    resolveTemplate(companyId, input.template_id),
    getCompany(companyId),
    listActiveNumbers(companyId),
    readAttachment(companyId, input),
  ]);
  if (refused) return refused;
  const startMs = context.startedAt;
  const offerEnd = parseOfferEnd(input.offer_ends_at, company?.timezone ?? 'UTC', { nowMs: startMs, startMs });
  if ('errors' in found || 'errors' in attachment || 'errors' in offerEnd)
    return validationProblem({ ...errorsOf(found), ...errorsOf(attachment), ...errorsOf(offerEnd) });
  const template = found.value;
  const number = await selectFrom(companyId, numbers, { numberId: input.number_id, template });
  if (!number) return problem('number_missing');
  if (isProblem(number)) return number;
  const { paramvalues: values = {}, parammatch: match = {}, media_url: mediaUrl, location, products } = input;
  const given = { values, match, mediaUrl, media: attachment.value?.media, location, offerEndsAt: offerEnd.value, products };
  const missing = parameterErrors(template, given);
  if (Object.keys(missing).length > 0) return validationProblem(missing);
  const contact = await recipientOf(companyId, phone?.digits, input.contact_id);
  if (isProblem(contact)) return contact;
  const excluded = recipientProblem(contact, template, phone ? 'phone' : 'contact_id');
  if (excluded) return excluded;
  const media = given.media && (await testMedia(number, given.media));
  if (media === 'unavailable') return problem('rate_limited', { retryAfterSeconds: 5 });
  if (media === 'refused') return invalid('media_id', 'The provider does not accept this file.');
  const filled = buildComponents(templateParameters(template), { ...given, media }, contactFieldReader(contact));
  if ('missing' in filled) return invalid('paramvalues', `This contact has no value for ${filled.missing.join(', ')}: give a fallback.`);
  const composition = composeRecipientContent(template, filled.components);
  if (!composition.ok) return invalid('paramvalues', Object.values(composition.errors).flat()[0] ?? 'Does not fit the template.');
  const messageId = await createTestMessage({ contact, number, template, content: composition.message }, context);
  return isProblem(messageId) ? messageId : { message_id: messageId, contact_id: contact.id };
};
