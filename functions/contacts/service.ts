import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../shared/contract/problems.ts';
import type { Page } from '../../shared/http/reply.ts';
import { now } from '../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../shared/table/cursor.ts';
import { readHead, takeIds } from '../../shared/table/head.ts';
import { getCompany } from '../account/service/companies.ts';
import { planRefusal as contactsRefusal } from '../account/service/plan.ts';
import type { ContactBody, ContactRecord } from './contract/contact.ts';
import { changed, type Contact, customBytes, isLive, merged, newContact, replaced, restored, softDeleted } from './domain/contact.ts';
import { maxCustomBytes } from './domain/field.ts';
import { canonicalPhone, countryOfPhone } from './domain/phone.ts';
import { contactRecord, type Names } from './domain/record.ts';
import { contactEntityName } from './contract/stored.ts';
import { establish, lookUp } from './service/references.ts';
import { createContact, findContact, findContacts, findIdentity, moveContact, updateContact } from './store/contact.ts';
import { findGroups } from './store/group.ts';
import { contactsBelow, positionAfter } from './store/list.ts';
import { findTags } from './store/tag.ts';

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
): Promise<{ contact: Contact; created: boolean } | Problem<'plan_limit_reached'>> => {
  const learn = (contact: Contact): Contact => ({
    ...contact,
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
    isOnWhatsapp: contact.isOnWhatsapp || source === 'inbound',
  });
  return meet<never>(companyId, phone, await holderOf(companyId, phone, false), {
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
  const { lastId, total } = await readHead(companyId, contactEntityName);
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

/** POST: creates the contact of a phone, or adds to it, or restores it (A8). */
export const upsertContact = async (
  companyId: number,
  body: ContactBody,
): Promise<(ContactRecord & { created: boolean }) | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const [held, plan] = await Promise.all([holderOf(companyId, body.phone, false), lookUp(companyId, body)]);
  if (isProblem(plan)) return plan;
  const references = await establish(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phoneCountry: countryOfPhone(body.phone) };
  const met = await meet(companyId, body.phone, held, {
    create: (id, at) => sized(newContact(companyId, id, given, at)),
    update: (contact, at) => sized(merged(contact, given, at)),
    limited: true,
  });
  return isProblem(met) ? met : { ...(await record(companyId, met.contact)), created: met.created };
};

/** PUT (A9). A phone that another contact has is refused. */
export const replaceContact = async (
  companyId: number,
  id: number,
  body: ContactBody,
): Promise<ContactRecord | Problem<'validation_failed' | 'not_found'>> => {
  const [seen, plan] = await Promise.all([findContact(companyId, id, false), lookUp(companyId, body)]);
  if (!isLive(seen)) return problem('not_found');
  if (isProblem(plan)) return plan;
  const references = await establish(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phoneCountry: countryOfPhone(body.phone) };
  const written = await rewrite(companyId, id, seen, (contact, at) => sized(replaced(contact, given, at)));
  if (written === 'missing') return problem('not_found');
  if (written === 'taken') return invalid('phone', 'Another contact has this phone.');
  return isProblem(written) ? written : record(companyId, written);
};

/** DELETE (A11): hidden everywhere, out of its groups, gone for good after 30 days. */
export const deleteContact = async (companyId: number, id: number): Promise<Contact | Problem<'not_found'>> => {
  const deleted = await rewrite<never>(companyId, id, await findContact(companyId, id, false), softDeleted);
  return typeof deleted === 'string' ? problem('not_found') : deleted;
};

const cursorPosition = z.object({ id: z.int().positive() });

/** Writes race by `rev`: who lost reads again, consistently. After so many lost races the call fails, and may be repeated. */
const maxAttempts = 12;

interface Meeting<P> {
  create: (id: number, at: number) => Contact | P;
  update: (contact: Contact, at: number) => Contact | P;
  /** Whether the plan's limit holds. */
  limited: boolean;
}

/** The contact of a phone after `meeting`: created, changed, restored, or found as it is to be. `held`: what a first look found. */
async function meet<P extends Problem>(
  companyId: number,
  phone: string,
  held: Contact | undefined,
  { create, update, limited }: Meeting<P>,
): Promise<{ contact: Contact; created: boolean } | P | Problem<'plan_limit_reached'>> {
  for (
    let attempt = 1, seen = held;
    attempt <= maxAttempts;
    attempt++, await pause(attempt), seen = await holderOf(companyId, phone, true)
  ) {
    const grows = !isLive(seen);
    const refused = grows && limited ? await planRefusal(companyId) : undefined;
    if (refused) return refused;
    if (seen === undefined) {
      const contact = create(await takeIds(companyId, contactEntityName, 1), now());
      if (!isContact(contact)) return contact;
      if ((await createContact(contact)) === 'done') return { contact, created: true };
      continue;
    }
    const at = now();
    const wanted = update(restored(seen), at);
    if (!isContact(wanted)) return wanted;
    const contact = changed(seen, wanted, at);
    if (contact === undefined) return { contact: seen, created: false };
    const outcome = grows ? await moveContact(seen, contact) : await updateContact(contact);
    if (outcome === 'done') return { contact, created: false };
  }
  throw new Contended();
}

/** A live contact after `change`. `missing`: there is none; `taken`: its new phone is another contact's. */
async function rewrite<P extends Problem>(
  companyId: number,
  id: number,
  found: Contact | undefined,
  change: (contact: Contact, at: number) => Contact | P,
): Promise<Contact | P | 'missing' | 'taken'> {
  for (
    let attempt = 1, seen = found;
    attempt <= maxAttempts;
    attempt++, await pause(attempt), seen = await findContact(companyId, id, true)
  ) {
    if (!isLive(seen)) return 'missing';
    const at = now();
    const wanted = change(seen, at);
    if (!isContact(wanted)) return wanted;
    const contact = changed(seen, wanted, at);
    if (contact === undefined) return seen;
    const staysFound = contact.phone === seen.phone && isLive(contact);
    const outcome = staysFound ? await updateContact(contact) : await moveContact(seen, contact);
    if (outcome === 'done') return contact;
    if (outcome === 'taken') return 'taken';
  }
  throw new Contended();
}

/** An identity read a moment too early may still name the contact that had the phone before: then both are read consistently. */
async function holderOf(companyId: number, phone: string, consistent: boolean): Promise<Contact | undefined> {
  const identity = await findIdentity(companyId, phone, consistent);
  const contact = identity && (await findContact(companyId, identity.contactId, consistent));
  const hasPhone = contact !== undefined && canonicalPhone(contact.phone) === canonicalPhone(phone);
  if (identity === undefined || hasPhone) return contact;
  return consistent ? undefined : holderOf(companyId, phone, true);
}

async function planRefusal(companyId: number): Promise<Problem<'plan_limit_reached'> | undefined> {
  const limit = (await getCompany(companyId))?.plan.limits.contacts ?? null;
  if (limit === null) return undefined;
  const { total } = await readHead(companyId, contactEntityName);
  return total < limit ? undefined : contactsRefusal('contacts', limit, total);
}

async function record(companyId: number, contact: Contact): Promise<ContactRecord> {
  return contactRecord(contact, await namesOf(companyId, [contact]));
}

async function records(companyId: number, contacts: readonly Contact[]): Promise<ContactRecord[]> {
  const names = await namesOf(companyId, contacts);
  return contacts.map((contact) => contactRecord(contact, names));
}

/** Names are read only where a contact has some. */
async function namesOf(companyId: number, contacts: readonly Contact[]): Promise<Names> {
  const [groups, tags] = await Promise.all([
    findGroups(
      companyId,
      contacts.flatMap((contact) => contact.groupIds),
    ),
    findTags(
      companyId,
      contacts.flatMap((contact) => contact.tagIds),
    ),
  ]);
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
}

const sized = (contact: Contact): Contact | Problem<'validation_failed'> =>
  customBytes(contact) <= maxCustomBytes
    ? contact
    : invalid('custom', `All custom values of a contact together have at most ${maxCustomBytes} bytes.`);

const isContact = <P extends Problem>(value: Contact | P): value is Contact => 'rev' in value;

/** The stack answers it with 503 and Retry-After, a worker's queue with another delivery. */
class Contended extends Error {
  override name = 'TransactionConflict';
}

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** attempt)));
