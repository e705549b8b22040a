import * as z from 'zod';
import { all, any, below, equals, exists, missing } from '../../../shared/table/condition.ts';
import { gathered } from '../../../shared/runtime/gather.ts';
import { getSoon } from '../../../shared/table/batch-get.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { changedAttributes, replacement, writeEach } from '../../../shared/table/write-each.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { shardOf, tenant } from '../../../shared/table/schema.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import type { Contact } from '../contract/stored.ts';
import { phoneAlias, userAlias } from '../domain/contact.ts';
import { purgeAfterDays } from '../domain/purge.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { contactEntityName, contactItem, toContact, toItem } from '../contract/stored.ts';
import { updatedKey, updatedPlace, updatedShards } from './updated-key.ts';

/**
 * 32 neighbouring ids share a partition: a contact page. The list, newest first, walks the pages downward and needs no index.
 * See docs/decisions/contact-storage-pages.md.
 */
export const contactPageSize = 32;

export const contactEntity = entity({
  name: contactEntityName,
  purpose: 'A contact with its consent, groups, tags and custom fields',
  attributes: contactItem,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: contactPageKey(companyId, contactPageOf(id)), sk: placeOf(id) }),
  idOf: ({ c, i }) => ({ companyId: c, id: i }),
  /** Sorts by last change (A13), live and deleted contacts in separate partitions. */
  indexedBy: ['c', 'i', 'at', 'up', 'del'],
  indexes: ({ c, i, at, up, del }) => ({
    list: { pk: updatedKey(c, shardOf(i, updatedShards), del !== undefined), sk: updatedPlace({ at: up ?? at, id: i }) },
  }),
  expiresAt: ({ del, mi }) => (mi === undefined ? purgeSeconds(del) : undefined),
  personalData: 'name, phone, email, city, custom fields, consent',
  example: { pk: 'C#<company>#CT#<id / 32>', sk: '<id mod 32>' },
});

/** An identity: the canonical form of a phone, or the provider's user id. It points to the contact. */
export const identityEntity = entity({
  name: 'contact-identity',
  purpose: 'Which contact a phone or a provider user id belongs to; unique by its key',
  attributes: z.object({
    companyId: z.int(),
    by: z.enum(['phone', 'user']),
    value: z.string(),
    contactId: z.int(),
    /** Set while the contact is soft-deleted, and of a former phone: epoch seconds at which the TTL removes it. */
    expires: z.int().optional(),
    /** Of a former phone: it belongs to the contact in messages up to this time, epoch milliseconds. */
    until: z.int().optional(),
    /** The contacts that were merged into this one. */
    mergedIds: z.array(z.int()).optional(),
    /** The company has blocked the contact: a send reads it here. */
    isBlocked: z.literal(true).optional(),
  }),
  key: ({ companyId, by, value }: { companyId: number; by: 'phone' | 'user'; value: string }) => ({
    pk: `${tenant(companyId)}#ID#${by}:${value}`,
    sk: 'ID',
  }),
  idOf: ({ companyId, by, value }) => ({ companyId, by, value }),
  expiresAt: ({ expires }) => expires,
  personalData: 'phone, provider user id',
  example: { pk: 'C#<company>#ID#<phone or user>:<value>', sk: 'ID' },
});
export type Identity = ItemOf<typeof identityEntity>;

export const getPhoneIdentity = pattern(
  { question: 'the contact id of a phone', entity: 'contact-identity', by: 'GetItem', units: '0.5 RRU' },
  /** `at`: the contact that had it then; without it the one that has it. */
  async (
    companyId: number,
    phone: string,
    { at, ...options }: { consistent?: boolean; at?: number | undefined } = {},
  ): Promise<Identity | undefined> => {
    const identity = await identityEntity.get({ companyId, by: 'phone', value: canonicalPhone(phone) }, options);
    return identity?.until === undefined || (at !== undefined && at <= identity.until) ? identity : undefined;
  },
);

