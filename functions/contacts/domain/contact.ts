import { changedParts } from '../contract/event.ts';
import { canonicalPhone } from '../contract/phone.ts';
import type { Contact, FormerPhone } from '../contract/stored.ts';
import type { CustomValue } from '../contract/custom-value.ts';
import { hasBlock, joinBlocks } from './block.ts';
import { defaultsOf, type Field } from './field.ts';

/** How the values of a request change a contact. Absent values are undefined; contact-record.ts turns them into the API's nulls. */

/** Plain fields of a request: null clears a field, undefined leaves it unchanged. */
export interface GivenFields {
  name?: string | null | undefined;
  email?: string | null | undefined;
  city?: string | null | undefined;
  country?: string | null | undefined;
  company?: string | null | undefined;
  subscribed?: boolean | undefined;
  enabledAiBot?: boolean | undefined;
}

/** The values of a request after its groups, tags and custom fields were resolved; undefined: not given. */
export interface GivenValues extends GivenFields {
  phone: string;
  /** The country of the phone, used when the request has none. */
  phoneCountry: string | undefined;
  groupIds?: readonly number[] | undefined;
  tagIds?: readonly number[] | undefined;
  custom?: ReadonlyMap<string, CustomValue | null> | undefined;
  /** Of a new contact, where `subscribed` is not given; true by default. */
  subscribedIfNew?: boolean | undefined;
  /** No call made the contact: the customer wrote first. */
  isInbound?: boolean | undefined;
  /** Where `subscribed` comes from; `api` by default. */
  consentSource?: 'api' | 'import' | undefined;
}

export const isLive = <C extends Pick<Contact, 'deletedAt'>>(contact: C | undefined): contact is C =>
  contact !== undefined && contact.deletedAt === undefined;

/** A new contact. Defaults apply only here (A8). `fields`: all definitions of the company. */
export const newContact = (companyId: number, id: number, given: GivenValues, at: number, fields: readonly Field[]): Contact =>
  merged(
    {
      companyId,
      id,
      rev: 0,
      phone: given.phone,
      ...(given.phoneCountry === undefined ? {} : { country: given.phoneCountry }),
      subscribed: given.subscribedIfNew ?? true,
      ...firstConsent(given, at),
      enabledAiBot: false,
      isOnWhatsapp: false,
      marketingBlocked: false,
      groupIds: [],
      tagIds: [],
      custom: defaultsOf(fields),
      createdAt: at,
      updatedAt: at,
    },
    given,
    at,
  );

/** What a new contact has of its consent (A10): a call that says nothing of it gives the default, which its history names too. */
function firstConsent({ subscribed, consentSource, isInbound = false }: GivenValues, at: number): Pick<Contact, 'consent'> {
  if (subscribed !== undefined || consentSource !== undefined) return { consent: { source: consentSource ?? 'api', at } };
  return isInbound ? {} : { consent: { source: 'api', at, isDefault: true } };
}

/** POST with a known phone (A5, A6, A8): given keys change, groups and tags are added, the stored spelling of the phone stays. */
export const merged = (contact: Contact, given: GivenValues, at: number): Contact =>
  withConsent(
    {
      ...plain(contact, given),
      groupIds: union(contact.groupIds, given.groupIds),
      tagIds: union(contact.tagIds, given.tagIds),
      custom: withCustom(contact.custom, given.custom),
    },
    given,
    at,
  );

/** The contact outside these groups and without these tags. */
export const withoutLabels = (
  contact: Contact,
  { groupIds, tagIds }: { groupIds: readonly number[]; tagIds: readonly number[] },
): Contact => ({
  ...contact,
  groupIds: contact.groupIds.filter((id) => !groupIds.includes(id)),
  tagIds: contact.tagIds.filter((id) => !tagIds.includes(id)),
});

/**
 * PUT (A9): clears plain fields that are not given (the country falls back to the phone's) and replaces groups, tags and custom fields
 * that are given. `subscribed` and `enabled_ai_bot` stay when omitted: an omission never subscribes a contact again.
 */
