import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { canonicalPhone } from '../contract/phone.ts';
import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { deleteContact } from '../service.ts';
import { deleteContactRow, deleteIdentity, getContactById, getPhoneIdentity, getUserIdentity } from '../store/contact.ts';
import { getErasedIdentities, putErasedIdentity } from '../store/erased-identity.ts';
import { anyErased, hashIdentities } from './erased-identities.ts';
import { followMerges } from './followed-contacts.ts';

/**
 * By what the data of a contact is found, live or deleted: the contact first, then those that were merged into it, with the identities that
 * they may have had.
 */
export const subjectsOfContact = async (
  companyId: number,
  id: number,
): Promise<[ErasureSubject, ...ErasureSubject[]] | Problem<'not_found'>> => {
  const contact = await followMerges(companyId, id, true);
  if (contact === undefined) return problem('not_found');
  const { phone, userId, email, name } = contact;
  return [{ companyId, contactId: contact.id, phone: phone === '' ? undefined : phone, userId, email, name }, ...mergedSubjects(contact)];
};

/** One for each contact that was merged into it. */
export const mergedSubjects = ({ companyId, mergedIds = [], aliases = [], name, email }: Contact): ErasureSubject[] => {
  const valuesOf = (kind: string): string[] => aliases.filter((alias) => alias.startsWith(kind)).map((alias) => alias.slice(kind.length));
  const [phones, userIds] = [valuesOf('phone:'), valuesOf('user:')];
  return mergedIds.map((contactId, nth) => ({ companyId, contactId, phone: phones[nth], userId: userIds[nth], email, name }));
};

/** The subject without the identifiers of a recipient who is a contact again: what they find belongs to that contact. */
export const ownIdentifiers = async (subject: ErasureSubject): Promise<ErasureSubject> => {
  const { companyId, contactId, phone, userId } = subject;
  const [contact, ...identities] = await Promise.all([
    getContactById(companyId, contactId, true),
    phone === undefined ? undefined : getPhoneIdentity(companyId, phone, true),
    userId === undefined ? undefined : getUserIdentity(companyId, userId, true),
  ]);
  const own = [contactId, contact?.mergedInto];
  const isContactAgain = identities.some((identity) => identity && !own.includes(identity.contactId) && identity.expires === undefined);
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
  const contact = await getContactById(companyId, contactId, true);
  if (isLive(contact)) await deleteContact(companyId, contactId);
  // a former phone is a row of the contact that had it
  for (const { phone } of contact?.former ?? [])
    for (const owner of [contactId, ...(contact?.mergedIds ?? [])])
      await deleteIdentity({ companyId, by: 'phone', value: canonicalPhone(phone), contactId: owner });
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
