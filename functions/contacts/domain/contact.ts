import { type CustomValue, defaultsOf, type Field } from './field.ts';

/** What a contact is, and how given values change it. Absent is undefined; the wire's nulls are made in record.ts. */
export interface Contact {
  companyId: number;
  id: number;
  /** Moved by every write; guards the next one. */
  rev: number;
  /** Digits with country code, no plus; empty for a person known by the provider's user id alone. */
  phone: string;
  /** The provider's business-scoped user id, where it gave one. */
  userId?: string;
  name?: string;
  email?: string;
  city?: string;
  /** ISO 3166-1 alpha-2: as given, else of the phone. */
  country?: string;
  company?: string;
  subscribed: boolean;
  /** Who last set `subscribed`, and when (epoch milliseconds). */
  consent?: { source: ConsentSource; at: number };
  enabledAiBot: boolean;
  isOnWhatsapp: boolean;
  /** Known not to be on WhatsApp, since when (epoch milliseconds); neither this nor `isOnWhatsapp`: nothing is known. */
  notOnWhatsappAt?: number;
  marketingBlocked: boolean;
  groupIds: readonly number[];
  tagIds: readonly number[];
  custom: Readonly<Record<string, CustomValue>>;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
  /** Soft-deleted; gone for good 30 days later. */
  deletedAt?: number;
  /** Only on the write that creates or restores it: which promise of the plan's room it takes up. */
  reservation?: string;
}

/** `keyword`: the person wrote a word of consent (A52); `provider`: told to the provider itself. */
export type ConsentSource = 'api' | 'keyword' | 'provider';

/** Plain fields that a request may set; null clears, undefined leaves. */
export interface GivenFields {
  name?: string | null | undefined;
  email?: string | null | undefined;
  city?: string | null | undefined;
  country?: string | null | undefined;
  company?: string | null | undefined;
  subscribed?: boolean | undefined;
  enabledAiBot?: boolean | undefined;
}

/** A request's values after its groups, tags and custom fields were looked up; undefined: not given. */
export interface GivenValues extends GivenFields {
  phone: string;
  /** Of the phone, for when none is given. */
  phoneCountry: string | undefined;
  groupIds?: readonly number[] | undefined;
  tagIds?: readonly number[] | undefined;
  custom?: ReadonlyMap<string, CustomValue | null> | undefined;
}

export const purgeAfterDays = 30;

export const isLive = (contact: Contact | undefined): contact is Contact => contact !== undefined && contact.deletedAt === undefined;

/** A new contact: defaults apply here and nowhere else (A8). `fields`: all definitions of the company. */
export const newContact = (companyId: number, id: number, given: GivenValues, at: number, fields: readonly Field[]): Contact =>
  merged(
    {
      companyId,
      id,
      rev: 0,
      phone: given.phone,
      ...(given.phoneCountry === undefined ? {} : { country: given.phoneCountry }),
      subscribed: true,
      ...(given.subscribed === undefined ? {} : { consent: { source: 'api', at } }),
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

/** POST on a known phone (A5, A6, A8): given keys change, groups and tags are added, the phone stays in the form it has. */
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

/**
 * PUT (A9): plain fields not given are cleared, the country falls back to the phone's; groups, tags and custom fields are replaced
 * where given. Not given, `subscribed` and `enabled_ai_bot` stay: an omission never re-subscribes.
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

/** A deleted contact leaves its groups (A11). */
export const softDeleted = (contact: Contact, at: number): Contact => ({ ...contact, groupIds: [], deletedAt: at });

/** The same contact again (A8); it stays outside its former groups, and its consent is as it was. */
export const restored = (contact: Contact): Contact => {
  const { deletedAt: _gone, ...rest } = contact;
  return rest;
};

/** `after` as it is to be stored: undefined when nothing changed, so that neither a write nor `updated_at` moves. */
export const changed = (before: Contact, after: Contact, at: number): Contact | undefined =>
  sameValues(before, after) ? undefined : { ...withoutReservation(after), rev: before.rev + 1, updatedAt: at };

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

/** A change of consent is logged on the contact (A10). */
function withConsent(contact: Contact, given: GivenValues, at: number): Contact {
  if (given.subscribed === undefined || given.subscribed === contact.subscribed) return contact;
  return { ...contact, subscribed: given.subscribed, consent: { source: 'api', at } };
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

/** In the order of ids, so that the same set is the same value. */
const union = (before: readonly number[], added: readonly number[] = []): number[] =>
  [...new Set([...before, ...added])].sort((a, b) => a - b);

const sameValues = (a: Contact, b: Contact): boolean => comparable(a) === comparable(b);

const withoutReservation = ({ reservation: _promise, ...rest }: Contact): Contact => rest;

function comparable({ rev: _rev, updatedAt: _at, reservation: _promise, custom, ...rest }: Contact): string {
  const sorted = (record: object) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sorted(rest), sorted(custom)]);
}

/** Names of what a contact holds by id; an id without a name is of something deleted, and left out. */
export interface LabelNames {
  groups: ReadonlyMap<number, { name: string }>;
  tags: ReadonlyMap<number, { name: string; color: string }>;
}
