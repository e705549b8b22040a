import { canonicalPhone, countryOfPhone } from '../contract/phone.ts';
import type { Contact, FormerPhone } from '../contract/stored.ts';
import { hasOwnPhone, isReachedBy, phoneAlias, userAlias, withAliases, withFormer } from './contact.ts';

/** What the provider says of who a contact is. Webhooks come late and in any order, so what is older never replaces what is newer. */
export interface GivenIdentities {
  /** Digits with country code. */
  phone?: string | undefined;
  userId?: string | undefined;
  name?: string | undefined;
  /** The user name, without `@`. */
  username?: string | undefined;
  /** A user id that the contact had before, so that a late message with it is its own and changes nothing. */
  formerUserId?: string | undefined;
  /** A phone that was its own until then, epoch milliseconds, and the one that it has since. */
  formerPhone?: FormerPhone | undefined;
  /** When it was so, epoch milliseconds: a phone that is known since later stays. 0: at an unknown time. Without it, now. */
  at?: number | undefined;
}

/** What is left to do until the sender of a message is a contact with the identities and the name that came with it. */
export type IdentitiesDecision<Found> = { act: 'known' | 'join' | 'learnNames'; found: Found } | { act: 'create' };

/** @param isChecked this process has checked a message with the same identities before */
export const decideIdentities = <Found extends { isLate?: true }>(
  found: Found | undefined,
  given: Pick<GivenIdentities, 'phone' | 'userId' | 'name' | 'username'>,
  isChecked: boolean,
): IdentitiesDecision<Found> => {
  if (!found) return { act: 'create' };
  if (isChecked) return { act: 'known', found };
  if (namesBoth(given)) return { act: 'join', found };
  // names that come with a phone which the contact has no more may be those of another customer
  const isNamed = given.name !== undefined || given.username !== undefined;
  return { act: isNamed && !found.isLate ? 'learnNames' : 'known', found };
};

/**
 * The contact that stays and the one that becomes part of it, where the phone of `was` moved to `is`: the one that wrote from its new phone stays.
 * One that has another phone, and the moved one of a contact that was merged into it, takes in the other.
 */
export const inMergeOrder = (is: Contact, was: Contact, moved: FormerPhone | undefined): [contact: Contact, twin: Contact] => {
  const hasAnother = moved !== undefined && hasOwnPhone(was) && !isSamePhone(was.phone, moved.phone);
  return hasAnother || (!hasOwnPhone(is) && hasOwnPhone(was)) ? [was, is] : [is, was];
};

/** The contact with what is new of these identities. `now`: until when a phone was its own that is replaced without a time. */
export function withIdentities(contact: Contact, given: GivenIdentities, now: number): Contact {
  const { name, at } = given;
  const change = phoneChange(contact, given, now);
  const { userId, aliases: userIds } = userIdChange(contact, given);
  const country = change.phone === undefined ? contact.country : (contact.country ?? countryOfPhone(change.phone));
  const isPaired = change.phone !== undefined || userId !== undefined || namesOwn(contact, given);
  const pairedAt = isPaired && at !== undefined && at > since(contact) && namesBoth(given) ? at : contact.pairedAt;
  const aliases = contact.aliases?.filter((alias) => !change.dropped.includes(alias));
  const moved: Contact = {
    ...contact,
    ...(aliases === undefined
      ? {}
      : { aliases: change.isLent && change.phone !== undefined ? [...aliases, phoneAlias(change.phone)] : aliases }),
    ...(change.phone === undefined ? {} : { phone: change.phone }),
    ...(country === undefined ? {} : { country }),
    ...(userId === undefined ? {} : { userId }),
    ...(pairedAt === undefined ? {} : { pairedAt }),
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
    ...usernameChange(contact, given, now),
  };
  return withAliases(change.former.length > 0 ? withFormer(moved, change.former) : moved, [...userIds, ...change.aliases]);
}

/** The name of the newest message that has one. It stays where a message has none. */
export function usernameChange(
  { username }: Pick<Contact, 'username'>,
  given: Pick<GivenIdentities, 'username' | 'at'>,
  now: number,
): Pick<Contact, 'username'> {
  const value = given.username?.trim().slice(0, maxUsername).toWellFormed();
  const at = given.at ?? now;
  return !value || value === username?.value || at < (username?.at ?? 0) ? {} : { username: { value, at } };
}

/** The provider's names have 35 characters at most. */
const maxUsername = 100;

/** Since when the phone is known to be its own, at the latest; 0: not known. */
const since = ({ pairedAt = 0, former = [] }: Contact): number => Math.max(pairedAt, ...former.map(({ until }) => until));

interface PhoneChange {
  /** The new phone, and whether it is that of a contact that was merged into this one. */
  phone?: string;
  isLent?: boolean;
  aliases: string[];
  dropped: string[];
  former: FormerPhone[];
}