export const getUserIdentity = pattern(
  { question: 'the contact id of a provider user id', entity: 'contact-identity', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, userId: string, options: { consistent?: boolean } = {}): Promise<Identity | undefined> =>
    identityEntity.get({ companyId, by: 'user', value: userId }, options),
);

/** Identities by canonical phone; unknown phones are left out. */
export const getPhoneIdentities = pattern(
  { question: 'the contact ids of several phones', entity: 'contact-identity', by: 'BatchGetItem', units: '0.5 RRU each' },
  async (companyId: number, canonicalPhones: readonly string[]): Promise<Map<string, Identity>> => {
    const keys = canonicalPhones.map((value) => ({ companyId, by: 'phone' as const, value }));
    const current = (await identityEntity.getMany(keys)).filter(({ until }) => until === undefined);
    return new Map(current.map((identity) => [identity.value, identity]));
  },
);

/** The contacts that have phones now, for several within a moment. */
export const getContactByPhoneTogether = pattern(
  { question: 'the contacts of phones', entity: 'contact', by: 'BatchGetItem', units: '1 RRU each (one made just now 1.5)' },
  async (companyId: number, phone: string): Promise<Contact | undefined> => {
    const identity = await readIdentitySoon(identityEntity.getting({ companyId, by: 'phone', value: canonicalPhone(phone) }));
    if (!identity || identity.until !== undefined) return undefined;
    const item = await readContactSoon(contactEntity.getting({ companyId, id: identity.contactId }));
    return item ? toContact(item) : getContactById(companyId, identity.contactId, { consistent: true });
  },
);
const readIdentitySoon = getSoon<Identity>();
const readContactSoon = getSoon<ItemOf<typeof contactEntity>>();

/** A contact, deleted or not. A miss is read again consistently, so that a contact is found right after its creation. */
export const getContactById = pattern(
  { question: 'a contact by its id', entity: 'contact', by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, id: number, { consistent = false } = {}): Promise<Contact | undefined> => {
    const item =
      (await contactEntity.get({ companyId, id }, { consistent })) ??
      (consistent ? undefined : await contactEntity.get({ companyId, id }, { consistent: true }));
    return item && toContact(item);
  },
);

export const getContactsByIds = pattern(
  { question: 'several contacts by id', entity: 'contact', by: 'BatchGetItem', units: '0.5 RRU each' },
  async (companyId: number, ids: readonly number[], options: { consistent?: boolean } = {}): Promise<Contact[]> =>
    (
      await contactEntity.getMany(
        ids.map((id) => ({ companyId, id })),
        options,
      )
    ).map(toContact),
);

/**
 * When a phone is known to be a contact's: one that was another contact's then stays that one's. Without `at` what was another's is free, and
 * so is a former phone of the contact `goneId`, which is deleted.
 */
export interface PhoneTime {
  /** Epoch milliseconds; 0: at an unknown time. */
  at?: number | undefined;
  goneId?: number | undefined;
}

/** Creates a contact with its identities, unless another contact has one of them, or had its phone at that time. */
export const createContactAndIdentities = pattern(
  { question: 'create a contact, unless its phone is taken', entity: 'contact', by: 'TransactWriteItems', units: '5 WRU' },
  async (contact: Contact, time: PhoneTime = {}): Promise<'done' | 'taken'> => {
    const { done } = await commit({
      contact: contactEntity.putting(toItem(contact), missing()),
      identities: identitiesOf(contact).map((identity) => identityEntity.putting(identity, any(missing(), isFormer(time)))),
    });
    return done ? 'done' : 'taken';
  },
);

/** A transaction has at most 100 items, and each contact comes with one identity. */
export const maxContactsPerTransaction = 50;

/**
 * Creates up to 50 contacts with their identities, all or none. `taken`: list positions of the contacts whose phone another contact has, or
 * another call is writing; the caller retries the rest.
 */
