import type { BadgeLook } from '../../components/basics.tsx';
import type { templatesText } from '../../text/templates.ts';
import type { TextOf } from '../../text/text.ts';

/** The provider's states in words; one that is not known stands as it is. */
export const stateOf = (text: TextOf<typeof templatesText>, status: string): { name: string; look: BadgeLook | undefined } =>
  ({
    APPROVED: { name: text.approved, look: undefined },
    PENDING: { name: text.pending, look: 'info' as const },
    REJECTED: { name: text.rejected, look: 'bad' as const },
    PAUSED: { name: text.paused, look: 'warn' as const },
    DISABLED: { name: text.disabled, look: 'bad' as const },
  })[status] ?? { name: status.toLowerCase(), look: undefined };
