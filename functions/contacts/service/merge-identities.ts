import { now } from '../../../shared/runtime/clock.ts';
import { processSet } from '../../../shared/runtime/memory.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact, FormerPhone } from '../contract/stored.ts';
import { changed, hasOwnPhone, isLive, isReachedBy, newContact, restored } from '../domain/contact.ts';
import { type GivenIdentities, isSamePhone, withIdentities } from '../domain/identities.ts';
import { ensureContact } from '../service.ts';
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
import { goneOwnerId, withoutLostIdentity } from './upsert-by-identity.ts';

/**
 * Contacts as the provider identifies them: by phone, by its business-scoped user id, or by both. The phone decides; a user id is a second
 * identity of the same contact, and the only one when the phone is hidden. See docs/decisions/contact-identity.md.
 */
export interface Identities {
  /** Digits with country code. */
  phone?: string | undefined;
  userId?: string | undefined;
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
export const findSender = async (
  companyId: number,
  { phone, userId }: Identities,
  at?: number,
  consistent = false,
): Promise<Sender | undefined> => {
  const byPhone = phone === undefined ? undefined : await getPhoneIdentity(companyId, phone, consistent, at);
  const former = byPhone?.until === undefined ? undefined : await formerSender(companyId, byPhone, consistent);
  if (former) return former;
  if (byPhone && byPhone.expires === undefined) return senderOf(byPhone);
  const byUserId = userId === undefined ? undefined : await getUserIdentity(companyId, userId, consistent);
  return byUserId && byUserId.expires === undefined ? senderOf(byUserId) : undefined;
};

/** A former phone is not written again when its contact is merged. */
async function formerSender(companyId: number, { contactId }: Identity, consistent: boolean): Promise<Sender | undefined> {
  const contact = await followMerges(companyId, contactId, consistent);
  return isLive(contact) ? { ...toSender(contact), isLate: true } : undefined;
}

const senderOf = ({ contactId, mergedIds = [] }: Identity): Sender => ({ contactId, mergedIds });
const toSender = ({ id, mergedIds = [] }: Contact): Sender => ({ contactId: id, mergedIds });

/** As ensureSender, where only the contact matters. */
export const ensureContactId = async (
  companyId: number,
  identities: Identities & { name?: string | undefined },
  at?: number,
): Promise<number> => (await ensureSender(companyId, identities, at)).contactId;

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
  if (known && (linkedIdentities.has(pair) || (!hasBoth && (name === undefined || known.isLate)))) return known;
  const sender = known ?? (await createInboundContact(companyId, { phone, userId, name }, at));
  const given = { ...(sender.isLate ? {} : { phone }), userId, name, at };
  const joined = hasBoth ? await joinIdentities(companyId, sender.contactId, given) : undefined;
  if (!hasBoth && known !== undefined) await learnName(companyId, sender.contactId, name);
  rememberLinked(pair);
  return joined ? { ...toSender(joined), ...(sender.isLate && { isLate: true }) } : sender;
};

/**
 * Joins what one message or status names together: a contact that has the user id alone becomes part of the contact of the phone. Undefined:
 * another one has the user id with a phone of its own, and is left, unless the provider says that it `hasMoved`. 1 RRU when all is known.
 */