export const createContactsAndIdentities = pattern(
  { question: 'create many contacts, unless a phone is taken', entity: 'contact', by: 'TransactWriteItems', units: '5 WRU each' },
  async (contacts: readonly Contact[]): Promise<{ done: true } | { done: false; taken: ReadonlySet<number> }> => {
    const identities = contacts.flatMap((contact, place) => identitiesOf(contact).map((identity) => ({ place, identity })));
    const committed = await commit({
      contacts: contacts.map((contact) => contactEntity.putting(toItem(contact), missing())),
      identities: identities.map(({ identity }) => identityEntity.putting(identity, any(missing(), isFormer()))),
    });
    if (committed.done) return committed;
    const { contacts: existing = [], identities: taken = [] } = committed.refused;
    return {
      done: false,
      taken: new Set([...existing.map(({ place }) => place), ...taken.map(({ place }) => identities[place]?.place ?? -1)]),
    };
  },
);

/** Updates a contact with unchanged identities, if it is unchanged since it was read. */
export const updateStoredContact = pattern(
  { question: 'change a contact', entity: 'contact', by: 'PutItem', units: '3 WRU' },
  async (contact: Contact): Promise<'done' | 'changed'> =>
    (await contactEntity.put(toItem(contact), isSuccessor(contact))).done ? 'done' : 'changed',
);

/** The same for several contacts within a moment, each with a result of its own. */
export const updateContactTogether = pattern(
  { question: 'change contacts, 25 in a request', entity: 'contact', by: 'BatchExecuteStatement', units: '3 WRU each' },
  async (before: Contact, after: Contact): Promise<'done' | 'changed'> => {
    const [seen, next] = [before, after].map((each) => contactEntity.stored(toItem(each)));
    const key = contactEntity.key(after);
    const statement = seen && next && replacement(key, changedAttributes(seen, next), { r: before.rev });
    const alone = () => contactEntity.put(toItem(after), isSuccessor(after));
    return (await writeContactSoon({ key, statement, item: toItem(after), alone })).done ? 'done' : 'changed';
  },
);
const writeContactSoon = gathered({ atMost: 25, withinMs: 2 }, writeEach<ItemOf<typeof contactEntity>>);

/**
 * Updates a contact and its identities: another phone, deleted, restored. `taken`: another live contact has the new phone, or had it at that
 * time. `changed`: the contact was written since it was read. A deleted contact loses its phone to a live one.
 */
export const updateContactAndIdentities = pattern(
  { question: 'change a contact and its identities', entity: 'contact', by: 'TransactWriteItems', units: '6-8 WRU' },
  async (before: Contact, after: Contact, time: PhoneTime = {}): Promise<'done' | 'changed' | 'taken'> => {
    const committed = await commit({
      contact: contactEntity.putting(toItem(after), isSuccessor(after)),
      ...identityChanges([before], after, time),
    });
    if (committed.done) return 'done';
    return committed.refused.contact ? 'changed' : 'taken';
  },
);

/** Writes of the identities of contacts that become one, or of one that changes. */
export function identityChanges(before: readonly Contact[], after: Contact, time: PhoneTime = {}) {
  const wanted = identitiesOf(after);
  const former = formerIdentitiesOf(before, after).filter((each) => !wanted.some((own) => isSame(own, each)));
  const retained = [...wanted, ...former];
  const obsolete = before.flatMap(identitiesOf).filter((old) => !retained.some((each) => isSame(each, old)));
  const isOwn = before.map(({ id }) => equals('contactId', id));
  // a former phone is not written again when its contact is merged
  const isOfMerged = before.flatMap(({ mergedIds = [] }) => mergedIds.map((id) => equals('contactId', id)));
  const isFree = any(missing(), all(exists('expires'), missing('until')), isFormer(time), ...isOwn, ...isOfMerged);
  return {
    wanted: wanted.map((identity) => identityEntity.putting(identity, isFree)),
    obsolete: obsolete.map((identity) => identityEntity.deleting(identity, any(missing(), ...isOwn))),
    former: former.map((identity) => identityEntity.putting(identity, any(missing(), exists('expires'), ...isOwn))),
  };
}