/** The phone that moved is replaced by where it moved, be it the contact's or that of a contact that was merged into it. */
function phoneChange(contact: Contact, given: GivenIdentities, now: number): PhoneChange {
  const { phone, formerPhone, userId } = given;
  const left = formerPhone === undefined ? [] : [formerPhone];
  const dropped = left.map((each) => phoneAlias(each.phone));
  const change: PhoneChange = { aliases: [], dropped, former: left };
  const isLent = contact.phone !== '' && !hasOwnPhone(contact);
  const isOfMerged = namesMerged(contact, given);
  const hasMoved = formerPhone !== undefined && isSamePhone(contact.phone, formerPhone.phone);
  // it was known to be its own after it moved: it came back
  const hasReturned = hasMoved && (contact.pairedAt ?? 0) > formerPhone.until;
  if (phone === undefined) return hasMoved && !hasReturned ? withSuccessor(change, contact, formerPhone) : change;
  const replacing: PhoneChange = { ...change, phone, dropped: [...dropped, phoneAlias(phone)] };
  if (isSamePhone(contact.phone, phone))
    return isLent && userId !== undefined && !isOfMerged ? { ...change, dropped: replacing.dropped } : change;
  if (hasReturned) return withPast(change, contact, phone);
  if (hasMoved) return { ...replacing, isLent };
  if (contact.phone === '' || (isLent && !isOfMerged)) return replacing;
  if (isReachedBy(contact, phone)) return change;
  if (isOfMerged || dropped.some((alias) => contact.aliases?.includes(alias))) return { ...change, aliases: [phoneAlias(phone)] };
  if (given.at === 0) return change;
  const at = formerPhone?.until ?? given.at;
  if (at !== undefined && at <= since(contact)) return withPast(change, contact, phone);
  return { ...replacing, former: [...left, { phone: contact.phone, until: at ?? now, to: phone }] };
}

/** A phone that the contact had before the one that it is known to have since. */
const withPast = (change: PhoneChange, contact: Contact, phone: string): PhoneChange => ({
  ...change,
  former: [...change.former, { phone, until: since(contact) }],
});

/** Where a phone moved whose next move came first: the phone at the end, if that leads to the contact already. */
function withSuccessor(change: PhoneChange, contact: Contact, { to }: FormerPhone): PhoneChange {
  let phone = to;
  for (const each of contact.former ?? []) if (phone !== undefined && isSamePhone(each.phone, phone)) phone = each.to ?? phone;
  if (phone === undefined || isSamePhone(contact.phone, phone) || !isReachedBy(contact, phone)) return change;
  return { ...change, phone, dropped: [...change.dropped, phoneAlias(phone)] };
}

/** The user id is one that the contact had before, or that of one that was merged into it: what comes with it is not its own phone of now. */
const namesMerged = (contact: Contact, given: GivenIdentities): boolean =>
  given.userId !== undefined &&
  given.formerUserId === undefined &&
  (contact.aliases?.includes(userAlias(given.userId)) === true || namesLent(contact, given));

/** An unknown user id with the phone of a contact that was merged into it, where it has a user id of its own: that one's. */
const namesLent = (contact: Contact, { phone, userId, formerUserId }: GivenIdentities): boolean =>
  phone !== undefined &&
  userId !== undefined &&
  formerUserId === undefined &&
  contact.userId !== undefined &&
  contact.userId !== userId &&
  isSamePhone(contact.phone, phone) &&
  !hasOwnPhone(contact);

/** A user id that the contact had before comes late, and does not come back. */
function userIdChange(contact: Contact, given: GivenIdentities): { userId?: string; aliases: string[] } {
  const { userId, formerUserId, at } = given;
  const before = [contact.userId, formerUserId].flatMap((id) => (id === undefined || id === userId ? [] : [userAlias(id)]));
  if (userId === undefined) return { aliases: formerUserId === undefined ? [] : before };
  const isNext = contact.userId === undefined || contact.userId === formerUserId;
  const isFormer = contact.aliases?.includes(userAlias(userId)) === true;
  const isOfAlias = formerUserId !== undefined && contact.aliases?.includes(userAlias(formerUserId)) === true;
  const isPast = formerUserId === undefined && at !== undefined && at > 0 && at <= since(contact);
  if (!isNext && (isFormer || isOfAlias || isPast || namesLent(contact, given))) return { aliases: [...before, userAlias(userId)] };
  return userId === contact.userId ? { aliases: before } : { userId, aliases: before };
}

/** A merge brought together the phone and the user id that are named now, and when they first were together is not known yet. */
const namesOwn = (contact: Contact, { phone, userId }: GivenIdentities): boolean =>
  contact.pairedAt === undefined &&
  phone !== undefined &&
  userId === contact.userId &&
  hasOwnPhone(contact) &&
  isSamePhone(contact.phone, phone);

export const namesBoth = ({ phone, userId }: Pick<GivenIdentities, 'phone' | 'userId'>): boolean =>
  phone !== undefined && userId !== undefined;

export const isSamePhone = (own: string, phone: string): boolean => own !== '' && canonicalPhone(own) === canonicalPhone(phone);
