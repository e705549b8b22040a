import { isLive } from '../domain/contact.ts';
import { findContact } from '../store/contact.ts';

/** The provider's user id of a contact, as the provider itself told it. 0.5 RRU. */
export const userIdOf = async (companyId: number, contactId: number): Promise<string | undefined> => {
  const contact = await findContact(companyId, contactId, false);
  return isLive(contact) ? contact.userId : undefined;
};
