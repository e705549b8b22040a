import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { ensureContact } from '../../contacts/service.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { FieldErrors } from '../domain/compose-text.ts';
import { composeTemplate } from '../domain/compose-template.ts';
import { createMessage } from '../store/message.ts';
import { getTemplateById } from '../../templates/store/template.ts';
import { isPublicLink } from '../domain/public-link.ts';

/** A template and what takes the place of its placeholders, in the provider's own components. */
export interface FilledTemplate {
  templateId: number;
  components: NonNullable<SendTemplateInput['components']>;
}

export type NotQueuedReason =
  | 'template_not_found'
  | 'template_not_approved'
  | 'parameters'
  | 'opted_out'
  | 'number_missing'
  | 'contact_refused';

/**
 * A template message that the product itself sends to a person: its row is written as due now, the change stream wakes the sends worker,
 * which looks at the template again, claims the row and calls the provider. Once for each operation: a repetition meets the first one's
 * row. Marketing goes to nobody who said no (A27); with `isConsentNeeded` neither does any other kind. Else why nothing will go out.
 */
export const queueTemplate = async (
  companyId: number,
  {
    phone,
    name,
    words,
    isConsentNeeded: requiresConsent,
  }: { phone: string; name: string | undefined; words: FilledTemplate; isConsentNeeded: boolean },
  { operationId, startedAt }: { operationId: string; startedAt: number },
): Promise<'queued' | NotQueuedReason> => {
  const [number, template] = await Promise.all([getActiveNumber(companyId), getTemplateById(companyId, words.templateId)]);
  const fitting = composeFilled(template, words);
  if (!fitting.ok) return fitting.reason;
  if (!number) return 'number_missing';
  const ensured = await ensureContact(companyId, { phone, source: 'api', ...(name ? { name } : {}) });
  if (isProblem(ensured)) return 'contact_refused';
  const { contact } = ensured;
  const isMarketing = fitting.template.category === 'MARKETING';
  if ((isMarketing || requiresConsent) && (!contact.subscribed || contact.marketingBlocked)) return 'opted_out';
  const { composed } = fitting;
  for (let salt = 0; ; salt++) {
    const at = now();
    const message: StoredMessage = {
      companyId,
      contactId: contact.id,
      id: messageId(startedAt, `${operationId}:${salt}`),
      inbound: false,
      type: composed.type,
      subtype: composed.subtype,
      value: composed.value,
      status: messageStatuses.scheduled,
      rev: 0,
      phone,
      numberId: number.id,
      operationId,
      ...(composed.payload ? { payload: JSON.stringify(composed.payload) } : {}),
      template: { name: fitting.template.name, language: fitting.template.language },
      attempt: 0,
      dueAt: at,
      createdAt: startedAt,
      updatedAt: at,
    };
    const written = await createMessage(message);
    if (written.done || written.current?.operationId === operationId) return 'queued';
  }
};

/** Whether a template is there, approved, and has exactly these placeholders; `errors` name what does not fit. */
export const checkFilledTemplate = async (
  companyId: number,
  words: FilledTemplate,
): Promise<{ ok: true } | { ok: false; reason: NotQueuedReason; errors: FieldErrors }> => {
  const fitting = composeFilled(await getTemplateById(companyId, words.templateId), words);
  return fitting.ok ? { ok: true } : fitting;
};

function composeFilled(template: StoredTemplate | undefined, { components }: FilledTemplate) {
  const no = (reason: NotQueuedReason, errors: FieldErrors = {}) => ({ ok: false as const, reason, errors });
  if (template === undefined) return no('template_not_found');
  if (template.status !== 'APPROVED') return no('template_not_approved');
  const composition = composeTemplate(template, { phone: '', template_name: template.name, components }, isPublicLink);
  return composition.ok ? { ok: true as const, template, composed: composition.message } : no('parameters', composition.errors);
}
