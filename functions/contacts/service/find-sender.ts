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

/** The live contact with these identities, if any; `at`: who had them then. 0.5 RRU if the first identity is known. */
export const findSender = async (
  companyId: number,
  { phone, userId }: Identities,
  { at, consistent = false }: { at?: number | undefined; consistent?: boolean } = {},
): Promise<Sender | undefined> => {
  const byPhone = phone === undefined ? undefined : await getPhoneIdentity(companyId, phone, { consistent, at });
  // the row of a former phone keeps the contact that had it, which may be part of another one by now
  const former = byPhone?.until === undefined ? undefined : await followMerges(companyId, byPhone.contactId, { consistent });
  if (isLive(former)) return { ...toSender(former), isLate: true };
  if (byPhone && byPhone.expires === undefined) return toSender(byPhone);
  const byUserId = userId === undefined ? undefined : await getUserIdentity(companyId, userId, { consistent });
  return byUserId && byUserId.expires === undefined ? toSender(byUserId) : undefined;
};

export const toSender = (found: Contact | Identity): Sender => ({
  contactId: 'contactId' in found ? found.contactId : found.id,
  mergedIds: found.mergedIds ?? [],
  ...(found.isBlocked ? { isBlocked: true } : {}),
});

/** Whether the company has blocked the contact of a phone. 0.5 RRU. */
export const isPhoneBlocked = async (companyId: number, phone: string): Promise<boolean> =>
  (await findSender(companyId, { phone }))?.isBlocked === true;
