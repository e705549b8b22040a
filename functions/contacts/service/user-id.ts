import { isLive } from '../domain/contact.ts';
import { getContactById } from '../store/contact.ts';

/** The provider's user id of a contact, as received from the provider. 0.5 RRU. */
export const getUserId = async (companyId: number, contactId: number): Promise<string | undefined> => {
  const contact = await getContactById(companyId, contactId);
  return isLive(contact) ? contact.userId : undefined;
};
