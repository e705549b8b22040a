import { log } from '../../../shared/runtime/log.ts';
import { activeNumber, numberByProviderId } from '../../account/service/numbers.ts';
import { markRead } from '../gateway/media-in.ts';
import { getMessage } from '../store/message.ts';

/** Tells the provider, and so the person, that a conversation was read up to a message. Saying it twice says the same. */
export const tellRead = async (reference: { companyId: number; contactId: number; messageId: number }): Promise<void> => {
  const { companyId, contactId, messageId } = reference;
  const message = await getMessage(companyId, contactId, messageId);
  if (!message?.inbound || message.wamid === undefined) return;
  const named = message.phoneNumberId === undefined ? undefined : await numberByProviderId(companyId, message.phoneNumberId);
  const number = named ?? (await activeNumber(companyId));
  if (!number) return;
  const told = await markRead(number, number.phoneNumberId, message.wamid);
  if (told === 'later') throw new Error('The provider cannot be told now that a message was read.');
  if (told === 'refused') log.info('The provider did not take a read mark', { company_id: companyId, message_id: messageId });
};
