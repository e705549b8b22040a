import { type ErasureSubject, phonesOf, userIdsOf } from '../../../shared/contract/erasure.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { isLive } from '../domain/contact.ts';
import { deleteContact } from './contacts.ts';
import { deleteContactRow, deleteIdentity, getContactById, getPhoneIdentity, getUserIdentity, type Identity } from '../store/contact.ts';
import { getErasedIdentities, putErasedIdentity } from '../store/erased-identity.ts';
import { anyErased, hashIdentities } from './erased-identities.ts';
import { followMerges } from './followed-contacts.ts';

/**
 * By what the data of a contact is found, live or deleted: the contact first, with all identities that lead or led to it, then the ids of those
 * that were merged into it.
 */
export const subjectsOfContact = async (
  companyId: number,
  id: number,
): Promise<[ErasureSubject, ...ErasureSubject[]] | Problem<'not_found'>> => {
  const contact = await followMerges(companyId, id, { consistent: true });
  if (contact === undefined) return problem('not_found');
  const { phone, userId, email, name, mergedIds = [], aliases = [], former = [] } = contact;
  const valuesOf = (kind: string): string[] => aliases.filter((alias) => alias.startsWith(kind)).map((alias) => alias.slice(kind.length));
  const subject: ErasureSubject = {
    companyId,
    contactId: contact.id,
    phone: phone === '' ? undefined : phone,
    userId,
    email,
    name,
    formerPhones: [...new Set([...valuesOf('phone:'), ...former.map((each) => each.phone)])].filter((each) => each !== phone),
    formerUserIds: valuesOf('user:'),
  };
  return [subject, ...mergedIds.map((contactId) => ({ companyId, contactId, email, name }))];
};

/** The subject without the identifiers of a recipient who is a contact again: what they find belongs to that contact. */
export const ownIdentifiers = async (subject: ErasureSubject): Promise<ErasureSubject> => {
  const { companyId, contactId, phone, userId, formerPhones = [], formerUserIds = [] } = subject;
  const contact = await getContactById(companyId, contactId, { consistent: true });
  const own = [contactId, contact?.mergedInto];
  const isOthers = (identity: Identity | undefined): boolean =>
    identity !== undefined && !own.includes(identity.contactId) && identity.expires === undefined;
  const isOthersPhone = async (each: string): Promise<boolean> => isOthers(await getPhoneIdentity(companyId, each, { consistent: true }));
  const isOthersUserId = async (each: string): Promise<boolean> => isOthers(await getUserIdentity(companyId, each, { consistent: true }));
  const [isContactAgain, phonesOfOthers, userIdsOfOthers] = await Promise.all([
    Promise.all([phone === undefined ? false : isOthersPhone(phone), userId === undefined ? false : isOthersUserId(userId)]),
    Promise.all(formerPhones.map(isOthersPhone)),
    Promise.all(formerUserIds.map(isOthersUserId)),
  ]);
  return {
    ...(isContactAgain.includes(true) ? { companyId, contactId } : subject),
    formerPhones: formerPhones.filter((_, place) => phonesOfOthers[place] !== true),
    formerUserIds: formerUserIds.filter((_, place) => userIdsOfOthers[place] !== true),
  };
};

/** Remembers the identities as hashes, then removes the contact: first hidden, as any deletion, so that counts and search follow. */
export const isContactLeft = async (subject: ErasureSubject): Promise<boolean> => {
  const { companyId, contactId } = subject;
  const hashes = await hashesOf(subject);
  const [contact, remembered, identities] = await Promise.all([
    getContactById(companyId, contactId, { consistent: true }),
    getErasedIdentities(companyId, hashes),
    identitiesOf(subject),
  ]);
  return contact !== undefined || remembered.length < hashes.length || identities.length > 0;
};

export const removeContact = async (subject: ErasureSubject): Promise<void> => {
  const { companyId, contactId } = subject;
  for (const hash of [anyErased, ...(await hashesOf(subject))]) await putErasedIdentity({ companyId, hash, erasedAt: now() });
  const contact = await getContactById(companyId, contactId, { consistent: true });
  if (isLive(contact)) await deleteContact(companyId, contactId);
  // a former phone is a row of the contact that had it
  for (const { phone } of contact?.former ?? [])
    for (const owner of [contactId, ...(contact?.mergedIds ?? [])])
      await deleteIdentity({ companyId, by: 'phone', value: canonicalPhone(phone), contactId: owner });
  for (const identity of await identitiesOf(subject)) await deleteIdentity(identity);
  await deleteContactRow(companyId, contactId);
};

/** Each identity by itself: who comes back has one of them. */
const hashesOf = async (subject: ErasureSubject): Promise<string[]> => {
  const identities = [...phonesOf(subject).map((phone) => ({ phone })), ...userIdsOf(subject).map((userId) => ({ userId }))];
  return (await Promise.all(identities.map((each) => hashIdentities(subject.companyId, each)))).flat();
};

async function identitiesOf(subject: ErasureSubject): Promise<Identity[]> {
  const { companyId, contactId } = subject;
  const identities = await Promise.all([
    ...phonesOf(subject).map((phone) => getPhoneIdentity(companyId, phone, { consistent: true })),
    ...userIdsOf(subject).map((userId) => getUserIdentity(companyId, userId, { consistent: true })),
  ]);
  return identities.filter((identity) => identity?.contactId === contactId).filter((identity) => identity !== undefined);
}
