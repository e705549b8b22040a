import * as z from 'zod';
import { all, any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { shardOf, tenant } from '../../../shared/table/schema.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { type Contact, purgeAfterDays } from '../domain/contact.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { contactEntityName, contactItem, toContact, toItem } from '../contract/stored.ts';
import { updatedKey, updatedPlace, updatedShards } from './updated-key.ts';

/** Contacts lie in blocks of ids: the list, newest first, walks blocks downward and needs no index. */
export const contactPageSize = 32;

export const contactEntity = entity({
  name: contactEntityName,
  purpose: 'A contact: who it is, what it consented to, its groups, tags and custom fields',
  attributes: contactItem,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: contactPageKey(companyId, contactPageOf(id)), sk: placeOf(id) }),
  idOf: ({ c, i }) => ({ companyId: c, id: i }),
  /** The order of changes (A13), live and deleted apart. */
  indexedBy: ['c', 'i', 'at', 'up', 'del'],
  indexes: ({ c, i, at, up, del }) => ({
    list: { pk: updatedKey(c, shardOf(i, updatedShards), del !== undefined), sk: updatedPlace({ at: up ?? at, id: i }) },
  }),
  expiresAt: ({ del }) => purgeSeconds(del),
  example: { pk: 'C#<company>#CT#<id / 32>', sk: '<id mod 32>' },
});

/** What a contact is found by: the canonical form of its phone, or the provider's user id. */
export const identityEntity = entity({
  name: 'contact-identity',
  purpose: 'Which contact a phone or a provider user id belongs to; unique by its key',
  attributes: z.object({
    companyId: z.int(),
    by: z.enum(['phone', 'user']),
    value: z.string(),
    contactId: z.int(),
    /** The contact is soft-deleted; epoch seconds of the purge of both. */
    expires: z.int().optional(),
  }),
  key: ({ companyId, by, value }: { companyId: number; by: 'phone' | 'user'; value: string }) => ({
    pk: `${tenant(companyId)}#ID#${by}:${value}`,
    sk: 'ID',
  }),
  idOf: ({ companyId, by, value }) => ({ companyId, by, value }),
  expiresAt: ({ expires }) => expires,
  example: { pk: 'C#<company>#ID#<phone or user>:<value>', sk: 'ID' },
});
export type Identity = ItemOf<typeof identityEntity>;

export const getPhoneIdentity = pattern(
  { question: 'whose phone is this', entity: 'contact-identity', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, phone: string, consistent: boolean): Promise<Identity | undefined> =>
    identityEntity.get({ companyId, by: 'phone', value: canonicalPhone(phone) }, { consistent }),
);

export const getUserIdentity = pattern(
  { question: 'whose provider user id is this', entity: 'contact-identity', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, userId: string, consistent: boolean): Promise<Identity | undefined> =>
    identityEntity.get({ companyId, by: 'user', value: userId }, { consistent }),
);

/** Identities by the canonical form of their phone; phones that nobody has are left out. */
export const getPhoneIdentities = pattern(
  { question: 'whose phones are these', entity: 'contact-identity', by: 'BatchGetItem', units: '0.5 RRU each' },
  async (companyId: number, canonicalPhones: readonly string[]): Promise<Map<string, Identity>> => {
    const keys = canonicalPhones.map((value) => ({ companyId, by: 'phone' as const, value }));
    return new Map((await identityEntity.getMany(keys)).map((identity) => [identity.value, identity]));
  },
);

