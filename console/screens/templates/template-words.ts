import type { Template } from '../../../client/client.ts';
import { editableStatuses } from '../../../functions/templates/domain/status.ts';
import type { BadgeLook } from '../../components/basics.tsx';
import type { templatesText } from '../../text/templates.ts';
import type { TextOf } from '../../text/text.ts';

type Text = TextOf<typeof templatesText>;

/** The provider's states in words; one that is not known stands as it is. */
export const stateOf = (text: Text, status: string): { name: string; look: BadgeLook | undefined } =>
  ({
    APPROVED: { name: text.approved, look: undefined },
    PENDING: { name: text.pending, look: 'info' as const },
    REJECTED: { name: text.rejected, look: 'bad' as const },
    PAUSED: { name: text.paused, look: 'warn' as const },
    DISABLED: { name: text.disabled, look: 'bad' as const },
  })[status] ?? { name: status.toLowerCase(), look: undefined };

export const categoryOf = (text: Text, category: string): string =>
  ({ UTILITY: text.utility, MARKETING: text.marketing, AUTHENTICATION: text.codes })[category] ?? category.toLowerCase();

/** Whether the provider lets it be changed now. */
export const isChangeable = ({ status, provider_template_id: provided }: Template): boolean =>
  editableStatuses.includes(status) && provided !== null;

/** Why the provider refused a template and what to do about that: its own words where it gives some. */
export const rejectionOf = (
  text: Text,
  { rejected_reason: reason, rejection_info: info }: Pick<Template, 'rejected_reason' | 'rejection_info'>,
): { reason: string; remedy: string } | undefined => {
  if (reason === null || reason === 'NONE') return undefined;
  const known: Readonly<Record<string, readonly [string, string]>> = {
    INVALID_FORMAT: [text.badFormat, text.badFormatFix],
    ABUSIVE_CONTENT: [text.abusive, text.abusiveFix],
    SCAM: [text.scam, text.scamFix],
    TAG_CONTENT_MISMATCH: [text.mismatch, text.mismatchFix],
    INCORRECT_CATEGORY: [text.wrongCategory, text.wrongCategoryFix],
    CATEGORY_NOT_AVAILABLE: [text.noCategory, text.noCategoryFix],
    PROMOTIONAL: [text.promotional, text.promotionalFix],
  };
  const [words, remedy] = known[reason.toUpperCase()] ?? [info?.reason ?? reason, text.otherFix];
  return { reason: words, remedy: info?.recommendation ?? remedy };
};
