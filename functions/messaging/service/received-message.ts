import { isBotEnabled } from '../../contacts/service/contacts.ts';
import type { StoredMessage } from '../contract/stored.ts';
import { getStoredMessage } from '../store/message.ts';

/**
 * An inbound message, and whether a bot may answer its contact. Both are read at the price of one consistent read; a message that not every copy of
 * the table has yet is read again. 1 RRU, of such a message 2.
 */
export const getReceivedMessage = async (
  companyId: number,
  contactId: number,
  id: number,
): Promise<{ message: StoredMessage; isForBot: boolean } | undefined> => {
  const [seen, isForBot] = await Promise.all([getStoredMessage(companyId, contactId, id), isBotEnabled(companyId, contactId)]);
  const message = seen ?? (await getStoredMessage(companyId, contactId, id, { consistent: true }));
  return message && { message, isForBot };
};
