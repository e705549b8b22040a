import { now } from '../../../shared/runtime/clock.ts';
import { processSet } from '../../../shared/runtime/memory.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { changed, isLive, newContact, restored } from '../domain/contact.ts';
import { canonicalPhone, countryOfPhone } from '../contract/phone.ts';
import { contactIdByPhone, ensureContact } from '../service.ts';
import { createContactAndIdentities, getContactById, getUserIdentity, updateContactAndIdentities } from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { isErased, unsubscribed } from './erased-identities.ts';
import { withoutLostIdentity } from './upsert-by-identity.ts';

/**
 * Contacts as the provider identifies them: by phone, by its business-scoped user id, or by both. The phone decides; a user id is a second
 * identity of the same contact, and the only one when the phone is hidden. See docs/decisions/contact-identity.md.
 */
export interface Identities {
  /** Digits with country code. */
  phone?: string | undefined;
  userId?: string | undefined;
}

/** The id of the live contact with these identities, if any. 0.5 RRU if the first identity is known. */
export const findContactId = async (companyId: number, { phone, userId }: Identities): Promise<number | undefined> => {
  const byPhone = phone === undefined ? undefined : await contactIdByPhone(companyId, phone);
  if (byPhone !== undefined || userId === undefined) return byPhone;
  const identity = await getUserIdentity(companyId, userId, false);
  return identity?.expires === undefined ? identity?.contactId : undefined;
};

/**
 * The contact id of an inbound sender. Creates or restores the contact and adds a new phone or user id; writes nothing when all is known.
 * If phone and user id belong to two contacts, the user id moves to the contact with the phone. A name is learned where there is none.
 * 0.5 RRU for a known sender; once per process 0.5 more to check its name and user id.
 */
export const ensureContactId = async (
  companyId: number,
  { phone, userId, name }: Identities & { name?: string | undefined },
): Promise<number> => {
  const known = await findContactId(companyId, { phone, userId });
  const pair = `${companyId} ${phone} ${userId} ${name === undefined ? '' : 'named'}`;
  const hasBoth = phone !== undefined && userId !== undefined;
  if (known !== undefined && (linkedIdentities.has(pair) || (!hasBoth && name === undefined))) return known;
  const id = known ?? (await createInboundContact(companyId, { phone, userId, name }));
  if (hasBoth) await joinIdentities(companyId, id, { phone, userId, name });
  else if (known !== undefined) await learnName(companyId, id, name);
  if (linkedIdentities.size >= 20_000) linkedIdentities.clear();
  linkedIdentities.add(pair);
  return id;
};

/** Joins what one message or status names together; a twin that has only the user id gives it up. 1 RRU when all is known. */
export const joinIdentities = async (companyId: number, contactId: number, given: Identities & { name?: string | undefined }) => {
  const { userId } = given;
  if (await updateIdentities(companyId, contactId, given)) return;
  if (userId !== undefined && (await releaseUserId(companyId, userId, contactId))) await updateIdentities(companyId, contactId, given);
};

/** Joins the phone and the user id that a status names, where its contact is known; once per process. 1.5 RRU. */
export const linkUserId = async (companyId: number, phone: string, userId: string): Promise<void> => {
  const pair = `${companyId} ${phone} ${userId} `;
  if (linkedIdentities.has(pair)) return;
  const contactId = await contactIdByPhone(companyId, phone);
  if (contactId !== undefined) await joinIdentities(companyId, contactId, { phone, userId });
  linkedIdentities.add(pair);
};

/** 0.5 RRU; 2 WRU when the contact had no name. */
async function learnName(companyId: number, contactId: number, name: string | undefined): Promise<void> {
  if (!name?.trim() || (await getContactById(companyId, contactId, false))?.name !== undefined) return;
  await updateIdentities(companyId, contactId, { name });
}

/**
 * Sets the phone or user id of a contact. False: another contact has the new one, or the contact is deleted; nothing was written. Repeating
 * the change writes nothing.
 */
export const updateIdentities = async (
  companyId: number,
  contactId: number,
  identities: Identities & { name?: string | undefined },
): Promise<boolean> => {
  return retryOnConflict(maxAttempts, async () => {
    const seen = await getContactById(companyId, contactId, true);
    if (!isLive(seen)) return false;
    const wanted = withIdentities(seen, identities);
    const next = changed(seen, wanted, now());
    if (!next) return true;
    const outcome = await updateContactAndIdentities(seen, next);
    if (outcome === 'done') return true;
    return outcome === 'taken' ? false : conflict;
  });
};

/** Removes the user id from a contact without a phone, so that the contact with the phone can have it. False: the user id stays. */
async function releaseUserId(companyId: number, userId: string, heirId: number): Promise<boolean> {
  const identity = await getUserIdentity(companyId, userId, true);
  const seen = identity && (await getContactById(companyId, identity.contactId, true));
  if (!seen || seen.id === heirId || seen.phone !== '' || seen.userId !== userId) return false;
  const { userId: _gone, ...rest } = seen;
  const next = changed(seen, rest, now());
  return next !== undefined && (await updateContactAndIdentities(seen, next)) === 'done';
}

const maxAttempts = 12;

/** Phones and user ids whose contact is known to have both, and a name where one came, so that not every message reads it again. */
const linkedIdentities = processSet<string>();

function withIdentities(contact: Contact, { phone, userId, name }: Identities & { name?: string | undefined }): Contact {
  const isSamePhone = phone === undefined || (contact.phone !== '' && canonicalPhone(phone) === canonicalPhone(contact.phone));
  const country = isSamePhone ? contact.country : (contact.country ?? countryOfPhone(phone));
  return {
    ...contact,
    ...(isSamePhone ? {} : { phone }),
    ...(country === undefined ? {} : { country }),
    ...(userId === undefined ? {} : { userId }),
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
  };
}

async function createInboundContact(
  companyId: number,
  { phone, userId, name }: Identities & { name?: string | undefined },
): Promise<number> {
  if (phone !== undefined) {
    const ensured = await ensureContact(companyId, { phone, source: 'inbound', ...(name ? { name } : {}) });
    if (isProblem(ensured)) throw new Error(`The contact of an inbound message was refused: ${ensured.problem}.`);
    return ensured.contact.id;
  }
  if (userId === undefined) throw new Error('A sender without phone and user id has no identity.');
  return retryOnConflict(maxAttempts, async () => {
    const identity = await getUserIdentity(companyId, userId, true);
    const seen = identity && (await getContactById(companyId, identity.contactId, true));
    if (seen && seen.deletedAt === undefined) return seen.id;
    const at = now();
    if (seen) {
      const own = await withoutLostIdentity(seen, 'phone');
      const again = changed(own, restored(own), at);
      return again && (await updateContactAndIdentities(own, again)) === 'done' ? seen.id : conflict;
    }
    const [id, fields] = await Promise.all([nextIds(companyId, contactEntityName, 1), listFieldDefinitions(companyId)]);
    const given = { phone: '', phoneCountry: undefined, ...(name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}) };
    const created = { ...newContact(companyId, id, given, at, fields), userId, isOnWhatsapp: true };
    const contact = (await isErased(companyId, { userId })) ? unsubscribed(created) : created;
    return (await createContactAndIdentities(contact)) === 'done' ? id : conflict;
  });
}
