import { keyedHash } from '../../../shared/runtime/seal.ts';
import { canonicalPhone } from '../contract/phone.ts';
import type { Contact } from '../contract/stored.ts';
import { getErasedIdentities, getErasedIdentity } from '../store/erased-identity.ts';

/** The hashes under which an erased contact is remembered: one for its phone, one for its user id. */
export const hashIdentities = (
  companyId: number,
  { phone, userId }: { phone?: string | undefined; userId?: string | undefined },
): Promise<string[]> =>
  Promise.all(
    [...(phone ? [`phone:${canonicalPhone(phone)}`] : []), ...(userId ? [`user:${userId}`] : [])].map((identity) =>
      keyedHash('erased-identity', `${companyId}:${identity}`),
    ),
  );

/** A new contact as it may be created: one that was erased before begins unsubscribed, whatever the request says. 0.5 RRU an identity. */
export const unsubscribeErased = async (contact: Contact): Promise<Contact> => {
  const hashes = await hashIdentities(contact.companyId, contact);
  const erased = await Promise.all(hashes.map((hash) => getErasedIdentity(contact.companyId, hash)));
  return erased.some((identity) => identity !== undefined) ? unsubscribed(contact) : contact;
};

/** The same for many. */
export const unsubscribeAllErased = async (companyId: number, contacts: readonly Contact[]): Promise<Contact[]> => {
  const hashes = await Promise.all(contacts.map((contact) => hashIdentities(companyId, contact)));
  const erased = new Set((await getErasedIdentities(companyId, hashes.flat())).map(({ hash }) => hash));
  return contacts.map((contact, place) => (hashes[place]?.some((hash) => erased.has(hash)) ? unsubscribed(contact) : contact));
};

const unsubscribed = (contact: Contact): Contact => ({
  ...contact,
  subscribed: false,
  consent: { source: 'api', at: contact.createdAt },
});
