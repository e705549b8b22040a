import { getUserId } from '../../contacts/service/user-id.ts';
import { getMessage } from '../store/message.ts';

export interface InboundText {
  text: string;
  /** Digits, as the provider named the writer; undefined: it hid the phone. */
  phone: string | undefined;
  /** The provider's own ids of the writer. */
  userIds: string[];
}

/** What a person wrote and who the provider says they are; undefined for anything else. 1.5 RRU. */
export const getInboundText = async (companyId: number, contactId: number, messageId: number): Promise<InboundText | undefined> => {
  const [message, userId] = await Promise.all([
    getMessage(companyId, contactId, messageId, { consistent: true }),
    getUserId(companyId, contactId),
  ]);
  if (!message?.inbound || message.subtype !== 'text') return undefined;
  return { text: message.value, phone: message.phone, userIds: userId === undefined ? [] : [userId] };
};
