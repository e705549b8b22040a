import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { setConsent } from '../../contacts/service/consent.ts';
import { serviceWindowOf } from '../../service-window/service.ts';
import { getStoredMessage } from '../store/message.ts';
import { getKeywordReply } from './keywords.ts';
import { queueText } from './queue-text.ts';

/**
 * Applies an opt-out or opt-in keyword: sets the contact's consent and replies once, if the window is open. The reply's operation is named
 * after the message, so that it is sent once however often this runs.
 */
export const applyConsentKeyword = async (reference: { companyId: number; contactId: number; messageId: number }): Promise<void> => {
  const { companyId, contactId, messageId } = reference;
  const message = await getStoredMessage(companyId, contactId, messageId, { consistent: true });
  if (!message?.keyword || message.wamid === undefined) return;
  const subscribed = message.keyword === 'start';
  const set = await setConsent(companyId, contactId, {
    subscribed,
    source: 'keyword',
    at: effectiveAt(message.createdAt),
    evidence: message.wamid,
  });
  if (isProblem(set) || !set.applied) return;
  const reply = serviceWindowOf(message.createdAt, now()).open ? await getKeywordReply(companyId, message.keyword) : undefined;
  if (reply === undefined) return;
  const { phone, userId, numberId } = message;
  const isQueued = await queueText(
    companyId,
    { contactId, phone, userId, numberId, text: reply },
    { operationId: `consent:${message.wamid}`, startedAt: message.arrivedAt ?? message.createdAt },
  );
  if (!isQueued) log.warn('A keyword cannot be answered without a number', { company_id: companyId });
};

/** The provider's times have whole seconds: a keyword counts from the end of its second, so that it wins over earlier changes. */
const effectiveAt = (createdAt: number): number => createdAt + 999;
