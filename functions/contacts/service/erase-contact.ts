import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { isLive } from '../domain/contact.ts';
import { deleteContact } from '../service.ts';
import { deleteContactRow, deleteIdentity, getContactById, getPhoneIdentity, getUserIdentity } from '../store/contact.ts';
import { getErasedIdentities, putErasedIdentity } from '../store/erased-identity.ts';
import { anyErased, hashIdentities } from './erased-identities.ts';

/** By what the data of a contact is found, live or deleted. */
export const identifiersOfContact = async (
  companyId: number,
  id: number,
): Promise<Pick<ErasureSubject, 'phone' | 'userId' | 'email' | 'name'> | Problem<'not_found'>> => {
  const contact = await getContactById(companyId, id, true);
  if (contact === undefined) return problem('not_found');
  const { phone, userId, email, name } = contact;
  return { phone: phone === '' ? undefined : phone, userId, email, name };
};

/** The subject without the identifiers of a recipient who is a contact again: what they find belongs to that contact. */
export const ownIdentifiers = async (subject: ErasureSubject): Promise<ErasureSubject> => {
  const { companyId, contactId, phone, userId } = subject;
  const identities = await Promise.all([
    phone === undefined ? undefined : getPhoneIdentity(companyId, phone, true),
    userId === undefined ? undefined : getUserIdentity(companyId, userId, true),
  ]);
  const isContactAgain = identities.some((identity) => identity && identity.contactId !== contactId && identity.expires === undefined);
  return isContactAgain ? { companyId, contactId } : subject;
};

/** Remembers the identities as hashes, then removes the contact: first hidden, as any deletion, so that counts and search follow. */
export const isContactLeft = async (subject: ErasureSubject): Promise<boolean> => {
  const { companyId, contactId } = subject;
  const hashes = await hashIdentities(companyId, subject);
  const [contact, remembered, identities] = await Promise.all([
    getContactById(companyId, contactId, true),
    getErasedIdentities(companyId, hashes),
    identitiesOf(subject),
  ]);
  return contact !== undefined || remembered.length < hashes.length || identities.length > 0;
};

export const removeContact = async (subject: ErasureSubject): Promise<void> => {
  const { companyId, contactId } = subject;
  for (const hash of [anyErased, ...(await hashIdentities(companyId, subject))])
    await putErasedIdentity({ companyId, hash, erasedAt: now() });
  if (isLive(await getContactById(companyId, contactId, true))) await deleteContact(companyId, contactId);
  for (const identity of await identitiesOf(subject)) await deleteIdentity(identity);
  await deleteContactRow(companyId, contactId);
};

async function identitiesOf({ companyId, contactId, phone, userId }: ErasureSubject) {
  const identities = await Promise.all([
    phone === undefined ? undefined : getPhoneIdentity(companyId, canonicalPhone(phone), true),
    userId === undefined ? undefined : getUserIdentity(companyId, userId, true),
  ]);
  return identities.filter((identity) => identity !== undefined).filter((identity) => identity.contactId === contactId);
}