export const replaced = (contact: Contact, given: GivenValues, at: number): Contact =>
  withConsent(
    {
      ...plain(contact, {
        ...given,
        name: given.name ?? null,
        email: given.email ?? null,
        city: given.city ?? null,
        country: given.country ?? null,
        company: given.company ?? null,
      }),
      phone: given.phone,
      groupIds: given.groupIds === undefined ? contact.groupIds : union([], given.groupIds),
      tagIds: given.tagIds === undefined ? contact.tagIds : union([], given.tagIds),
      custom: given.custom === undefined ? contact.custom : withCustom({}, given.custom),
    },
    given,
    at,
  );

/**
 * A contact after its twin, another record of the same customer, became part of it: with what it lacks of the twin, and reached by the twin's
 * identities. Subscribed only if both are. `moved`: a phone that is another customer's after that time, should the twin have it.
 */
export const withTwin = (contact: Contact, twin: Contact, at: number, moved?: FormerPhone): Contact => {
  const phone = contact.phone || twin.phone;
  const userId = contact.userId ?? twin.userId;
  const username = newerOf(contact.username, twin.username);
  const country = contact.country ?? twin.country;
  const declined = [contact, twin].find(({ subscribed }) => !subscribed);
  const consent = declined && declined !== contact ? stated(declined.consent) : contact.consent;
  const isMoved = moved !== undefined && twin.phone !== '' && canonicalPhone(twin.phone) === canonicalPhone(moved.phone);
  const hasMoved = isMoved && canonicalPhone(twin.phone) !== canonicalPhone(phone);
  const block = joinBlocks(contact.block, twin.block);
  const isLent = contact.phone === '' && contact.userId !== undefined && twin.phone !== '';
  const both: Contact = {
    ...contact,
    ...Object.fromEntries((['name', 'email', 'city', 'company'] as const).map((field) => [field, contact[field] ?? twin[field]])),
    ...(country === undefined ? {} : { country }),
    phone,
    ...(userId === undefined ? {} : { userId }),
    ...(username === undefined ? {} : { username }),
    ...(isLent ? { aliases: [...(contact.aliases ?? []), phoneAlias(phone)] } : {}),
    subscribed: declined === undefined,
    ...(consent === undefined ? {} : { consent }),
    isOnWhatsapp: contact.isOnWhatsapp || twin.isOnWhatsapp,
    marketingBlocked: contact.marketingBlocked || twin.marketingBlocked,
    ...(block === undefined ? {} : { isBlocked: true, block }),
    groupIds: union(contact.groupIds, twin.groupIds),
    tagIds: union(contact.tagIds, twin.tagIds),
    custom: { ...twin.custom, ...contact.custom },
    mergedIds: [...(contact.mergedIds ?? []), ...(twin.mergedIds ?? []), twin.id],
    rev: contact.rev + 1,
    updatedAt: at,
  };
  const formers = [...(twin.former ?? []), ...(hasMoved ? [moved] : [])];
  const others = [...(hasMoved ? [] : phoneAliases(twin)), ...(twin.userId === undefined ? [] : [userAlias(twin.userId)])];
  return withAliases(withFormer(withoutReservation(both), formers), [...(twin.aliases ?? []), ...others]);
};

/** A consent that another contact takes over: its time is not that of this one's creation. */
export const stated = (consent: Contact['consent']): Contact['consent'] => consent && { source: consent.source, at: consent.at };

/** The name that was named last. */
const newerOf = (a: Contact['username'], b: Contact['username']): Contact['username'] => (b !== undefined && b.at > (a?.at ?? -1) ? b : a);

