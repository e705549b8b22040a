import type { FieldErrors } from '../../../shared/contract/problems.ts';
import { isPublicLink } from '../../media/service/links.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import { composeTemplate } from '../domain/compose-template.ts';
import { type RenderedTemplate, renderTemplateText } from '../domain/render-template.ts';
import type { SentComponent } from '../domain/sent-component.ts';

export interface RenderedContent extends RenderedTemplate {
  /** As the message stores it. */
  text: string;
  components: SentComponent[];
}

/** What a send of a template with these components would say, made and checked as a send is; otherwise what does not fit. */
export const renderContent = (
  stored: StoredTemplate,
  components: SendTemplateInput['components'],
): RenderedContent | { errors: FieldErrors } => {
  const composed = composeTemplate(stored, { components, phone: '', template_name: stored.name }, isPublicLink);
  if (!composed.ok) return { errors: composed.errors };
  const { template } = (composed.message.payload ?? {}) as { template?: { components?: SentComponent[] } };
  const sent = template?.components ?? [];
  return { text: composed.message.value, ...renderTemplateText(stored, sent), components: sent };
};
