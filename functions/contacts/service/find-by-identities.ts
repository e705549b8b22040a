import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { getPhoneIdentity, getUserIdentity, type Identity } from '../store/contact.ts';
import { followMerges } from './followed-contacts.ts';

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
  /** The company has blocked it. */
  isBlocked?: true;
}

interface LookUp {
  /** Who had the identities then. */
  at?: number | undefined;
  consistent?: boolean;
}

/** The live contact with these identities, if any. 0.5 RRU if the first identity is known. */
export const findByIdentities = async (companyId: number, given: Identities, lookUp: LookUp = {}): Promise<Sender | undefined> =>
  (await lookUpSender(companyId, given, lookUp)).live;

/** The live contact with these identities; without one, the deleted one that still has them. */
export const lookUpSender = async (
  companyId: number,
  { phone, userId }: Identities,
  { at, consistent = false }: LookUp = {},
): Promise<{ live?: Sender; deleted?: Sender }> => {
  const byPhone = phone === undefined ? undefined : await getPhoneIdentity(companyId, phone, { consistent, at });
  // the row of a former phone keeps the contact that had it, which may be part of another one by now
  const former = byPhone?.until === undefined ? undefined : await followMerges(companyId, byPhone.contactId, { consistent });
  if (isLive(former)) return { live: { ...toSender(former), isLate: true } };
  if (byPhone && byPhone.expires === undefined) return { live: toSender(byPhone) };
  const byUserId = userId === undefined ? undefined : await getUserIdentity(companyId, userId, { consistent });
  if (byUserId && byUserId.expires === undefined) return { live: toSender(byUserId) };
  const deleted = byPhone ?? byUserId;
  return deleted ? { deleted: toSender(deleted) } : {};
};

export const toSender = (found: Contact | Identity): Sender => ({
  contactId: 'contactId' in found ? found.contactId : found.id,
  mergedIds: found.mergedIds ?? [],
  ...(found.isBlocked ? { isBlocked: true } : {}),
});

/** Whether the company has blocked the contact of a phone. 0.5 RRU. */
export const isPhoneBlocked = async (companyId: number, phone: string): Promise<boolean> =>
  (await findByIdentities(companyId, { phone }))?.isBlocked === true;