/** What is left of a contact that became part of another one: where it went, and its consent until then. It is never purged. */
export const mergedInto = (twin: Contact, into: number, by: Contact['mergedBy'], at: number): Contact => ({
  companyId: twin.companyId,
  id: twin.id,
  rev: twin.rev + 1,
  phone: '',
  subscribed: twin.subscribed,
  ...(twin.consent === undefined ? {} : { consent: twin.consent }),
  enabledAiBot: false,
  isOnWhatsapp: false,
  marketingBlocked: twin.marketingBlocked,
  groupIds: [],
  tagIds: [],
  custom: {},
  createdAt: twin.createdAt,
  updatedAt: at,
  deletedAt: at,
  mergedInto: into,
  ...(by === undefined ? {} : { mergedBy: by }),
});

/** A contact takes in at most so many others. */
export const maxMerged = 20;

const phonePrefix = 'phone:';
export const phoneAlias = (phone: string): string => `${phonePrefix}${canonicalPhone(phone)}`;
export const userAlias = (userId: string): string => `user:${userId}`;

/** Whether its phone is its own; not so when a contact without a phone took it over from one that was merged into it. */
export const hasOwnPhone = ({ phone, aliases }: Contact): boolean => phone !== '' && aliases?.includes(phoneAlias(phone)) !== true;

/** The contact with further identities that lead to it; the newest ones, where there are more than it can have. */
export const withAliases = (contact: Contact, added: readonly string[]): Contact => {
  const own = [
    ...(hasOwnPhone(contact) ? phoneAliases(contact) : []),
    ...(contact.userId === undefined ? [] : [userAlias(contact.userId)]),
  ];
  const aliases = [...new Set([...(contact.aliases ?? []), ...added])].filter((alias) => !own.includes(alias)).slice(-2 * maxMerged);
  const { aliases: _before, ...rest } = contact;
  return aliases.length > 0 ? { ...rest, aliases } : rest;
};

/** The contact with phones that were its own until then; of one phone the latest time, and the latest ones, where there are too many. */
export const withFormer = (contact: Contact, added: readonly FormerPhone[]): Contact => {
  const times = new Map<string, FormerPhone>();
  for (const each of [...(contact.former ?? []), ...added])
    if (each.until > (times.get(canonicalPhone(each.phone))?.until ?? 0)) times.set(canonicalPhone(each.phone), each);
  const former = [...times.values()].toSorted((a, b) => a.until - b.until).slice(-maxMerged);
  return former.length > 0 ? { ...contact, former } : contact;
};

const phoneAliases = ({ phone }: Pick<Contact, 'phone'>): string[] => (phone === '' ? [] : [phoneAlias(phone)]);

/** The phones of contacts that were merged into it, as digits, without its own. */
export const phonesOfMerged = (contact: Pick<Contact, 'phone' | 'aliases'>): string[] => {
  const own = phoneAliases(contact);
  return (contact.aliases ?? []).flatMap((alias) =>
    alias.startsWith(phonePrefix) && !own.includes(alias) ? [alias.slice(phonePrefix.length)] : [],
  );
};

/** Whether a phone leads to the contact: its own, or that of a contact that was merged into it. */
export const isReachedBy = (contact: Contact, phone: string): boolean =>
  [...phoneAliases(contact), ...(contact.aliases ?? [])].includes(phoneAlias(phone));

/** What a contact job changes of each contact. */
export interface JobChange extends Readonly<Record<'addGroupIds' | 'removeGroupIds' | 'addTagIds' | 'removeTagIds', readonly number[]>> {
  enabledAiBot?: boolean | undefined;
}

/** The contact in groups and with tags added, then removed, and with its bot switched. */
export const withJobChange = (
  contact: Contact,
  { addGroupIds, removeGroupIds, addTagIds, removeTagIds, enabledAiBot = contact.enabledAiBot }: JobChange,
): Contact =>
  withoutLabels(
    { ...contact, enabledAiBot, groupIds: union(contact.groupIds, addGroupIds), tagIds: union(contact.tagIds, addTagIds) },
    { groupIds: removeGroupIds, tagIds: removeTagIds },
  );

/** Deletes a contact and removes it from its groups (A11). Only its own identities are kept for 30 days. */
export const softDeleted = ({ aliases: _others, ...contact }: Contact, at: number): Contact => ({
  ...contact,
  groupIds: [],
  deletedAt: at,
});

