import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { setConsent } from '../../contacts/service/consent.ts';
import { windowOf } from '../../conversations/service.ts';
import { getMessage } from '../store/message.ts';
import { replyTo } from './keyword.ts';
import { sendPlainText } from './sending-plain.ts';

/**
 * A person wrote a word of consent (A52): the contact follows, and hears of it once, if the window is open. The answer's operation is
 * named after the message, so that the sending engine makes it once however often this runs.
 */
export const takeKeyword = async (reference: { companyId: number; contactId: number; messageId: number }): Promise<void> => {
  const { companyId, contactId, messageId } = reference;
  const message = await getMessage(companyId, contactId, messageId, { consistent: true });
  if (!message?.keyword || message.wamid === undefined) return;
  const subscribed = message.keyword === 'start';
  const set = await setConsent(companyId, contactId, {
    subscribed,
    source: 'keyword',
    at: saidAt(message.createdAt),
    evidence: message.wamid,
  });
  if (isProblem(set) || !set.applied || message.phone === undefined) return;
  const reply = windowOf(message.createdAt, now()).open ? await replyTo(companyId, message.keyword) : undefined;
  if (reply === undefined) return;
  const outcome = await sendPlainText(
    companyId,
    { phone: message.phone, message: reply },
    { operationId: `consent:${message.wamid}`, startedAt: message.arrivedAt ?? message.createdAt, admit: async () => undefined },
  );
  if (isProblem(outcome)) log.warn('The answer to a word of consent was refused', { company_id: companyId, code: outcome.problem });
};

/** The provider's times have whole seconds: a word counts from the end of its second, so that it wins over what came before it. */
const saidAt = (createdAt: number): number => createdAt + 999;
