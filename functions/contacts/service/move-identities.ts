import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { Contact, FormerPhone } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { inMergeOrder } from '../domain/identities.ts';
import { ensureSender } from './ensure-sender.ts';
import { findByIdentities, type Identities, type Sender, toSender } from './find-by-identities.ts';
import { followMerges } from './followed-contacts.ts';
import { joinContacts } from './merge-contacts.ts';
import { joinIdentities } from './merge-identities.ts';

/**
 * Applies that a recipient has another phone or user id since `until` (epoch milliseconds; undefined: at an unknown time). The contact of the
 * former identities has them from then on, and becomes part of the one that wrote with them before. Late, repeated or out of order it leaves
 * the same contact: where none is known yet, the new phone becomes a contact, and so does a new user id that
 * comes with the former one. Undefined: none is known, and there is neither. Reads consistently, because what it misses no later webhook says again.
 */
export const moveIdentities = (companyId: number, former: Identities, current: Identities, until?: number): Promise<Sender | undefined> =>
  retryOnConflict<Sender | undefined>(maxAttempts, async () => {
    const at = until ?? 0;
    const find = (identities: Identities): Promise<Sender | undefined> => findByIdentities(companyId, identities, { at, consistent: true });
    const [is, was] = await Promise.all([find(current), find(former)]);
    const isUnknown = !is && !was && (current.phone !== undefined || (current.userId !== undefined && former.userId !== undefined));
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

/** Undefined: they are one contact already. */
async function joinMoved(
  companyId: number,
  isId: number,
  wasId: number,
  moved: FormerPhone | undefined,
): Promise<Contact | 'missing' | 'full' | undefined> {
  if (isId === wasId) return undefined;
  const [is, was] = await Promise.all([
    followMerges(companyId, isId, { consistent: true }),
    followMerges(companyId, wasId, { consistent: true }),
  ]);
  if (!isLive(is) || !isLive(was)) return 'missing';
  if (is.id === was.id) return is;
  const [contact, twin] = inMergeOrder(is, was, moved);
  return joinContacts(companyId, contact.id, twin.id, moved);
}

const maxAttempts = 12;
