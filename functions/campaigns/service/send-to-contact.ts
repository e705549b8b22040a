import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import type { MessageContent } from '../../messaging/contract/content.ts';
import { recipientAddressOf, createWaitingRecipient, composeRecipientContent } from '../../messaging/service/campaign-recipients.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { SendInput } from '../contract/message.ts';
import type { StoredCampaign, StoredRecipientBatch } from '../contract/stored.ts';
import { buildComponents, isOfferOver } from '../domain/parameters.ts';
import { hasId, reachSpanOf, withIds } from '../domain/template-reach.ts';
import { createFirstRecipientBatch, createRecipientBatch, getRecipientBatch } from '../store/recipient-batch.ts';
import { getTemplateReach } from '../store/template-reach.ts';
import { getStoredCampaign } from '../store/campaign.ts';
import { parametersOf } from './campaign-input.ts';
import { liveClaims } from './select-recipients.ts';
import { contactFieldReader } from './eligibility.ts';
import { unpaidProblem } from './token-payment.ts';
import { createTestMessage, recipientOf, recipientProblem, type SendContext, testMedia } from './single-recipient.ts';

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
  | 'recipient_blocked'
  | 'plan_limit_reached'
  | 'number_missing'
  | 'template_not_approved'
  | 'rate_limited'
  | 'spend_limit_reached'
  | 'price_unknown'
>;

/**
 * POST /campaigns/send (A46): a batch of one recipient, whose row starts its worker, and the message's row. Both are named by the operation, so
 * that a repetition finds its own. While the campaign is paused it is held. A test is a message of its own, which no counter of the campaign sees.
 */
export const sendToContact = async (
  companyId: number,
  input: SendInput,
  context: SendContext,
): Promise<SendToContactResult | SendToContactProblem> => {
  const campaignId = input.campaign_id ?? input.campaing_id ?? 0;
  const isTest = input.is_test ?? false;
  const phone = input.phone === undefined ? undefined : await readCompanyPhone(companyId, input.phone);
  if (phone && !phone.ok) return invalid('phone', phone.reason);
  const [refused, campaign, numbers] = await Promise.all([
    context.admit(),
    getStoredCampaign(companyId, campaignId),
    listActiveNumbers(companyId),
  ]);
  if (refused) return refused;
  if (!campaign || campaign.status === 'deleted') return problem('not_found');
  const unpaid = isTest ? undefined : await unpaidProblem(context.caller, campaign);
  if (unpaid) return unpaid;
  const number = numbers.find(({ id }) => id === campaign.numberId) ?? numbers[0];
  if (!number) return problem('number_missing');
  const template = await getTemplate(companyId, campaign.templateId);
  const isHeld = campaign.status === 'paused' && !isTest;
  if (isProblem(template) || (template.status !== 'APPROVED' && !isHeld))
    return problem('template_not_approved', {
      details: { status: isProblem(template) ? 'DELETED' : template.status, template_id: campaign.templateId },
    });
  const contact = await recipientOf(companyId, phone?.digits, input.contact_id);
  if (isProblem(contact)) return contact;
  const excluded = recipientProblem(contact, template, phone ? 'phone' : 'contact_id');
  if (excluded) return excluded;
  if (isOfferOver(campaign, now())) return invalid('campaign_id', 'The limited-time offer of this campaign is over.');
  const media = isTest && campaign.media ? await testMedia(number, campaign.media) : campaign.media;
  if (media === 'unavailable') return problem('rate_limited', { retryAfterSeconds: 5 });
  if (media === 'refused') return invalid('campaign_id', 'The provider does not accept the file of this campaign.');
  const filled = buildComponents(
    templateParameters(template),
    { ...parametersOf(campaign), media, data: input.data },
    contactFieldReader(contact),
  );
  if ('missing' in filled) return invalid('data', `Values are missing for ${filled.missing.join(', ')}.`);
  const composition = composeRecipientContent(template, filled.components);
  if (!composition.ok) return invalid('data', Object.values(composition.errors).flat()[0] ?? 'Does not fit the template.');
  const recipient = { campaign, contact, number, template, content: composition.message };
  const messageId = isTest ? await createTestMessage(recipient, context) : await addRecipient(recipient, input, context);
  if (isProblem(messageId)) return messageId;
  return {
    message_id: messageId,
    message_wamid: null,
    campaign_id: campaignId,
    contact_id: contact.id,
    queue_state: isHeld ? 'held' : 'scheduled',
  };
};

interface ContactSend {
  campaign: StoredCampaign;
  contact: Contact;
  number: BusinessNumber;
  template: StoredTemplate;
  content: MessageContent;
}

async function addRecipient(
  { campaign, contact, number, content }: ContactSend,
  { data }: SendInput,
  { operationId, startedAt }: SendContext,
): Promise<number | Problem<'validation_failed' | 'rate_limited'>> {
  const { companyId, id: campaignId } = campaign;
  const secondMs = Math.floor(startedAt / 1_000) * 1_000;
  const batch: StoredRecipientBatch = {
    companyId,
    campaignId,
    batch: messageId(secondMs, operationId),
    rev: 0,
    builtAtRev: 0,
    contactIds: [contact.id],
    secondMs,
    processed: 1,
    waiting: [contact.id],
    done: false,
    skipped: [],
    isSingleRecipient: true,
    ...(data ? { data } : {}),
  };
  const refused = await addBatch(campaign, batch, contact.id);
  if (refused) return refused;
  const row = await createWaitingRecipient(
    {
      companyId,
      contactId: contact.id,
      ...recipientAddressOf(contact),
      numberId: number.id,
      campaign: { id: campaignId, batch: batch.batch, isSingleRecipient: true },
      secondMs,
    },
    content,
  );
  return row.id;
}

/** Writes the batch, once for each operation, and that the template reached the contact. */
async function addBatch(
  { templateId, preventDuplicates }: StoredCampaign,
  batch: StoredRecipientBatch,
  contactId: number,
): Promise<Problem<'validation_failed' | 'rate_limited'> | undefined> {
  const { companyId, campaignId } = batch;
  return retryOnConflict<Problem<'validation_failed' | 'rate_limited'> | undefined>(
    maxConflicts,
    async () => {
      const reach = await getTemplateReach(companyId, templateId, reachSpanOf(contactId));
      if (!hasId(reach.bits, contactId)) {
        const change = { bits: withIds(reach.bits, [contactId]), claims: liveClaims(reach.claims, now()) };
        return (await createFirstRecipientBatch(batch, reach, change)) ? undefined : conflict;
      }
      if (!preventDuplicates) await createRecipientBatch(batch);
      else if (!(await getRecipientBatch(companyId, campaignId, batch.batch)))
        return invalid('phone', 'A campaign of this template has this contact already.');
      return undefined;
    },
    () => problem('rate_limited', { retryAfterSeconds: 1 }),
  );
}
