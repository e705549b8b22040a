import { type FieldErrors, isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { listActiveNumbers } from '../../account/service/numbers.ts';
import { isContactBlocked } from '../../contacts/contract/eligibility.ts';
import { ensureContact, getCurrentRecipient } from '../../contacts/service/contacts.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { MessageContent } from '../contract/content.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import { composeTemplate } from '../domain/compose-template.ts';
import { isPublicLink } from '../../media/service/links.ts';
import { createOutboundOnce } from './create-outbound.ts';
import { selectFrom } from './select-number.ts';

/** A template with the values of its placeholders, in the provider's own components. */
export interface FilledTemplate {
  templateId: number;
  components: NonNullable<SendTemplateInput['components']>;
}

export interface QueuedTemplate {
  phone: string;
  name: string | undefined;
  template: FilledTemplate;
  /** Whether consent is needed for every category, not for MARKETING alone. */
  requiresConsent: boolean;
}

export type NotQueuedReason =
  | 'template_not_found'
  | 'template_not_approved'
  | 'parameters'
  | 'opted_out'
  | 'blocked'
  | 'number_missing'
  | 'contact_refused';

/**
 * Queues a template message that the product itself sends: its row is due now, and the sends worker checks the template again, claims the
 * row, checks the consent again and calls the provider. Once for each operation. MARKETING never goes to a contact that opted out. Otherwise,
 * why nothing is sent.
 */
export const queueTemplate = async (
  companyId: number,
  { phone, name, template: filled, requiresConsent }: QueuedTemplate,
  { operationId, startedAt }: { operationId: string; startedAt: number },
): Promise<'queued' | NotQueuedReason> => {
  const [numbers, composed] = await Promise.all([listActiveNumbers(companyId), composeFilled(companyId, filled)]);
  if (!composed.ok) return composed.reason;
  if (numbers.length === 0) return 'number_missing';
  const ensured = await ensureContact(companyId, { phone, source: 'api', ...(name ? { name } : {}) });
  if (isProblem(ensured)) return 'contact_refused';
  const { contact } = ensured;
  if (isContactBlocked(contact)) return 'blocked';
  const { template, content } = composed;
  const number = await selectFrom(companyId, numbers, { contactId: contact.id, template });
  if (!number || isProblem(number)) return 'number_missing';
  const needsConsent = requiresConsent || template.category === 'MARKETING';
  const consenting = needsConsent ? await getCurrentRecipient(companyId, contact.id) : contact;
  if (needsConsent && (!consenting?.subscribed || consenting.marketingBlocked)) return 'opted_out';
  await createOutboundOnce(
    {
      companyId,
      contactId: contact.id,
      phone,
      numberId: number.id,
      content,
      template: { name: template.name, language: template.language },
      requiresConsent,
      sentBy: { via: 'system' },
      owner: { operationId },
      idTimeMs: startedAt,
      createdAt: startedAt,
      state: { dueAt: now() },
    },
    contact.mergedIds,
  );
  return 'queued';
};

/** Whether a template exists, is approved, and has exactly these placeholders; `errors` name the ones that do not fit. */
export const checkFilledTemplate = async (
  companyId: number,
  filled: FilledTemplate,
): Promise<{ ok: true } | { ok: false; reason: NotQueuedReason; errors: FieldErrors }> => {
  const composed = await composeFilled(companyId, filled);
  return composed.ok ? { ok: true } : composed;
};

type ComposedTemplate =
  | { ok: true; template: StoredTemplate; content: MessageContent }
  | { ok: false; reason: NotQueuedReason; errors: FieldErrors };

async function composeFilled(companyId: number, { templateId, components }: FilledTemplate): Promise<ComposedTemplate> {
  const refused = (reason: NotQueuedReason, errors: FieldErrors = {}): ComposedTemplate => ({ ok: false, reason, errors });
  const template = await getTemplate(companyId, templateId);
  if (isProblem(template)) return refused('template_not_found');
  if (template.status !== 'APPROVED') return refused('template_not_approved');
  const composition = composeTemplate(template, { phone: '', template_name: template.name, components }, isPublicLink);
  return composition.ok ? { ok: true, template, content: composition.message } : refused('parameters', composition.errors);
}
