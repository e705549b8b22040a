import { problem, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { ensureContact, getCurrentRecipient } from '../../contacts/service/contacts.ts';
import { tariffOf } from '../../templates/contract/max-price.ts';
import { getApprovedTemplate, getFirstTemplate, getTemplateOfAccount } from '../../templates/service/templates.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import { composeTemplate } from '../domain/compose-template.ts';
import { isPublicLink } from '../../media/service/links.ts';
import { loadUpload, recordUploadRecipient } from '../../media/service/uploads.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import { selectFrom, sendingAccountOf } from './select-number.ts';
import {
  invalidFields,
  loadSendRequest,
  type OperationContext,
  type Recipient,
  resolveRecipient,
  type SendProblem,
} from './send-request.ts';

export type TemplateProblem = Problem<
  'template_not_found' | 'template_not_approved' | 'recipient_opted_out' | 'validation_failed' | 'plan_limit_reached'
>;

/** Sends an approved template: its parameters are checked against the stored template before the provider is called. */
export const sendTemplate = async (
  companyId: number,
  input: SendTemplateInput,
  operation: OperationContext,
): Promise<SendOutcome | SendProblem | TemplateProblem> => {
  const named = { name: input.template_name, language: input.template_language ?? input.language ?? 'en' };
  const [loaded, first] = await Promise.all([loadSendRequest(companyId, input, operation), getFirstTemplate(companyId, named)]);
  if (isProblem(loaded)) return loaded;
  const { number, numbers } = loaded;
  const found = await getTemplateOfAccount(companyId, named, sendingAccountOf(number, numbers), first);
  // a number that the caller did not name follows the template
  const isOnlyElsewhere = !found && first !== undefined && input.number_id === undefined;
  const template = await getApprovedTemplate(companyId, named, isOnlyElsewhere ? first : found);
  if (isProblem(template)) return template;
  const follows = isOnlyElsewhere ? await selectFrom(companyId, numbers, { contactId: loaded.contactId, template }) : number;
  if (isProblem(follows)) return follows;
  const file = input.media_id === undefined ? undefined : await loadUpload(companyId, input.media_id);
  if (isProblem(file)) return file;
  const composition = composeTemplate(template, input, isPublicLink, file?.media);
  if (!composition.ok) return invalidFields(composition.errors);
  const recipient = await resolveRecipient({ ...loaded, number: follows });
  if (isProblem(recipient)) return recipient;
  const refused = template.category === 'MARKETING' ? await checkMarketingConsent(recipient) : undefined;
  if (refused) return refused;
  if (file) await recordUploadRecipient(file.upload, recipient.contactId);
  return createAndSend(
    recipient,
    {
      content: composition.message,
      priority: template.category === 'AUTHENTICATION' ? 'code' : 'direct',
      template: { name: template.name, language: template.language },
      tariff: tariffOf(template),
    },
    operation,
  );
};

/** The deprecated GET form: the same fields in the query. */
export const sendTemplateByGet: typeof sendTemplate = (companyId, query, operation) => sendTemplate(companyId, query, operation);

/** MARKETING goes to no contact that opted out, here or at the provider. */
async function checkMarketingConsent({
  companyId,
  contactId,
  phone,
}: Recipient): Promise<Problem<'recipient_opted_out' | 'plan_limit_reached'> | undefined> {
  const current = await getCurrentRecipient(companyId, contactId);
  const restored = current || phone === undefined ? undefined : await ensureContact(companyId, { phone, source: 'api' });
  if (isProblem(restored)) return restored;
  const { id, subscribed, marketingBlocked } = current ??
    restored?.contact ?? { id: contactId, subscribed: false, marketingBlocked: false };
  return subscribed && !marketingBlocked
    ? undefined
    : problem('recipient_opted_out', { details: { contact_id: id, subscribed, marketing_blocked: marketingBlocked } });
}
