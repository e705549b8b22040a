import { createHmac } from 'node:crypto';
import { erasureKey } from '../../../shared/contract/secret.ts';
import { derivedKey, keysOf, readKeyRing } from '../../../shared/runtime/seal.ts';
import { canonicalPhone } from '../contract/phone.ts';
import type { Contact } from '../contract/stored.ts';
import { getErasedIdentities, getErasedIdentity } from '../store/erased-identity.ts';
import type { Identities } from './find-by-identities.ts';

/** The hashes under which an erased contact is remembered, one for its phone and one for its user id: under the current key. */
export const hashIdentities = async (companyId: number, identities: Identities): Promise<string[]> => {
  const { key } = await readKeyRing(erasureKey);
  return hashesUnder(key, companyId, identities);
};

/** Under all keys, so that a rotation forgets none. */
const allHashes = async (companyId: number, identities: Identities): Promise<string[]> =>
  keysOf(await readKeyRing(erasureKey)).flatMap((each) => hashesUnder(each, companyId, identities));

const hashesUnder = (key: string, companyId: number, { phone, userId }: Identities): string[] =>
  [...(phone ? [`phone:${canonicalPhone(phone)}`] : []), ...(userId ? [`user:${userId}`] : [])].map((identity) =>
    createHmac('sha256', derivedKey(key, 'hash:erased-identity')).update(`${companyId}:${identity}`).digest('hex'),
  );

/** Whether a contact with one of these identities was erased: a new one begins unsubscribed, whatever the request says. 0.5 RRU an identity. */
export const isErased = async (companyId: number, identities: Identities): Promise<boolean> => {
  const hashes = await allHashes(companyId, identities);
  const erased = await Promise.all(hashes.map((hash) => getErasedIdentity(companyId, hash)));
  return erased.some((identity) => identity !== undefined);
};

/** New contacts as they may be created: 0.5 RRU for a company that never erased a contact, else 0.5 for each. */
export const unsubscribeAllErased = async (companyId: number, contacts: readonly Contact[]): Promise<Contact[]> => {
  if ((await getErasedIdentity(companyId, anyErased)) === undefined) return [...contacts];
  const hashes = await Promise.all(contacts.map((contact) => allHashes(companyId, contact)));
  const erased = new Set((await getErasedIdentities(companyId, hashes.flat())).map(({ hash }) => hash));
  return contacts.map((contact, place) => (hashes[place]?.some((hash) => erased.has(hash)) ? unsubscribed(contact) : contact));
};

/** In the place of a hash: that the company erased a contact at all. Written before the hashes. */
export const anyErased = 'any';

export const unsubscribed = (contact: Contact): Contact => ({
  ...contact,
  subscribed: false,
  consent: { source: 'api', at: contact.createdAt },
});
