import type * as z from 'zod';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { ok } from '../../../shared/http/reply.ts';
import { deprecation } from '../../../shared/http/stages.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { uploadView } from '../../media/contract/upload.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import type { sendResult } from '../contract/send-fields.ts';
import { isHeldByProvider } from '../contract/held.ts';
import { messageStatuses } from '../contract/stored.ts';
import { deprecatedFieldsOf } from '../domain/deprecated-template-fields.ts';
import type { SendOutcome } from '../service/create-outbound.ts';
import type { AnnouncedUpload } from '../../media/service/uploads.ts';

/** The response to a send: 202 while its result is unknown. */
export const sendResponse = <P extends Problem>(outcome: SendOutcome | P, headers: Record<string, string> = {}) => {
  if (isProblem(outcome)) return outcome as P;
  const view = toSendResult(outcome as SendOutcome);
  return view.ambiguous
    ? { ...ok(view, 'The result is not known yet; a status webhook will bring it.'), status: 202 as const, headers }
    : { ...ok(view, view.status === messageStatuses.scheduled ? 'Message scheduled.' : 'Message accepted.'), headers };
};

/** Deprecation headers, for deprecated fields of a template send. */
export const deprecationHeaders = (input: SendTemplateInput): Record<string, string> =>
  deprecatedFieldsOf(input).length > 0 ? deprecation('/api/v1/messages/template') : {};

export const toUploadView = ({ id, url: address, headers, expiresAtMs }: AnnouncedUpload): z.input<typeof uploadView> => ({
  media_id: id,
  upload_url: address,
  headers,
  expires_at: isoTime(expiresAtMs),
});

/** The result of a send, as the API shows it. */
const toSendResult = ({ message, window, cost }: SendOutcome): z.input<typeof sendResult> => ({
  message_id: message.id,
  message_wamid: message.wamid ?? null,
  status: message.status,
  contact_id: message.contactId,
  conversation_id: message.contactId,
  window: {
    open: window.open,
    expires_at: window.expiresAtMs === undefined ? null : isoTime(window.expiresAtMs),
    number_id: message.numberId ?? null,
  },
  scheduled_at: message.status === messageStatuses.scheduled && message.dueAt !== undefined ? isoTime(message.dueAt) : null,
  ambiguous: message.status === messageStatuses.sending || message.ambiguous === true,
  held: isHeldByProvider(message),
  cost,
  warnings: [...(window.open || message.subtype === 'template' ? [] : [closedWindow]), ...(isHeldByProvider(message) ? [heldBack] : [])],
});

const closedWindow =
  'The customer service window is closed: the provider delivers free-form messages only within 24 hours of the last message from the customer. Send a template.';
const heldBack =
  'The provider holds the message back until it knows how others take this template. It sends it later, or drops it: the status says which.';
