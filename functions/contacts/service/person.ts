import { now } from '../../../shared/runtime/clock.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { takeIds } from '../../../shared/table/head.ts';
import { contactEntityName } from '../contract/stored.ts';
import { changed, type Contact, isLive, newContact, restored } from '../domain/contact.ts';
import { canonicalPhone, countryOfPhone } from '../domain/phone.ts';
import { contactIdByPhone, ensureContact } from '../service.ts';
import { createContact, findContact, findUserIdentity, moveContact } from '../store/contact.ts';
import { listFields } from '../store/field.ts';
import { withoutLost } from './meeting.ts';

/**
 * People as the provider names them (provider reference §3.6): by phone, by a user id of its own, or by both. The phone, where there is
 * one, decides; a user id is a second identity of the same contact, and the only one of a person whose phone is hidden.
 */
export interface PersonNames {
  /** Digits with country code. */
  phone?: string | undefined;
  userId?: string | undefined;
}

/** The contact of a person; undefined when there is none, or a deleted one. 0.5 RRU when the first name is known. */
export const findPerson = async (companyId: number, { phone, userId }: PersonNames): Promise<number | undefined> => {
  const byPhone = phone === undefined ? undefined : await contactIdByPhone(companyId, phone);
  if (byPhone !== undefined || userId === undefined) return byPhone;
  const identity = await findUserIdentity(companyId, userId, false);
  return identity?.expires === undefined ? identity?.contactId : undefined;
};

/**
 * The contact of a person who wrote, made when there is none and restored when it was deleted; learns the phone, the user id and, where
 * there is none, the name. Nothing new: nothing is written. 0.5 RRU for one who is known, and once in a process 0.5 more for a user id.
 * Who is known by both their phone and their user id, as two contacts, is met as the one with the phone, and from then on the user id
 * leads there too.
 */
export const ensurePerson = async (
  companyId: number,
  { phone, userId, name }: PersonNames & { name?: string | undefined },
): Promise<number> => {
  const known = await findPerson(companyId, { phone, userId });
  const pair = `${companyId} ${phone} ${userId}`;
  if (known !== undefined && (phone === undefined || userId === undefined || linked.has(pair))) return known;
  const id = known ?? (await made(companyId, { phone, userId, name }));
  if (phone === undefined || userId === undefined) return id;
  if (!(await renamePerson(companyId, id, { phone, userId })) && (await leaveUserId(companyId, userId, id)))
    await renamePerson(companyId, id, { phone, userId });
  if (linked.size >= 20_000) linked.clear();
  linked.add(pair);
  return id;
};

/**
 * A person has another phone or user id now. False: the new one is another contact's, and nothing was changed. The same change again
 * writes nothing.
 */
export const renamePerson = async (companyId: number, contactId: number, names: PersonNames): Promise<boolean> => {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const seen = await findContact(companyId, contactId, true);
    if (!isLive(seen)) return false;
    const wanted = named(seen, names);
    const next = changed(seen, wanted, now());
    if (!next) return true;
    const outcome = await moveContact(seen, next);
    if (outcome === 'done') return true;
    if (outcome === 'taken') return false;
  }
  throw new Error('A contact changed too often to be renamed.');
};

/** A contact made for a user id alone turns out to be somebody whose phone was known: the user id goes over. False: it stays. */
async function leaveUserId(companyId: number, userId: string, heirId: number): Promise<boolean> {
  const identity = await findUserIdentity(companyId, userId, true);
  const seen = identity && (await findContact(companyId, identity.contactId, true));
  if (!seen || seen.id === heirId || seen.phone !== '' || seen.userId !== userId) return false;
  const { userId: _gone, ...rest } = seen;
  const next = changed(seen, rest, now());
  return next !== undefined && (await moveContact(seen, next)) === 'done';
}

const maxAttempts = 12;

/** Pairs of phone and user id that are known to be one contact's: a fact that holds, so that not every message asks for it again. */
const linked = new Set<string>();

function named(contact: Contact, { phone, userId }: PersonNames): Contact {
  const isSamePhone = phone === undefined || (contact.phone !== '' && canonicalPhone(phone) === canonicalPhone(contact.phone));
  const country = isSamePhone ? contact.country : (contact.country ?? countryOfPhone(phone));
  return {
    ...contact,
    ...(isSamePhone ? {} : { phone }),
    ...(country === undefined ? {} : { country }),
    ...(userId === undefined ? {} : { userId }),
  };
}

async function made(companyId: number, { phone, userId, name }: PersonNames & { name?: string | undefined }): Promise<number> {
  if (phone !== undefined) {
    const ensured = await ensureContact(companyId, { phone, source: 'inbound', ...(name ? { name } : {}) });
    if (isProblem(ensured)) throw new Error(`A contact who wrote was refused: ${ensured.problem}.`);
    return ensured.contact.id;
  }
  if (userId === undefined) throw new Error('A person without a phone and without a user id cannot be found again.');
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const identity = await findUserIdentity(companyId, userId, true);
    const seen = identity && (await findContact(companyId, identity.contactId, true));
    if (seen && seen.deletedAt === undefined) return seen.id;
    const at = now();
    if (seen) {
      const own = await withoutLost(seen, 'phone');
      const again = changed(own, restored(own), at);
      if (again && (await moveContact(own, again)) === 'done') return seen.id;
      continue;
    }
    const [id, fields] = await Promise.all([takeIds(companyId, contactEntityName, 1), listFields(companyId)]);
    const given = { phone: '', phoneCountry: undefined, ...(name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}) };
    const contact = { ...newContact(companyId, id, given, at, fields), userId, isOnWhatsapp: true };
    if ((await createContact(contact)) === 'done') return id;
  }
  throw new Error('A contact was made by too many at once.');
}