export const joinIdentities = (
  companyId: number,
  contactId: number,
  given: GivenIdentities,
  { hasMoved = false }: { hasMoved?: boolean } = {},
): Promise<Contact | undefined> =>
  retryOnConflict<Contact | undefined>(maxAttempts, async (attempt) => {
    const written = await writeIdentities(companyId, contactId, given);
    if (written || given.userId === undefined) return written;
    // found by one of the identities, it may lack the other, which led elsewhere by then
    const [ofPhone, ofUserId] = await Promise.all([
      given.phone === undefined ? undefined : findSender(companyId, { phone: given.phone }, given.at, true),
      findSender(companyId, { userId: given.userId }, undefined, true),
    ]);
    const contact = await followMerges(companyId, ofPhone?.contactId ?? contactId, true);
    if (!isLive(contact)) return undefined;
    const found = await Promise.all(
      [...new Set([contactId, ofUserId?.contactId ?? contactId])].map((each) => followMerges(companyId, each, true)),
    );
    const twins = found.filter(isLive).filter((twin) => twin.id !== contact.id);
    // another process may have joined them since the write was refused
    if (twins.length === 0) return attempt < 3 ? conflict : undefined;
    for (const twin of twins) {
      if (hasOwnPhone(twin) && !hasMoved) return undefined;
      const joined = await joinContacts(companyId, contact.id, twin.id);
      if (joined === 'full') return undefined;
      if (joined === 'missing') return conflict;
    }
    return (await writeIdentities(companyId, contact.id, ofPhone?.isLate ? { ...given, phone: undefined } : given)) ?? conflict;
  });

/** Joins the phone and the user id that a status names, where its contact is known; once per process. `at`: the time of the status. 1.5 RRU. */
export const linkUserId = async (companyId: number, phone: string, userId: string, at: number): Promise<void> => {
  const pair = `${companyId} ${phone} ${userId} `;
  if (linkedIdentities.has(pair)) return;
  const known = await findSender(companyId, { phone }, at);
  if (!known) return;
  await joinIdentities(companyId, known.contactId, { ...(known.isLate ? {} : { phone }), userId, at });
  rememberLinked(pair);
};

/**
 * Applies that a recipient has another phone or user id since `until` (epoch milliseconds; undefined: at an unknown time): the contact of the former identities has them from then on, and becomes part of the one that wrote with them before. Late, repeated or
 * out of order it leaves the same contact: where none is known yet, the new phone becomes a contact. Undefined: none is known, and there is no
 * phone. Reads consistently, because what it misses no later webhook says again.
 */
export const moveIdentities = (companyId: number, former: Identities, current: Identities, until?: number): Promise<Sender | undefined> =>
  retryOnConflict<Sender | undefined>(maxAttempts, async () => {
    const at = until ?? 0;
    const find = (identities: Identities): Promise<Sender | undefined> => findSender(companyId, identities, at, true);
    const [is, was] = await Promise.all([find(current), find(former)]);
    const isUnknown = !is && !was && current.phone !== undefined;
    const known = is ?? was ?? (isUnknown ? await ensureSender(companyId, current, at) : undefined);
    if (!known) return undefined;
    const formerPhone = formerPhoneOf(former, current, until);
    const joined = is && was ? await joinMoved(companyId, is.contactId, was.contactId, formerPhone) : undefined;
    if (joined === 'missing') return conflict;
    const contactId = joined === undefined || joined === 'full' ? known.contactId : joined.id;
    // a later change came before this one
    const ofPhone = was && !is ? undefined : known;
    const given = { ...(ofPhone?.isLate ? { userId: current.userId } : current), formerUserId: former.userId, formerPhone, at };
    const written = await joinIdentities(companyId, contactId, given, { hasMoved: true });
    if (written) return toSender(written);
    // another contact may have got one of the identities in between
    const [owner, left] = await Promise.all([find(current), find(former)]);
    const isSeen = (owner ?? known).contactId === known.contactId && (left ?? was)?.contactId === was?.contactId;
    return isSeen ? known : conflict;
  });

const formerPhoneOf = ({ phone }: Identities, { phone: to }: Identities, until: number | undefined): FormerPhone | undefined =>
  phone === undefined || to === undefined || until === undefined ? undefined : { phone, until, to };

/**
 * The contact whose phone moved becomes part of the one that wrote from its new phone. One that has another phone, and the moved one of a contact
 * that was merged into it, takes in the other.
 */
