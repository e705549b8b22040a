import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { getContactById, getContactsByIds } from '../store/contact.ts';

/** Contacts by an id that may be that of a contact which became part of another one: what was filed under it belongs to the other. */

/** The contact itself, or the one that it is part of by now. As getContactById, and once more for each merge. */
export const followMerges = async (companyId: number, id: number, options: { consistent?: boolean } = {}): Promise<Contact | undefined> => {
  let contact = await getContactById(companyId, id, options);
  while (contact?.mergedInto !== undefined) contact = await getContactById(companyId, contact.mergedInto, options);
  return contact;
};

/** By the ids that were given, deleted contacts too. 0.5 RRU each, and 0.5 for each merge. */
export const followAll = async (companyId: number, ids: readonly number[]): Promise<[id: number, contact: Contact][]> => {
  const contacts = await getContactsByIds(companyId, ids);
  return Promise.all(
    contacts.map(async (contact): Promise<[number, Contact]> => {
      const { id, mergedInto } = contact;
      return [id, (mergedInto === undefined ? contact : await followMerges(companyId, mergedInto)) ?? contact];
    }),
  );
};

/** A record by the id of the contact that it is filed under: of the contact itself, else of one that was merged into it. */
export const findFiled = async <T>(
  companyId: number,
  contactId: number,
  get: (id: number) => Promise<T | undefined>,
): Promise<T | undefined> => {
  const own = await get(contactId);
  if (own !== undefined) return own;
  const others = (await getFiledIds(companyId, contactId)).filter((id) => id !== contactId);
  return (await Promise.all(others.map(get))).find((each) => each !== undefined);
};

/** Under which ids the messages, notes and leads of a contact are filed, its own first; none: there is no such contact. 0.5 RRU. */
export const getFiledIds = async (companyId: number, id: number): Promise<number[]> => {
  const contact = await followMerges(companyId, id);
  return isLive(contact) ? [contact.id, ...(contact.mergedIds ?? [])] : [];
};
