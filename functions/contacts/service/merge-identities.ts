import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { Contact } from '../contract/stored.ts';
import { changed, hasOwnPhone, isLive } from '../domain/contact.ts';
import { type GivenIdentities, withIdentities } from '../domain/identities.ts';
import { updateContactAndIdentities } from '../store/contact.ts';
import { findByIdentities } from './find-by-identities.ts';
import { followMerges } from './followed-contacts.ts';
import { joinContacts } from './merge-contacts.ts';
import { goneOwnerId } from './upsert-by-identity.ts';

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
    const written = await updateIdentities(companyId, contactId, given);
    if (written || given.userId === undefined) return written;
    // found by one of the identities, it may lack the other, which led elsewhere by then
    const [ofPhone, ofUserId] = await Promise.all([
      given.phone === undefined ? undefined : findByIdentities(companyId, { phone: given.phone }, { at: given.at, consistent: true }),
      findByIdentities(companyId, { userId: given.userId }, { consistent: true }),
    ]);
    const contact = await followMerges(companyId, ofPhone?.contactId ?? contactId, { consistent: true });
    if (!isLive(contact)) return undefined;
    const found = await Promise.all(
      [...new Set([contactId, ofUserId?.contactId ?? contactId])].map((each) => followMerges(companyId, each, { consistent: true })),
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
    return (await updateIdentities(companyId, contact.id, ofPhone?.isLate ? { ...given, phone: undefined } : given)) ?? conflict;
  });

/**
 * Gives a contact what is new of these identities, and returns it as it is then; a repetition writes nothing. Undefined: another contact has
 * the phone or the user id, or the contact is deleted; nothing was written.
 */
export const updateIdentities = (companyId: number, contactId: number, identities: GivenIdentities): Promise<Contact | undefined> => {
  const { phone, at: knownAt } = identities;
  let goneId: number | undefined;
  return retryOnConflict<Contact | undefined>(maxAttempts, async () => {
    const seen = await followMerges(companyId, contactId, { consistent: true });
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