async function joinMoved(
  companyId: number,
  isId: number,
  wasId: number,
  moved: FormerPhone | undefined,
): Promise<Contact | 'missing' | 'full' | undefined> {
  if (isId === wasId) return undefined;
  const [is, was] = await Promise.all([followMerges(companyId, isId, true), followMerges(companyId, wasId, true)]);
  if (!isLive(is) || !isLive(was)) return 'missing';
  if (is.id === was.id) return is;
  const hasAnother = moved !== undefined && hasOwnPhone(was) && !isSamePhone(was.phone, moved.phone);
  const [contact, twin] = hasAnother || (!hasOwnPhone(is) && hasOwnPhone(was)) ? [was, is] : [is, was];
  return joinContacts(companyId, contact.id, twin.id, moved);
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
export const updateIdentities = async (companyId: number, contactId: number, identities: GivenIdentities): Promise<boolean> =>
  (await writeIdentities(companyId, contactId, identities)) !== undefined;

/** The contact as it is then; undefined where updateIdentities is false. */
const writeIdentities = (companyId: number, contactId: number, identities: GivenIdentities): Promise<Contact | undefined> => {
  const { phone, at: knownAt } = identities;
  let goneId: number | undefined;
  return retryOnConflict<Contact | undefined>(maxAttempts, async () => {
    const seen = await followMerges(companyId, contactId, true);
    if (!isLive(seen)) return undefined;
    const at = now();
    const next = changed(seen, withIdentities(seen, identities, at), at);
    if (!next) return seen;
    const outcome = await updateContactAndIdentities(seen, next, { at: knownAt, goneId });
    if (outcome === 'done') return next;
    if (outcome === 'changed') return conflict;
    if (goneId !== undefined || phone === undefined) return undefined;
    goneId = await goneOwnerId(companyId, phone, knownAt);
    return goneId === undefined ? undefined : conflict;
  });
};

const maxAttempts = 12;

/** Phones and user ids whose contact is known to have both, and a name where one came, so that not every message reads it again. */
const linkedIdentities = processSet<string>();
function rememberLinked(pair: string): void {
  if (linkedIdentities.size >= 20_000) linkedIdentities.clear();
  linkedIdentities.add(pair);
}

/** The phone may have become a former one of another contact since it was looked up: then the sender is that one. */
async function createInboundContact(
  companyId: number,
  { phone, userId, name }: Identities & { name?: string | undefined },
  sentAt: number | undefined,
): Promise<Sender> {
  if (phone !== undefined) {
    const ensured = await ensureContact(companyId, { phone, source: 'inbound', ...(name ? { name } : {}), at: sentAt });
    if (isProblem(ensured)) throw new Error(`The contact of an inbound message was refused: ${ensured.problem}.`);
    return { ...toSender(ensured.contact), ...(isReachedBy(ensured.contact, phone) ? {} : { isLate: true }) };
  }
  if (userId === undefined) throw new Error('A sender without phone and user id has no identity.');
  return retryOnConflict<Sender>(maxAttempts, async () => {
    const identity = await getUserIdentity(companyId, userId, true);
    const seen = identity && (await followMerges(companyId, identity.contactId, true));
    if (seen && seen.deletedAt === undefined) return toSender(seen);
    // it was merged and deleted since its identity was read, which is another's, or none's, by now
    if (seen && seen.id !== identity?.contactId) return conflict;
    const at = now();
    if (seen) {
      const own = await withoutLostIdentity(seen, 'phone');
      const again = changed(own, restored(own), at);
      return again && (await updateContactAndIdentities(own, again)) === 'done' ? toSender(seen) : conflict;
    }
    const [id, fields] = await Promise.all([nextIds(companyId, contactEntityName, 1), listFieldDefinitions(companyId)]);
    const given = { phone: '', phoneCountry: undefined, ...(name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}) };
    const created = { ...newContact(companyId, id, given, at, fields), userId, isOnWhatsapp: true };
    const contact = (await isErased(companyId, { userId })) ? unsubscribed(created) : created;
    return (await createContactAndIdentities(contact)) === 'done' ? toSender(contact) : conflict;
  });
}
