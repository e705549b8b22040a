import { log } from '../../../shared/runtime/log.ts';
import { getActiveNumber, getNumberByProviderId } from '../../account/service/numbers.ts';
import { postReadReceipt } from '../gateway/messages.ts';
import { findMessage } from './messages.ts';

/** Sends a read receipt: the sender sees that the conversation was read up to this message. A repetition changes nothing. */
export const sendReadReceipt = async (reference: { companyId: number; contactId: number; messageId: number }): Promise<void> => {
  const { companyId, contactId, messageId } = reference;
  const message = await findMessage(companyId, contactId, messageId);
  if (!message?.inbound || message.wamid === undefined) return;
  const named = message.phoneNumberId === undefined ? undefined : await getNumberByProviderId(companyId, message.phoneNumberId);
  const number = named ?? (await getActiveNumber(companyId));
  if (!number || number.isSuspended) return;
  const result = await postReadReceipt(number, number.phoneNumberId, message.wamid);
  if (result.outcome === 'later') throw new Error('A read receipt cannot be sent now.');
  if (result.outcome === 'refused') log.info('The provider refused a read receipt', { company_id: companyId, message_id: messageId });
};
