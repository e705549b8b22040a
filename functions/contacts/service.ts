import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../shared/contract/problems.ts';
import type { Page } from '../../shared/http/reply.ts';
import { now } from '../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../shared/table/cursor.ts';
import { readHead, takeIds } from '../../shared/table/head.ts';
import type { ContactBody, ContactRecord } from './contract.ts';
import { changed, type Contact, customBytes, isLive, merged, newContact, replaced, restored, softDeleted } from './domain/contact.ts';
import { maxCustomBytes } from './domain/field.ts';
import { countryOfPhone } from './domain/phone.ts';
import { contactRecord, type Names } from './domain/record.ts';
import { establish, lookUp } from './service/references.ts';
import { createContact, findContact, findContacts, findIdentity, moveContact, updateContact } from './store/contact.ts';
import { findGroups, listGroups } from './store/group.ts';
import { contactsBelow, positionAfter } from './store/list.ts';
import { findTags, listTags } from './store/tag.ts';

export { normalizePhone } from './domain/phone.ts';

/** What other contexts show of a contact. */
export interface ContactCard {
  id: number;
  name: string | null;
  phone: string;
}

/**
 * The contact of a phone (digits in stored form, any variant), made when there is none and restored when it was deleted. A name is
 * learned only where there is none; `inbound` proves that the phone is on WhatsApp. Nothing new: nothing is written (1 RRU).
 * The plan's limit holds for `api`; a person who writes to the company is never turned away.
 */
export const ensureContact = async (
  companyId: number,
  { phone, name, source }: { phone: string; name?: string; source: 'api' | 'inbound' },
): Promise<{ contact: Contact; created: boolean } | Problem<'plan_limit_reached' | 'validation_failed' | 'conflict'>> => {
  const learn = (contact: Contact): Contact => ({
    ...contact,
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255) } : {}),
    isOnWhatsapp: contact.isOnWhatsapp || source === 'inbound',
  });
  return meet(companyId, phone, await holderOf(companyId, phone, false), {
    create: (id, at) => learn(newContact(companyId, id, { phone, phoneCountry: countryOfPhone(phone) }, at)),
    update: learn,
    limited: source === 'api',
  });
};

/** Whose phone it is; undefined when nobody's or a deleted contact's (ensureContact restores it). 0.5 RRU. */
export const contactIdByPhone = async (companyId: number, phone: string): Promise<number | undefined> => {
  const identity = await findIdentity(companyId, phone, false);
  return identity?.expires === undefined ? identity?.contactId : undefined;
};

/** Cards of live contacts, in the order asked. 0.5 RRU each. */
export const contactCards = async (companyId: number, ids: readonly number[]): Promise<ContactCard[]> =>
  (await findContacts(companyId, ids)).filter(isLive).map(({ id, name, phone }) => ({ id, name: name ?? null, phone }));

/** Whether there is such a contact, not deleted. 0.5 RRU. */
export const contactExists = async (companyId: number, id: number): Promise<boolean> => isLive(await findContact(companyId, id, false));

/** A page of contacts, newest first (A13). A page past the end is empty. */
export const listContacts = async (
  companyId: number,
  { page, limit, cursor }: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ContactRecord> | Problem<'invalid_cursor'>> => {
  const scope = `contacts:${companyId}`;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const { lastId, total } = await readHead(companyId, 'contact');
  const below = after ? after.id : await positionAfter(companyId, lastId, (page - 1) * limit);
  const found = below === undefined ? [] : await contactsBelow(companyId, below, limit + 1);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { items: await records(companyId, shown), total, page, limit, nextCursor: last && encodeCursor(scope, { id: last.id }) };
};

export const getContact = async (companyId: number, id: number): Promise<ContactRecord | Problem<'not_found'>> => {
  const contact = await findContact(companyId, id, false);
  return isLive(contact) ? record(companyId, contact) : problem('not_found');
};

type WriteProblem = Problem<'validation_failed' | 'conflict'>;

/** POST: creates the contact of a phone, or adds to it, or restores it (A8). `strictFields`: unknown custom fields are refused (A7). */
export const upsertContact = async (
  companyId: number,
  body: ContactBody,
  strictFields = false,
): Promise<(ContactRecord & { created: boolean }) | WriteProblem | Problem<'plan_limit_reached'>> => {
  const [held, plan] = await Promise.all([holderOf(companyId, body.phone, false), lookUp(companyId, body, strictFields)]);
  if (isProblem(plan)) return plan;
  const references = await establish(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phoneCountry: countryOfPhone(body.phone) };
  const met = await meet(companyId, body.phone, held, {
    create: (id, at) => newContact(companyId, id, given, at),
    update: (contact, at) => merged(contact, given, at),
    limited: true,
  });
  return isProblem(met) ? met : { ...(await record(companyId, met.contact)), created: met.created };
};

/** PUT (A9). A phone that another contact has is refused. */
export const replaceContact = async (
  companyId: number,
  id: number,
  body: ContactBody,
  strictFields = false,
): Promise<ContactRecord | WriteProblem | Problem<'not_found'>> => {
  const [seen, plan] = await Promise.all([findContact(companyId, id, false), lookUp(companyId, body, strictFields)]);
  if (!isLive(seen)) return problem('not_found');
  if (isProblem(plan)) return plan;
  const references = await establish(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phoneCountry: countryOfPhone(body.phone) };
  const written = await rewrite(companyId, id, seen, (contact, at) => replaced(contact, given, at));
  return isProblem(written) ? written : record(companyId, written);
};

/** DELETE (A11): hidden everywhere, out of its groups, gone for good after 30 days. */
export const deleteContact = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found' | 'conflict'>> => {
  const deleted = await rewrite(companyId, id, await findContact(companyId, id, false), softDeleted);
  if (!isProblem(deleted)) return { id };
  return deleted.problem === 'not_found' ? problem('not_found') : problem('conflict');
};

