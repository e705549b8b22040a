import { isProblem } from '../../../shared/contract/problems.ts';
import { hourMs, now } from '../../../shared/runtime/clock.ts';
import { processSet } from '../../../shared/runtime/memory.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { changed, isReachedBy, newContact, restored } from '../domain/contact.ts';
import { decideIdentities, type GivenIdentities, namesBoth, usernameChange } from '../domain/identities.ts';
import { ensureContact } from './contacts.ts';
import { createContactAndIdentities, getContactById, getUserIdentity, updateContactAndIdentities } from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { isErased, unsubscribed } from './erased-identities.ts';
import { findByIdentities, type Identities, lookUpSender, type Sender, toSender } from './find-by-identities.ts';
import { followMerges } from './followed-contacts.ts';
import { joinIdentities, updateIdentities } from './merge-identities.ts';
import { getNewContactRules, withoutLostIdentity } from './upsert-by-identity.ts';

interface NamedIdentities extends Identities {
  name?: string | undefined;
  /** Without `@`. */
  username?: string | undefined;
}

/**
 * The contact of an inbound sender. Creates or restores the contact and adds a new phone or user id; writes nothing when all is known.
 * Contacts of the phone and of the user id that turn out to be one become one. A name is learned where there is none, a user name whenever it is new. `at`: the time of the
 * message, epoch milliseconds; a phone that moved since then is still its sender's. `isRepeated`: whether the message came before,
 * from this contact, which was deleted since: a repetition does not restore it.
 * 0.5 RRU for a known sender; once per process 0.5 more to check its name and user id.
 */
export const ensureSender = async (
  companyId: number,
  given: NamedIdentities,
  at?: number,
  isRepeated?: (sender: Sender) => Promise<boolean>,
): Promise<Sender> => {
  const { live: found, deleted } = await lookUpSender(companyId, given, { at });
  if (deleted && (await isRepeated?.(deleted))) return deleted;
  const decision = decideIdentities(found, given, found !== undefined && checked.has(checkedKey(companyId, found.contactId, given)));
  if (decision.act === 'known') return decision.found;
  const sender = decision.act === 'create' ? await createSender(companyId, given, at) : decision.found;
  if (decision.act === 'learnNames' || (decision.act === 'create' && given.username !== undefined))
    await learnNames(companyId, sender.contactId, { ...given, at });
  const joined = namesBoth(given) ? await joinSender(companyId, sender, given, at) : sender;
  rememberChecked(checkedKey(companyId, joined.contactId, given));
  return joined;
};

/**
 * Joins the phone and the user id that a status names, where its contact is known. `at`: the time of the status. `sentTo`: the contact to which its
 * message was sent, which the status names too, so that it is looked for once a process; a status that names none once an hour. 1.5 RRU.
 */
export const linkUserId = async (
  companyId: number,
  { phone, userId }: { phone: string; userId: string },
  { at, sentTo }: { at: number; sentTo: number | undefined },
): Promise<void> => {
  const key = checkedKey(companyId, sentTo === undefined ? `hour ${Math.floor(now() / hourMs)}` : `sent to ${sentTo}`, { phone, userId });
  if (checked.has(key)) return;
  const found = await findByIdentities(companyId, { phone }, { at });
  if (!found) return;
  await joinSender(companyId, found, { phone, userId }, at);
  rememberChecked(key);
};

/** A phone that the sender has no more is not given to it again. */
async function joinSender(
  companyId: number,
  sender: Sender,
  { phone, ...given }: NamedIdentities,
  at: number | undefined,
): Promise<Sender> {
  const { contactId, isLate } = sender;
  const joined = await joinIdentities(companyId, contactId, { ...given, ...(isLate ? {} : { phone }), at });
  return joined ? { ...toSender(joined), ...(isLate ? { isLate } : {}) } : sender;
}

/** 0.5 RRU; 2 WRU when the contact had no name, or another user name. */
async function learnNames(
  companyId: number,
  contactId: number,
  { name, username, at }: Pick<GivenIdentities, 'name' | 'username' | 'at'>,
): Promise<void> {
  const contact = await getContactById(companyId, contactId);
  if (contact === undefined) return;
  const isNew = (contact.name === undefined && name?.trim()) || usernameChange(contact, { username, at }, now()).username !== undefined;
  if (isNew) await updateIdentities(companyId, contactId, { name, username, at });
}

/**
 * Phones and user ids whose contact is known to have both, and the names that came, so that not every message reads it again. Of that contact alone:
 * it may be erased, and made again without one of them.
 */
const checked = processSet<string>();
const checkedKey = (companyId: number, of: number | string, { phone, userId, name, username }: NamedIdentities): string =>
  `${companyId} ${of} ${phone} ${userId} ${name === undefined ? '' : 'named'} ${username ?? ''}`;
function rememberChecked(key: string): void {
  if (checked.size >= 20_000) checked.clear();
  checked.add(key);
}

/** The phone may have become a former one of another contact since it was looked up: then the sender is that one. */
async function createSender(companyId: number, { phone, userId, name }: NamedIdentities, sentAt: number | undefined): Promise<Sender> {
  if (phone !== undefined) {
    const ensured = await ensureContact(companyId, { phone, source: 'inbound', ...(name ? { name } : {}), at: sentAt });
    if (isProblem(ensured)) throw new Error(`The contact of an inbound message was refused: ${ensured.problem}.`);
    return { ...toSender(ensured.contact), ...(isReachedBy(ensured.contact, phone) ? {} : { isLate: true }) };
  }
  if (userId === undefined) throw new Error('A sender without phone and user id has no identity.');
  return retryOnConflict<Sender>(maxAttempts, async () => {
    const identity = await getUserIdentity(companyId, userId, { consistent: true });
    const seen = identity && (await followMerges(companyId, identity.contactId, { consistent: true }));
    if (seen && seen.deletedAt === undefined) return toSender(seen);
    // it was merged and deleted since its identity was read, which is another's, or none's, by now
    if (seen && seen.id !== identity?.contactId) return conflict;
    const at = now();
    if (seen) {
      const own = await withoutLostIdentity(seen, 'phone');
      const again = changed(own, restored(own), at);
      return again && (await updateContactAndIdentities(own, again)) === 'done' ? toSender(seen) : conflict;
    }
    const [id, fields, { subscribedIfNew }] = await Promise.all([
      nextIds(companyId, contactEntityName, 1),
      listFieldDefinitions(companyId),
      getNewContactRules(companyId),
    ]);
    const given = {
      phone: '',
      phoneCountry: undefined,
      subscribedIfNew,
      isInbound: true,
      ...(name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
    };
    const created = { ...newContact(companyId, id, given, at, fields), userId, isOnWhatsapp: true };
    const contact = (await isErased(companyId, { userId })) ? unsubscribed(created) : created;
    return (await createContactAndIdentities(contact)) === 'done' ? toSender(contact) : conflict;
  });
}

const maxAttempts = 12;
