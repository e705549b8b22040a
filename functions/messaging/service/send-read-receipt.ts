import { log } from '../../../shared/runtime/log.ts';
import { getActiveNumber, getNumberByProviderId } from '../../account/service/numbers.ts';
import { markMessageRead } from '../gateway/inbound.ts';
import { getMessage } from '../store/message.ts';

/** Tells the provider, and so the person, that a conversation was read up to a message. Saying it twice says the same. */
export const sendReadReceipt = async (reference: { companyId: number; contactId: number; messageId: number }): Promise<void> => {
  const { companyId, contactId, messageId } = reference;
  const message = await getMessage(companyId, contactId, messageId);
  if (!message?.inbound || message.wamid === undefined) return;
  const named = message.phoneNumberId === undefined ? undefined : await getNumberByProviderId(companyId, message.phoneNumberId);
  const number = named ?? (await getActiveNumber(companyId));
  if (!number) return;
  const told = await markMessageRead(number, number.phoneNumberId, message.wamid);
  if (told === 'later') throw new Error('The provider cannot be told now that a message was read.');
  if (told === 'refused') log.info('The provider did not take a read mark', { company_id: companyId, message_id: messageId });
};
