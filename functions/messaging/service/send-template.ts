import { problem, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { ensureContact } from '../../contacts/service.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { composeTemplate } from '../domain/compose-template.ts';
import { getTemplateByName, listTemplatePage } from '../../templates/store/template.ts';
import { type OperationContext, sendMessage, type SendOutcome, type SendProblem } from './create-outbound.ts';
import { isPublicLink } from '../domain/public-link.ts';
import { toDraft } from './send-text.ts';

export type TemplateProblem = Problem<
  'template_not_found' | 'template_not_approved' | 'recipient_opted_out' | 'validation_failed' | 'plan_limit_reached'
>;

/** POST and GET /messages/template (A31): checked against the stored template before the provider is asked. */
export const sendTemplate = (
  companyId: number,
  input: SendTemplateInput,
  context: OperationContext,
): Promise<SendOutcome | SendProblem | TemplateProblem> =>
  sendMessage<TemplateProblem, StoredTemplate>(
    companyId,
    input,
    {
      ask: () => loadApprovedTemplate(companyId, input.template_name, input.template_language ?? input.language ?? 'en'),
      compose: (stored) => {
        const draft = toDraft(composeTemplate(stored, input, isPublicLink));
        if (isProblem(draft)) return draft;
        const { name, language, category } = stored;
        return {
          ...draft,
          template: { name, language },
          lane: category === 'AUTHENTICATION' ? 'code' : 'direct',
          isMarketing: category === 'MARKETING',
        };
      },
      admitContact: async (phone, draft) => (draft.isMarketing ? checkMarketingConsent(companyId, phone) : undefined),
    },
    context,
  );

async function loadApprovedTemplate(
  companyId: number,
  name: string,
  language: string,
): Promise<StoredTemplate | Problem<'template_not_found' | 'template_not_approved'>> {
  const stored = await getTemplateByName(companyId, name, language);
  if (stored?.status === 'APPROVED') return stored;
  if (stored) return problem('template_not_approved', { details: { status: stored.status, template_id: stored.id } });
  const { templates } = await listTemplatePage(companyId, { status: undefined, name, after: undefined, limit: 100 });
  return problem('template_not_found', {
    details: { template_name: name, template_language: language, languages: templates.map((each) => each.language) },
  });
}

/** Marketing goes to nobody who said no, here or at the provider (A27). */
async function checkMarketingConsent(
  companyId: number,
  phone: string,
): Promise<Problem<'recipient_opted_out' | 'plan_limit_reached'> | undefined> {
  const ensured = await ensureContact(companyId, { phone, source: 'api' });
  if (isProblem(ensured)) return ensured;
  const { subscribed, marketingBlocked } = ensured.contact;
  return subscribed && !marketingBlocked
    ? undefined
    : problem('recipient_opted_out', { details: { contact_id: ensured.contact.id, subscribed, marketing_blocked: marketingBlocked } });
}