/** How many contacts the company's plan allows; null: any number. */
export const contactLimit = async (_companyId: number): Promise<number | null> => null;

const cursorPosition = z.object({ id: z.int().positive() });

/** Writes race by `rev`: who lost reads again, consistently. */
const maxAttempts = 12;

interface Meeting {
  create: (id: number, at: number) => Contact;
  update: (contact: Contact, at: number) => Contact;
  /** Whether the plan's limit holds. */
  limited: boolean;
}

/** The contact of a phone after `meeting`: created, changed, restored, or found as it is to be. `held`: what a first look found. */
async function meet(
  companyId: number,
  phone: string,
  held: Contact | undefined,
  meeting: Meeting,
): Promise<{ contact: Contact; created: boolean } | Problem<'plan_limit_reached' | 'validation_failed' | 'conflict'>> {
  for (
    let attempt = 1, seen = held;
    attempt <= maxAttempts;
    attempt++, await pause(attempt), seen = await holderOf(companyId, phone, true)
  ) {
    const grows = !isLive(seen);
    const refused = grows && meeting.limited ? await planRefusal(companyId) : undefined;
    if (refused) return refused;
    if (seen === undefined) {
      const created = meeting.create(await takeIds(companyId, 'contact', 1), now());
      if (isTooLarge(created)) return tooLarge();
      if ((await createContact(created)).done) return { contact: created, created: true };
      continue;
    }
    const at = now();
    const next = changed(seen, meeting.update(restored(seen), at), at);
    if (next === undefined) return { contact: seen, created: false };
    if (isTooLarge(next)) return tooLarge();
    const done = grows ? (await moveContact(seen, next)) === 'done' : (await updateContact(next)).done;
    if (done) return { contact: next, created: false };
  }
  return problem('conflict');
}

/** A live contact after `change`. */
async function rewrite(
  companyId: number,
  id: number,
  found: Contact | undefined,
  change: (contact: Contact, at: number) => Contact,
): Promise<Contact | WriteProblem | Problem<'not_found'>> {
  for (
    let attempt = 1, seen = found;
    attempt <= maxAttempts;
    attempt++, await pause(attempt), seen = await findContact(companyId, id, true)
  ) {
    if (!isLive(seen)) return problem('not_found');
    const at = now();
    const next = changed(seen, change(seen, at), at);
    if (next === undefined) return seen;
    if (isTooLarge(next)) return tooLarge();
    if (next.phone === seen.phone && isLive(next)) {
      if ((await updateContact(next)).done) return next;
      continue;
    }
    const outcome = await moveContact(seen, next);
    if (outcome === 'done') return next;
    if (outcome === 'taken') return invalid('phone', 'Another contact has this phone.');
  }
  return problem('conflict');
}

async function holderOf(companyId: number, phone: string, consistent: boolean): Promise<Contact | undefined> {
  const identity = await findIdentity(companyId, phone, consistent);
  return identity && findContact(companyId, identity.contactId, consistent);
}

async function planRefusal(companyId: number): Promise<Problem<'plan_limit_reached'> | undefined> {
  const limit = await contactLimit(companyId);
  if (limit === null) return undefined;
  const { total } = await readHead(companyId, 'contact');
  return total < limit ? undefined : problem('plan_limit_reached', { details: { resource: 'contacts', limit, used: total } });
}

async function record(companyId: number, contact: Contact): Promise<ContactRecord> {
  return contactRecord(contact, await namesOf(companyId, [contact]));
}

async function records(companyId: number, contacts: readonly Contact[]): Promise<ContactRecord[]> {
  const names = await namesOf(companyId, contacts);
  return contacts.map((contact) => contactRecord(contact, names));
}

/** Names are read only where a contact has some: one or two by key, more with their whole partition, which is about as dear. */
async function namesOf(companyId: number, contacts: readonly Contact[]): Promise<Names> {
  const groupIds = [...new Set(contacts.flatMap((contact) => contact.groupIds))];
  const tagIds = [...new Set(contacts.flatMap((contact) => contact.tagIds))];
  const [groups, tags] = await Promise.all([
    groupIds.length > 2 ? listGroups(companyId) : findGroups(companyId, groupIds),
    tagIds.length > 2 ? listTags(companyId) : findTags(companyId, tagIds),
  ]);
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
}

const isTooLarge = (contact: Contact): boolean => customBytes(contact) > maxCustomBytes;
const tooLarge = () => invalid('custom', `All custom values of a contact together have at most ${maxCustomBytes} bytes.`);

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** attempt)));
