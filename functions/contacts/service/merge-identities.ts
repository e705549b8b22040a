import { now } from '../../../shared/runtime/clock.ts';
import { processSet } from '../../../shared/runtime/memory.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact, FormerPhone } from '../contract/stored.ts';
import { changed, isLive, isReachedBy, newContact, phoneAlias, restored, userAlias, withAliases, withFormer } from '../domain/contact.ts';
import { canonicalPhone, countryOfPhone } from '../contract/phone.ts';
import { contactIdByPhone, ensureContact } from '../service.ts';
import {
  createContactAndIdentities,
  getContactById,
  getPhoneIdentity,
  getUserIdentity,
  type Identity,
  updateContactAndIdentities,
} from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { isErased, unsubscribed } from './erased-identities.ts';
import { followMerges } from './followed-contacts.ts';
import { joinContacts } from './merge-contacts.ts';
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

interface Given extends Identities {
  name?: string | undefined;
  /** A user id that the contact had before, so that a late message with it is its own and changes nothing. */
  formerUserId?: string | undefined;
  /** A phone that was its own until then, epoch milliseconds. */
  formerPhone?: FormerPhone | undefined;
  /** Up to when a phone that this one replaces was its own; until now unless given. */
  at?: number | undefined;
}

/** The contact of a message, and those that became part of it: an earlier delivery may have stored the message with one of them. */
export interface Sender {
  contactId: number;
  mergedIds: readonly number[];
  /** It was found by a phone that it has no more. */
  isLate?: true;
}

/** The id of the live contact with these identities, if any. 0.5 RRU if the first identity is known. */
export const findContactId = async (companyId: number, identities: Identities): Promise<number | undefined> =>
  (await findSender(companyId, identities))?.contactId;

/** `at`: who had the identities then. */
export const findSender = async (companyId: number, { phone, userId }: Identities, at?: number): Promise<Sender | undefined> => {
  const byPhone = phone === undefined ? undefined : await getPhoneIdentity(companyId, phone, false, at);
  if (byPhone?.until !== undefined) return formerSender(companyId, byPhone);
  if (byPhone && byPhone.expires === undefined) return senderOf(byPhone);
  const byUserId = userId === undefined ? undefined : await getUserIdentity(companyId, userId, false);
  return byUserId && byUserId.expires === undefined ? senderOf(byUserId) : undefined;
};

/** A former phone is not written again when its contact is merged. */
async function formerSender(companyId: number, { contactId }: Identity): Promise<Sender | undefined> {
  const contact = await followMerges(companyId, contactId, false);
  return isLive(contact) ? { ...toSender(contact), isLate: true } : undefined;
}

const senderOf = ({ contactId, mergedIds = [] }: Identity): Sender => ({ contactId, mergedIds });
const toSender = ({ id, mergedIds = [] }: Contact): Sender => ({ contactId: id, mergedIds });

/** As ensureSender, where only the contact matters. */
export const ensureContactId = async (companyId: number, identities: Identities & { name?: string | undefined }): Promise<number> =>
  (await ensureSender(companyId, identities)).contactId;

/**
 * The contact of an inbound sender. Creates or restores the contact and adds a new phone or user id; writes nothing when all is known.
 * Contacts of the phone and of the user id that turn out to be one become one. A name is learned where there is none. `at`: the time of the
 * message, epoch milliseconds; a phone that moved since then is still its sender's.
 * 0.5 RRU for a known sender; once per process 0.5 more to check its name and user id.
 */
export const ensureSender = async (
  companyId: number,
  { phone, userId, name }: Identities & { name?: string | undefined },
  at?: number,
): Promise<Sender> => {
  const known = await findSender(companyId, { phone, userId }, at);
  const pair = `${companyId} ${phone} ${userId} ${name === undefined ? '' : 'named'}`;
  const hasBoth = phone !== undefined && userId !== undefined;
  if (known && (known.isLate || linkedIdentities.has(pair) || (!hasBoth && name === undefined))) return known;
  const contactId = known?.contactId ?? (await createInboundContact(companyId, { phone, userId, name }));
  const joined = hasBoth ? await joinIdentities(companyId, contactId, { phone, userId, name, at }) : undefined;
  if (!hasBoth && known !== undefined) await learnName(companyId, contactId, name);
  if (linkedIdentities.size >= 20_000) linkedIdentities.clear();
  linkedIdentities.add(pair);
  return joined ? toSender(joined) : (known ?? { contactId, mergedIds: [] });
};

/**
 * Joins what one message or status names together: a contact that has the user id alone becomes part of the contact. Undefined: another one
 * has the user id with a phone of its own, and keeps it. 1 RRU when all is known.
 */
export const joinIdentities = async (companyId: number, contactId: number, given: Given): Promise<Contact | undefined> => {
  const { userId } = given;
  const written = await writeIdentities(companyId, contactId, given);
  if (written || userId === undefined) return written;
  const identity = await getUserIdentity(companyId, userId, true);
  const twin = identity && (await getContactById(companyId, identity.contactId, true));
  if (!isLive(twin) || twin.phone !== '' || twin.id === contactId) return undefined;
  const joined = await joinContacts(companyId, contactId, twin.id);
  return typeof joined === 'string' ? undefined : writeIdentities(companyId, joined.id, given);
};

/** Joins the phone and the user id that a status names, where its contact is known; once per process. 1.5 RRU. */
export const linkUserId = async (companyId: number, phone: string, userId: string): Promise<void> => {
  const pair = `${companyId} ${phone} ${userId} `;
  if (linkedIdentities.has(pair)) return;
  const contactId = await contactIdByPhone(companyId, phone);
  if (contactId !== undefined) await joinIdentities(companyId, contactId, { phone, userId });
  linkedIdentities.add(pair);
};