/** The contact without its deletion (A8). It stays outside its former groups and has its former consent. */
export const restored = (contact: Contact): Contact => {
  const { deletedAt: _gone, ...rest } = contact;
  return rest;
};

/** `after` with the next revision, or undefined when no value changed: then nothing is written and `updated_at` stays. */
export const changed = (before: Contact, after: Contact, at: number): Contact | undefined =>
  sameValues(before, after) ? undefined : { ...withoutReservation(after), rev: before.rev + 1, updatedAt: at };

/** Who made the change that left this revision, where that is a user of the console. */
export const editorOf = ({ rev, editor }: Contact): Contact['editor'] => (editor?.rev === rev ? editor : undefined);

/** What differs between two states of a contact, as responses call it. */
export const changedPartsOf = (before: Contact, after: Contact): (typeof changedParts)[number][] =>
  changedParts.filter((part) => partOf(before, part) !== partOf(after, part));

function partOf(contact: Contact, part: (typeof changedParts)[number]): string | boolean | undefined {
  switch (part) {
    case 'user_id':
      return contact.userId;
    case 'username':
      return contact.username?.value;
    case 'enabled_ai_bot':
      return contact.enabledAiBot;
    case 'is_on_whatsapp':
      return contact.isOnWhatsapp;
    case 'marketing_blocked':
      return contact.marketingBlocked;
    case 'blocked':
      return hasBlock(contact);
    case 'groups':
      return String(contact.groupIds);
    case 'tags':
      return String(contact.tagIds);
    case 'custom':
      return JSON.stringify(Object.entries(contact.custom).sort(([a], [b]) => (a < b ? -1 : 1)));
    default:
      return contact[part];
  }
}

/** The size of all custom values together. */
export const customBytes = ({ custom }: Contact): number => Buffer.byteLength(JSON.stringify(custom));

function plain(contact: Contact, given: GivenValues): Contact {
  const next = { ...contact };
  for (const field of ['name', 'email', 'city', 'company'] as const) {
    const value = given[field];
    if (value === undefined) continue;
    if (value === null || value === '') delete next[field];
    else next[field] = value;
  }
  if (given.country !== undefined) {
    const country = given.country ?? given.phoneCountry;
    if (country === undefined) delete next.country;
    else next.country = country;
  }
  if (given.enabledAiBot !== undefined) next.enabledAiBot = given.enabledAiBot;
  return next;
}

/** Records the source and time of a change of `subscribed` (A10). */
function withConsent(contact: Contact, given: GivenValues, at: number): Contact {
  if (given.subscribed === undefined || given.subscribed === contact.subscribed) return contact;
  return { ...contact, subscribed: given.subscribed, consent: { source: given.consentSource ?? 'api', at } };
}

function withCustom(
  before: Readonly<Record<string, CustomValue>>,
  given: ReadonlyMap<string, CustomValue | null> = new Map(),
): Record<string, CustomValue> {
  const next = new Map(Object.entries(before));
  for (const [key, value] of given) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  return Object.fromEntries(next);
}

/** Sorted by id, so that equal sets are equal values. */
const union = (before: readonly number[], added: readonly number[] = []): number[] =>
  [...new Set([...before, ...added])].sort((a, b) => a - b);

const sameValues = (a: Contact, b: Contact): boolean => comparable(a) === comparable(b);

const withoutReservation = ({ reservation: _promise, ...rest }: Contact): Contact => rest;

function comparable({ rev: _rev, updatedAt: _at, reservation: _promise, editor: _user, custom, ...rest }: Contact): string {
  const sorted = (record: object) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sorted(rest), sorted(custom)]);
}

/** Names of groups and tags by id. An id without a name belongs to a deleted group or tag and is left out. */
export interface LabelNames {
  groups: ReadonlyMap<number, { name: string }>;
  tags: ReadonlyMap<number, { name: string; color: string }>;
}
