import { now } from '../../../shared/runtime/clock.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { changed, type Contact, isLive, newContact, restored } from '../domain/contact.ts';
import { canonicalPhone, countryOfPhone } from '../contract/phone.ts';
import { contactIdByPhone, ensureContact } from '../service.ts';
import { createContactAndIdentities, getContactById, getUserIdentity, updateContactAndIdentities } from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { withoutLostIdentity } from './upsert-by-identity.ts';

/**
 * People as the provider names them (provider reference §3.6): by phone, by a user id of its own, or by both. The phone, where there is
 * one, decides; a user id is a second identity of the same contact, and the only one of a person whose phone is hidden.
 */
export interface Identities {
  /** Digits with country code. */
  phone?: string | undefined;
  userId?: string | undefined;
}

/** The contact of a person; undefined when there is none, or a deleted one. 0.5 RRU when the first name is known. */
export const findContactId = async (companyId: number, { phone, userId }: Identities): Promise<number | undefined> => {
  const byPhone = phone === undefined ? undefined : await contactIdByPhone(companyId, phone);
  if (byPhone !== undefined || userId === undefined) return byPhone;
  const identity = await getUserIdentity(companyId, userId, false);
  return identity?.expires === undefined ? identity?.contactId : undefined;
};

/**
 * The contact of a person who wrote, made when there is none and restored when it was deleted; learns the phone, the user id and, where
 * there is none, the name. Nothing new: nothing is written. 0.5 RRU for one who is known, and once in a process 0.5 more for a user id.
 * Who is known by both their phone and their user id, as two contacts, is met as the one with the phone, and from then on the user id
 * leads there too.
 */
export const ensureContactId = async (
  companyId: number,
  { phone, userId, name }: Identities & { name?: string | undefined },
): Promise<number> => {
  const known = await findContactId(companyId, { phone, userId });
  const pair = `${companyId} ${phone} ${userId}`;
  if (known !== undefined && (phone === undefined || userId === undefined || linkedIdentities.has(pair))) return known;
  const id = known ?? (await createInboundContact(companyId, { phone, userId, name }));
  if (phone === undefined || userId === undefined) return id;
  if (!(await updateIdentities(companyId, id, { phone, userId })) && (await releaseUserId(companyId, userId, id)))
    await updateIdentities(companyId, id, { phone, userId });
  if (linkedIdentities.size >= 20_000) linkedIdentities.clear();
  linkedIdentities.add(pair);
  return id;
};

/**
 * A person has another phone or user id now. False: the new one is another contact's, and nothing was changed. The same change again
 * writes nothing.
 */
export const updateIdentities = async (companyId: number, contactId: number, identities: Identities): Promise<boolean> => {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const seen = await getContactById(companyId, contactId, true);
    if (!isLive(seen)) return false;
    const wanted = withIdentities(seen, identities);
    const next = changed(seen, wanted, now());
    if (!next) return true;
    const outcome = await updateContactAndIdentities(seen, next);
    if (outcome === 'done') return true;
    if (outcome === 'taken') return false;
  }
  throw new Error('A contact changed too often to be renamed.');
};

/** A contact made for a user id alone turns out to be somebody whose phone was known: the user id goes over. False: it stays. */
async function releaseUserId(companyId: number, userId: string, heirId: number): Promise<boolean> {
  const identity = await getUserIdentity(companyId, userId, true);
  const seen = identity && (await getContactById(companyId, identity.contactId, true));
  if (!seen || seen.id === heirId || seen.phone !== '' || seen.userId !== userId) return false;
  const { userId: _gone, ...rest } = seen;
  const next = changed(seen, rest, now());
  return next !== undefined && (await updateContactAndIdentities(seen, next)) === 'done';
}

const maxAttempts = 12;

/** Pairs of phone and user id that are known to be one contact's: a fact that holds, so that not every message asks for it again. */
const linkedIdentities = new Set<string>();

function withIdentities(contact: Contact, { phone, userId }: Identities): Contact {
  const isSamePhone = phone === undefined || (contact.phone !== '' && canonicalPhone(phone) === canonicalPhone(contact.phone));
  const country = isSamePhone ? contact.country : (contact.country ?? countryOfPhone(phone));
  return {
    ...contact,
    ...(isSamePhone ? {} : { phone }),
    ...(country === undefined ? {} : { country }),
    ...(userId === undefined ? {} : { userId }),
  };
}

async function createInboundContact(
  companyId: number,
  { phone, userId, name }: Identities & { name?: string | undefined },
): Promise<number> {
  if (phone !== undefined) {
    const ensured = await ensureContact(companyId, { phone, source: 'inbound', ...(name ? { name } : {}) });
    if (isProblem(ensured)) throw new Error(`A contact who wrote was refused: ${ensured.problem}.`);
    return ensured.contact.id;
  }
  if (userId === undefined) throw new Error('A person without a phone and without a user id cannot be found again.');
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const identity = await getUserIdentity(companyId, userId, true);
    const seen = identity && (await getContactById(companyId, identity.contactId, true));
    if (seen && seen.deletedAt === undefined) return seen.id;
    const at = now();
    if (seen) {
      const own = await withoutLostIdentity(seen, 'phone');
      const again = changed(own, restored(own), at);
      if (again && (await updateContactAndIdentities(own, again)) === 'done') return seen.id;
      continue;
    }
    const [id, fields] = await Promise.all([nextIds(companyId, contactEntityName, 1), listFieldDefinitions(companyId)]);
    const given = { phone: '', phoneCountry: undefined, ...(name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}) };
    const contact = { ...newContact(companyId, id, given, at, fields), userId, isOnWhatsapp: true };
    if ((await createContactAndIdentities(contact)) === 'done') return id;
  }
  throw new Error('A contact was made by too many at once.');
}