/**
 * Applies that a recipient has another phone or user id since `until` (epoch milliseconds; `at`: who had the phones then, where that is not the
 * same): the contact of the former identities has them from then on, and becomes part of the one that wrote with them before. Late, repeated or out of order it leaves the same contact: where
 * none is known yet, the new phone becomes a contact. Undefined: none is known, and there is no phone.
 */
export const moveIdentities = (
  companyId: number,
  former: Identities,
  current: Identities,
  { until, at = until }: { until: number; at?: number },
): Promise<Sender | undefined> =>
  retryOnConflict<Sender | undefined>(maxAttempts, async () => {
    const [is, was] = await Promise.all([findSender(companyId, current, at), findSender(companyId, former, at)]);
    const isUnknown = !is && !was && current.phone !== undefined;
    const known = is ?? was ?? (isUnknown ? await ensureSender(companyId, current) : undefined);
    if (!known) return undefined;
    const contact =
      is && was && is.contactId !== was.contactId ? await joinMoved(companyId, is.contactId, was.contactId, until) : undefined;
    const formerPhone = former.phone === undefined || current.phone === undefined ? undefined : { phone: former.phone, until };
    // a later change came before this one
    const given = { ...(is?.isLate ? { userId: current.userId } : current), formerUserId: former.userId, formerPhone };
    const written = await joinIdentities(companyId, contact?.id ?? known.contactId, given);
    if (written) return toSender(written);
    // another contact may have got one of the identities in between
    const [owner, left] = await Promise.all([findSender(companyId, current, at), findSender(companyId, former, at)]);
    const isSeen = (owner ?? known).contactId === known.contactId && (left ?? was)?.contactId === was?.contactId;
    return isSeen ? known : conflict;
  });

/** The contact that has a phone takes in the other one; of two with a phone, the one with the phone of today. */
async function joinMoved(companyId: number, isId: number, wasId: number, until: number): Promise<Contact | undefined> {
  const [is, was] = await Promise.all([getContactById(companyId, isId, true), getContactById(companyId, wasId, true)]);
  if (!isLive(is) || !isLive(was)) return undefined;
  const [contact, twin] = is.phone === '' && was.phone !== '' ? [was, is] : [is, was];
  const joined = await joinContacts(companyId, contact.id, twin.id, until);
  return typeof joined === 'string' ? undefined : joined;
}

/** 0.5 RRU; 2 WRU when the contact had no name. */
async function learnName(companyId: number, contactId: number, name: string | undefined): Promise<void> {
  if (!name?.trim() || (await getContactById(companyId, contactId, false))?.name !== undefined) return;
  await writeIdentities(companyId, contactId, { name });
}

/**
 * Sets the phone or user id of a contact. False: another contact has the new one, or the contact is deleted; nothing was written. Repeating
 * the change writes nothing.
 */
export const updateIdentities = async (companyId: number, contactId: number, identities: Given): Promise<boolean> =>
  (await writeIdentities(companyId, contactId, identities)) !== undefined;

/** The contact as it is then; undefined where updateIdentities is false. */
const writeIdentities = (companyId: number, contactId: number, identities: Given): Promise<Contact | undefined> =>
  retryOnConflict<Contact | undefined>(maxAttempts, async () => {
    const seen = await followMerges(companyId, contactId, true);
    if (!isLive(seen)) return undefined;
    const next = changed(seen, withIdentities(seen, identities), now());
    if (!next) return seen;
    const outcome = await updateContactAndIdentities(seen, next);
    if (outcome === 'done') return next;
    return outcome === 'taken' ? undefined : conflict;
  });

const maxAttempts = 12;

/** Phones and user ids whose contact is known to have both, and a name where one came, so that not every message reads it again. */
const linkedIdentities = processSet<string>();

/**
 * A user id that the contact had before comes late, and does not come back. A phone that is not its own replaces the one that it had, which is
 * its former one; of a merged contact's phone, that one changes.
 */
function withIdentities(contact: Contact, { phone, userId, name, formerUserId, formerPhone, at = now() }: Given): Contact {
  const isOther = formerPhone !== undefined && isReachedBy(contact, formerPhone.phone) && !isSamePhone(contact.phone, formerPhone.phone);
  // a later change came first
  const isPast = (contact.former ?? []).some((each) => isSamePhone(each.phone, phone ?? '') && each.until > (formerPhone?.until ?? at));
  const isOwn = phone === undefined || isSamePhone(contact.phone, phone) || isPast;
  const isKnown = isOwn || (formerPhone === undefined && isReachedBy(contact, phone));
  const isReplaced = !isKnown && !isOther;
  const country = isReplaced ? (contact.country ?? countryOfPhone(phone)) : contact.country;
  const left = formerPhone ?? (isReplaced && contact.phone !== '' ? { phone: contact.phone, until: at } : undefined);
  const isFormer = userId !== undefined && contact.aliases?.includes(userAlias(userId)) === true;
  const before = [contact.userId, formerUserId].flatMap((id) => (id === undefined || id === userId ? [] : [userAlias(id)]));
  const others = contact.aliases?.filter((alias) => left === undefined || alias !== phoneAlias(left.phone));
  const moved: Contact = {
    ...contact,
    ...(others === undefined ? {} : { aliases: others }),
    ...(isReplaced ? { phone } : {}),
    ...(country === undefined ? {} : { country }),
    ...(userId === undefined || isFormer ? {} : { userId }),
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
  };
  const learned = userId === undefined && formerUserId === undefined ? [] : before;
  return withAliases(left ? withFormer(moved, [left]) : moved, [...learned, ...(isOther && !isKnown ? [phoneAlias(phone)] : [])]);
}

const isSamePhone = (own: string, phone: string): boolean => own !== '' && canonicalPhone(own) === canonicalPhone(phone);

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
