import { getUserId } from '../../contacts/service/user-id.ts';
import { getStoredMessage } from '../store/message.ts';

export interface InboundText {
  text: string;
  /** The sender's phone, digits; undefined: the provider hid it. */
  phone: string | undefined;
  /** The provider's ids of the sender. */
  userIds: string[];
}

/** The text of an inbound message that proves its sender, and the sender's identities; undefined for any other message. 1.5 RRU. */
export const getInboundText = async (companyId: number, contactId: number, messageId: number): Promise<InboundText | undefined> => {
  const [message, userId] = await Promise.all([
    getStoredMessage(companyId, contactId, messageId, { consistent: true }),
    getUserId(companyId, contactId),
  ]);
  if (!message?.inbound || message.subtype !== 'text' || message.isUnsigned) return undefined;
  return { text: message.value, phone: message.phone, userIds: userId === undefined ? [] : [userId] };
};
