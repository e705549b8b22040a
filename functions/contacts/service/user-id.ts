import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { getContactById } from '../store/contact.ts';
import { findByIdentities } from './find-by-identities.ts';
import { followMerges } from './followed-contacts.ts';

/** The provider's user id of a contact, as received from the provider. 0.5 RRU. */
export const getUserId = async (companyId: number, contactId: number): Promise<string | undefined> => {
  const contact = await getContactById(companyId, contactId);
  return isLive(contact) ? contact.userId : undefined;
};

/** The live contact whom the provider knows by a user id. 1 RRU. */
export const getContactByUserId = async (companyId: number, userId: string): Promise<Contact | undefined> => {
  const sender = await findByIdentities(companyId, { userId });
  const contact = sender && (await followMerges(companyId, sender.contactId));
  return isLive(contact) ? contact : undefined;
};
