import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { classifyProviderError, providerErrorEntry } from '../../../shared/provider/errors.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getNumberByProviderId, getSendingNumber } from '../../account/service/numbers.ts';
import { lastInboundId, serviceWindowOf } from '../../service-window/service.ts';
import { postTypingIndicator } from '../gateway/messages.ts';
import { findMessage } from './messages.ts';

/** How long the contact sees it: https://developers.facebook.com/documentation/business-messaging/whatsapp/typing-indicators */
const typingMs = 25_000;

export interface TypingIndicator {
  messageId: number;
  expiresAtMs: number;
}
type TypingProblem = Problem<'not_found' | 'window_closed' | 'number_missing' | 'provider_rejected' | 'temporarily_unavailable'>;

/**
 * Shows the contact "typing", and its newest message as read, from the number that the message was written to. Nothing is written, and it is
 * not tried again. 1.5 RRU.
 */
export const sendTypingIndicator = async (companyId: number, contactId: number): Promise<TypingIndicator | TypingProblem> => {
  const lastId = await lastInboundId(companyId, contactId);
  if (lastId === undefined) return problem('not_found');
  const message = lastId === null ? undefined : await findMessage(companyId, contactId, lastId);
  if (message?.wamid === undefined || !serviceWindowOf(message.createdAt, now()).open) return problem('window_closed');
  const { phoneNumberId } = message;
  const number = await (phoneNumberId === undefined
    ? getSendingNumber(companyId, message.numberId)
    : getNumberByProviderId(companyId, phoneNumberId));
  if (number?.status !== 'active') return problem('number_missing');
  const sentAt = now();
  const result = await postTypingIndicator(number, number.phoneNumberId, message.wamid);
  switch (result.outcome) {
    case 'accepted':
      return { messageId: message.id, expiresAtMs: sentAt + typingMs };
    case 'later':
      return problem('temporarily_unavailable', { message: 'The messaging provider does not answer now.', retryAfterSeconds: 5 });
    case 'refused':
      return refusal(result);
  }
};

function refusal({ status, body }: { status: number; body: unknown }): Problem<'provider_rejected'> {
  const { code, title, details } = classifyProviderError(body) ?? {
    ...providerErrorEntry(status),
    code: status,
    details: `HTTP ${status}`,
  };
  const { retryable, fix } = providerErrorEntry(code);
  return problem('provider_rejected', {
    message: `The messaging provider refused the typing indicator: ${title}.`,
    details: { provider_code: code, title, details: details ?? null, retryable, fix },
  });
}