/** A contact, soft-deleted ones too. A miss is asked again consistently, so that a contact is there right after its creation. */
export const getContactById = pattern(
  { question: 'a contact by its id', entity: 'contact', by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, id: number, consistent: boolean): Promise<Contact | undefined> => {
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

/** Creates a contact with its identities, unless another contact came first. */
export const createContactAndIdentities = pattern(
  { question: 'create a contact, unless its phone is taken', entity: 'contact', by: 'TransactWriteItems', units: '5 WRU' },
  async (contact: Contact): Promise<'done' | 'taken'> => {
    const { done } = await commit([
      contactEntity.putting(toItem(contact), missing()),
      ...identitiesOf(contact).map((identity) => identityEntity.putting(identity, missing())),
    ]);
    return done ? 'done' : 'taken';
  },
);

/** As many contacts as one transaction holds: each with one identity. */
export const maxContactsPerTransaction = 50;

/**
 * Creates up to 50 contacts with their identities, all or none. `taken`: places in the list of those whose phone is somebody's, or which
 * another call is just taking; the others can be tried again.
 */
export const createContactsAndIdentities = pattern(
  { question: 'create many contacts, unless a phone is taken', entity: 'contact', by: 'TransactWriteItems', units: '5 WRU each' },
  async (contacts: readonly Contact[]): Promise<{ done: true } | { done: false; taken: ReadonlySet<number> }> => {
    const parts = contacts.flatMap((contact, place) => [
      { place, part: contactEntity.putting(toItem(contact), missing()) },
      ...identitiesOf(contact).map((identity) => ({ place, part: identityEntity.putting(identity, missing()) })),
    ]);
    const committed = await commit(parts.map(({ part }) => part));
    return committed.done ? committed : { done: false, taken: new Set(committed.refused.map(({ index }) => parts[index]?.place ?? -1)) };
  },
);

/** Writes a contact whose identities stay, if nobody wrote it since it was read. */
export const updateContact = pattern(
  { question: 'change a contact', entity: 'contact', by: 'PutItem', units: '3 WRU' },
  async (contact: Contact): Promise<'done' | 'changed'> =>
    (await contactEntity.put(toItem(contact), isSuccessor(contact))).done ? 'done' : 'changed',
);

/**
 * Writes a contact whose identities change with it: another phone, deleted, restored. `taken`: the new phone is another contact's;
 * `changed`: somebody wrote the contact since it was read. A soft-deleted contact gives its phone away.
 */
export const updateContactAndIdentities = pattern(
  { question: 'change a contact and what it is found by', entity: 'contact', by: 'TransactWriteItems', units: '6-8 WRU' },
  async (before: Contact, after: Contact): Promise<'done' | 'changed' | 'taken'> => {
    const keep = identitiesOf(after);
    const drop = identitiesOf(before).filter((old) => !keep.some((each) => each.by === old.by && each.value === old.value));
    const committed = await commit([
      contactEntity.putting(toItem(after), isSuccessor(after)),
      ...keep.map((identity) => identityEntity.putting(identity, any(missing(), exists('expires'), equals('contactId', after.id)))),
      ...drop.map((identity) => identityEntity.deleting(identity, any(missing(), equals('contactId', after.id)))),
    ]);
    if (committed.done) return 'done';
    return committed.refused.some(({ index }) => index === 0) ? 'changed' : 'taken';
  },
);

/** A block's contacts below an id, newest first, soft-deleted ones too. `next`: below which id to go on when the page was cut. */
export const listContactPage = pattern(
  { question: 'contacts of a block of 32 ids, newest first', entity: 'contact', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (
    companyId: number,
    contactPage: number,
    belowId: number,
    limit: number,
  ): Promise<{ contacts: Contact[]; next: number | undefined }> => {
    const page = await contactEntity.query({
      pk: contactPageKey(companyId, contactPage),
      between: [placeOf(contactPage * contactPageSize), placeOf(belowId - 1)],
      descending: true,
      limit,
    });
    return { contacts: page.items.map(toContact), next: page.last && contactPage * contactPageSize + Number(page.last['sk']) };
  },
);

export const contactPageOf = (id: number): number => Math.floor(id / contactPageSize);

function identitiesOf(contact: Contact): Identity[] {
  const { companyId, id: contactId } = contact;
  const expires = purgeSeconds(contact.deletedAt);
  return [
    ...(contact.phone === '' ? [] : [{ companyId, by: 'phone' as const, value: canonicalPhone(contact.phone), contactId, expires }]),
    ...(contact.userId === undefined ? [] : [{ companyId, by: 'user' as const, value: contact.userId, contactId, expires }]),
  ];
}

/** Short, because a page of contacts is priced by its bytes. */
const placeOf = (id: number): string => String(id % contactPageSize).padStart(2, '0');

const contactPageKey = (companyId: number, contactPage: number): string => `${tenant(companyId)}#CT#${contactPage}`;

const isSuccessor = (contact: Contact) => all(exists(), equals('r', contact.rev - 1));

function purgeSeconds(deletedAt: number | undefined): number | undefined {
  return deletedAt === undefined ? undefined : Math.floor((deletedAt + purgeAfterDays * dayMs) / 1_000);
}
