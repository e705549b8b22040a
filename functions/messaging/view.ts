import type * as z from 'zod';
import { isoTime } from '../../shared/runtime/clock.ts';
import type { sendResult } from './contract/send.ts';
import { messageStatuses } from './contract/stored.ts';
import type { SendOutcome } from './service/sending.ts';

/** The send-message result (1§2, A25). */
export const sendView = ({ message, window }: SendOutcome): z.input<typeof sendResult> => ({
  message_id: message.id,
  message_wamid: message.wamid ?? null,
  status: message.status,
  contact_id: message.contactId,
  conversation_id: message.contactId,
  window: { open: window.open, expires_at: window.expiresAtMs === undefined ? null : isoTime(window.expiresAtMs) },
  scheduled_at: message.status === messageStatuses.scheduled && message.dueAt !== undefined ? isoTime(message.dueAt) : null,
  ambiguous: message.status === messageStatuses.sending || message.ambiguous === true,
  warnings: window.open
    ? []
    : [
        'The customer service window is closed: the provider delivers free-form messages only within 24 hours of the last message of the person. Send a template.',
      ],
});
