import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { listActiveNumbers } from '../../account/service/numbers.ts';
import { ensureContact } from '../../contacts/service.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import { createWaitingRecipient, composeRecipientContent } from '../../messaging/service/campaign-recipients.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { SendInput } from '../contract/message.ts';
import { buildComponents } from '../domain/parameters.ts';
import { hasId, spanOf } from '../domain/template-reach.ts';
import { createRecipientBatch, getTemplateReach } from '../store/recipient-batch.ts';
import { getCampaign } from '../store/campaign.ts';
import { parametersOf } from './campaign-input.ts';
import { recordTemplateReach } from './select-recipients.ts';
import { exclusionReasonOf, contactFieldReader } from './eligibility.ts';

export interface SendToContactResult {
  message_id: number;
  message_wamid: null;
  campaign_id: number;
  contact_id: number;
  queue_state: 'scheduled' | 'held';
}

type SendToContactProblem = Problem<
  | 'validation_failed'
  | 'not_found'
  | 'recipient_opted_out'
  | 'plan_limit_reached'
  | 'number_missing'
  | 'template_not_approved'
  | 'rate_limited'
>;

/**
 * POST /campaigns/send (A46): a block of one, from which the order follows, and its row. Both are named by the operation, so that a repetition
 * finds its own. While the campaign is paused it is held.
 */
export const sendToContact = async (
  companyId: number,
  input: SendInput,
  context: { operationId: string; startedAt: number; admit: () => Promise<Problem<'rate_limited'> | undefined> },
): Promise<SendToContactResult | SendToContactProblem> => {
  const campaignId = input.campaign_id ?? input.campaing_id ?? 0;
  const phone = await readCompanyPhone(companyId, input.phone);
  if (!phone.ok) return invalid('phone', phone.reason);
  const [refused, campaign, numbers] = await Promise.all([
    context.admit(),
    getCampaign(companyId, campaignId),
    listActiveNumbers(companyId),
  ]);
  if (refused) return refused;
  if (!campaign || campaign.status === 'deleted') return problem('not_found');
  const number = numbers.find(({ id }) => id === campaign.numberId) ?? numbers[0];
  if (!number) return problem('number_missing');
  const template = await getTemplate(companyId, campaign.templateId);
  const isHeld = campaign.status === 'paused';
  if (isProblem(template) || (template.status !== 'APPROVED' && !isHeld))
    return problem('template_not_approved', {
      details: { status: isProblem(template) ? 'DELETED' : template.status, template_id: campaign.templateId },
    });
  const ensured = await ensureContact(companyId, { phone: phone.digits, source: 'api' });
  if (isProblem(ensured)) return ensured;
  const { contact } = ensured;
  const excluded = exclusionReasonOf(contact, template.category, now());
  if (excluded === 'not_on_whatsapp') return invalid('phone', 'Is known not to be on WhatsApp.');
  if (excluded)
    return problem('recipient_opted_out', {
      details: { contact_id: contact.id, subscribed: contact.subscribed, marketing_blocked: contact.marketingBlocked },
    });
  const filled = buildComponents(
    templateParameters(template),
    { ...parametersOf(campaign), data: input.data },
    contactFieldReader(contact),
  );
  if ('missing' in filled) return invalid('data', `Values are missing for ${filled.missing.join(', ')}.`);
  const composition = composeRecipientContent(template, filled.components);
  if (!composition.ok) return invalid('data', Object.values(composition.errors).flat()[0] ?? 'Does not fit the template.');
  const reach = await getTemplateReach(companyId, template.id, spanOf(contact.id));
  if (campaign.preventDuplicates && hasId(reach.bits, contact.id) && reach.claims[context.operationId] === undefined)
    return invalid('phone', 'A campaign of this template has this contact already.');
  const secondMs = Math.floor(context.startedAt / 1_000) * 1_000;
  const batch = messageId(secondMs, context.operationId);
  const chosen = { contacts: [contact], excluded: new Map(), reach: [reach] };
  if (!(await recordTemplateReach({ name: context.operationId, below: contact.id + 1 }, chosen, now())))
    return problem('rate_limited', { retryAfterSeconds: 1 });
  await createRecipientBatch({
    companyId,
    campaignId,
    batch,
    rev: 0,
    builtAtRev: 0,
    contactIds: [contact.id],
    secondMs,
    processed: 1,
    waiting: [contact.id],
    done: false,
    skipped: [],
    isSingleRecipient: true,
    ...(input.data ? { data: input.data } : {}),
  });
  const row = await createWaitingRecipient(
    {
      companyId,
      contactId: contact.id,
      phone: contact.phone,
      numberId: number.id,
      campaign: { id: campaignId, batch, isSingleRecipient: true },
      secondMs,
    },
    composition.message,
  );
  return {
    message_id: row.id,
    message_wamid: null,
    campaign_id: campaignId,
    contact_id: contact.id,
    queue_state: isHeld ? 'held' : 'scheduled',
  };
};