/** Removes an identity, unless another contact has it by now. */
export const deleteIdentity = pattern(
  { question: 'remove an identity of an erased contact', entity: 'contact-identity', by: 'DeleteItem', units: '1 WRU' },
  async ({ companyId, by, value, contactId }: Omit<Identity, 'expires'>): Promise<void> => {
    await identityEntity.delete({ companyId, by, value }, equals('contactId', contactId));
  },
);

/** Removes the row of a contact that was soft-deleted. */
export const deleteContactRow = pattern(
  { question: 'remove an erased contact', entity: 'contact', by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number, id: number): Promise<void> => {
    await contactEntity.delete({ companyId, id }, exists('del'));
  },
);

/** Contacts of a page below an id, newest first, deleted ones too. `next`: the id below which to continue, if the query was cut. */
export const listContactPage = pattern(
  { question: 'contacts of a page of 32 ids, newest first', entity: 'contact', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (
    companyId: number,
    contactPage: number,
    belowId: number,
    limit: number,
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<{ contacts: Contact[]; next: number | undefined }> => {
    const page = await contactEntity.query({
      pk: contactPageKey(companyId, contactPage),
      between: [placeOf(contactPage * contactPageSize), placeOf(belowId - 1)],
      descending: true,
      limit,
      consistent,
    });
    return { contacts: page.items.map(toContact), next: page.last && contactPage * contactPageSize + Number(page.last['sk']) };
  },
);

export const contactPageOf = (id: number): number => Math.floor(id / contactPageSize);

export function identitiesOf(contact: Contact): Identity[] {
  const { companyId, id: contactId, phone, userId, aliases = [], mergedIds, isBlocked } = contact;
  const expires = purgeSeconds(contact.deletedAt);
  const own = [...(phone === '' ? [] : [phoneAlias(phone)]), ...(userId === undefined ? [] : [userAlias(userId)])];
  return [...new Set([...own, ...aliases])].map((alias) => ({
    companyId,
    by: alias.startsWith('user:') ? 'user' : 'phone',
    value: alias.slice(alias.indexOf(':') + 1),
    contactId,
    expires,
    ...(mergedIds && { mergedIds: [...mergedIds] }),
    ...(isBlocked && { isBlocked }),
  }));
}

/** The phones that a contact has had until now: late messages from them are its own. */
function formerIdentitiesOf(before: readonly Contact[], { companyId, id: contactId, former = [], updatedAt }: Contact): Identity[] {
  const known = before.flatMap((each) => each.former ?? []);
  return former
    .filter(({ phone, until }) => !known.some((each) => each.phone === phone && each.until === until))
    .map(({ phone, until }) => ({
      companyId,
      by: 'phone',
      value: canonicalPhone(phone),
      contactId,
      until,
      expires: purgeSeconds(updatedAt),
    }));
}

const isSame = (a: Identity, b: Identity): boolean => a.by === b.by && a.value === b.value;
/** A former phone, which is another contact's no more. */
const isFormer = ({ at, goneId }: PhoneTime = {}) =>
  at === undefined
    ? exists('until')
    : any(below('until', at), ...(goneId === undefined ? [] : [all(exists('until'), equals('contactId', goneId))]));

/** Short, because DynamoDB prices a page of contacts by its bytes. */
const placeOf = (id: number): string => String(id % contactPageSize).padStart(2, '0');

const contactPageKey = (companyId: number, contactPage: number): string => `${tenant(companyId)}#CT#${contactPage}`;

export const isSuccessor = (contact: Contact) => all(exists(), equals('r', contact.rev - 1));

function purgeSeconds(deletedAt: number | undefined): number | undefined {
  return deletedAt === undefined ? undefined : Math.floor((deletedAt + purgeAfterDays * dayMs) / 1_000);
}
