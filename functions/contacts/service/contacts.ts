import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isContactBlocked } from '../contract/eligibility.ts';
import type { ContactRecord } from '../contract/contact.ts';
import type { ContactBody, ContactChanges } from '../contract/contact-body.ts';
import type { FieldRecord } from '../contract/field.ts';
import type { Contact } from '../contract/stored.ts';
import { hasBlock } from '../domain/block.ts';
import { isLive, merged, newContact, replaced, softDeleted, withoutLabels } from '../domain/contact.ts';
import { countryOfPhone } from '../contract/phone.ts';
import { toFieldRecord } from '../domain/contact-record.ts';
import { validateContact } from './validate-contact.ts';
import { type FindByIdentity, getContactByPhone, upsertByIdentity, updateLiveContact } from './upsert-by-identity.ts';
import { getContactRecord } from './contact-records.ts';
import { followAll, followMerges } from './followed-contacts.ts';
import { readCompanyPhone } from './phones.ts';
import { createMissingReferences, resolveReferences } from './references.ts';
import { getContactById, getPhoneIdentity } from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { findGroupIds } from './group-ids.ts';

/** A contact as other contexts show it. */
export interface ContactCard {
  id: number;
  name: string | null;
  phone: string;
}

/** A contact to ensure by normalized phone, in any variant. For the provider's identities see service/find-by-identities.ts. */
export interface ContactRequest {
  phone: string;
  name?: string | undefined;
  email?: string | undefined;
  /** The customer declined marketing: a contact that is new is not subscribed; one that is known keeps its own consent. */
  isDeclined?: boolean | undefined;
  source: 'api' | 'inbound';
  /** The time of a message, epoch milliseconds: a phone that moved since then is still its sender's. */
  at?: number | undefined;
}

/**
 * The contact of a phone: created if there is none, restored if it was deleted. Sets name and email only if the contact has none; `inbound` proves
 * that the phone is on WhatsApp. Writes nothing if nothing is new (1 RRU).
 * The limit of the plan applies to `api`; inbound senders are always accepted.
 */
export const ensureContact = async (
  companyId: number,
  { phone, name, email, isDeclined = false, source, at: sentAt }: ContactRequest,
): Promise<{ contact: Contact; created: boolean } | Problem<'plan_limit_reached'>> => {
  const find: FindByIdentity = (options) => getContactByPhone(companyId, phone, { ...options, at: sentAt });
  const learn = (contact: Contact): Contact => ({
    ...contact,
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
    ...(contact.email === undefined && email !== undefined ? { email } : {}),
    isOnWhatsapp: contact.isOnWhatsapp || source === 'inbound',
  });
  return upsertByIdentity<never>(companyId, find, await find(), {
    phone,
    create: (id, at, fields, subscribedIfNew) => {
      const given = { phone, phoneCountry: countryOfPhone(phone), subscribedIfNew, isInbound: source === 'inbound' };
      const contact = learn(newContact(companyId, id, given, at, fields));
      return isDeclined ? { ...contact, subscribed: false, consent: { source: 'shop', at } } : contact;
    },
    update: learn,
    isLimited: source === 'api',
    at: sentAt,
  });
};

/** The id of the live contact of a phone; undefined also for a deleted contact (ensureContact restores it). 0.5 RRU. */
export const contactIdByPhone = async (companyId: number, phone: string): Promise<number | undefined> => {
  const identity = await getPhoneIdentity(companyId, phone);
  return identity?.expires === undefined ? identity?.contactId : undefined;
};

/** Cards of live contacts, in the order of `ids`; that of a merged contact, under its id, is the other one's. 0.5 RRU each. */
export const contactCards = async (companyId: number, ids: readonly number[]): Promise<ContactCard[]> =>
  (await followAll(companyId, ids)).flatMap(([id, contact]) =>
    isLive(contact) ? [{ id, name: contact.name ?? null, phone: contact.phone }] : [],
  );

/** The same, with whether the company has blocked each. */
export const contactCardsWithBlock = async (companyId: number, ids: readonly number[]): Promise<(ContactCard & { blocked: boolean })[]> =>
  (await followAll(companyId, ids)).flatMap(([id, contact]) =>
    isLive(contact) ? [{ id, name: contact.name ?? null, phone: contact.phone, blocked: hasBlock(contact) }] : [],
  );

/** The same with the email of each, for records that show it. */
export const contactCardsWithEmail = async (
  companyId: number,
  ids: readonly number[],
): Promise<(ContactCard & { email: string | null })[]> =>
  (await followAll(companyId, ids)).flatMap(([id, contact]) =>
    isLive(contact) ? [{ id, name: contact.name ?? null, phone: contact.phone, email: contact.email ?? null }] : [],
  );

/** Whether the contact exists and is not deleted. 0.5 RRU. */
export const contactExists = async (companyId: number, id: number): Promise<boolean> => isLive(await followMerges(companyId, id));

/** Whether automated answers may go to a contact; to a deleted one none may. 0.5 RRU. */
export const isBotEnabled = async (companyId: number, id: number): Promise<boolean> => {
  const contact = await followMerges(companyId, id);
  return isLive(contact) && contact.enabledAiBot;
};

/**
 * A contact as it is now, for a decision to send: an eventually consistent read may not know that it opted out a moment ago. Undefined: it
 * is deleted. 1 RRU.
 */
export const getCurrentRecipient = async (
  companyId: number,
  id: number,
): Promise<Pick<Contact, 'id' | 'subscribed' | 'marketingBlocked' | 'isBlocked'> | undefined> => {
  const contact = await followMerges(companyId, id, { consistent: true });
  return isLive(contact) ? contact : undefined;
};

/** By what the provider reaches a contact. Undefined: it is deleted. 0.5 RRU. */
export const getRecipientIdentities = async (
  companyId: number,
  id: number,
): Promise<{ id: number; phone: string | undefined; userId: string | undefined; isBlocked: boolean } | undefined> => {
  const contact = await followMerges(companyId, id);
  return isLive(contact)
    ? { id: contact.id, phone: contact.phone || undefined, userId: contact.userId, isBlocked: isContactBlocked(contact) }
    : undefined;
};

export const getContact = async (companyId: number, id: number): Promise<ContactRecord | Problem<'not_found'>> => {
  const contact = await followMerges(companyId, id);
  return isLive(contact) ? getContactRecord(companyId, contact) : problem('not_found');
};

/** Groups and custom values of a contact, with the definitions of all fields (A14). */
export const getGroupsAndFields = async (
  companyId: number,
  id: number,
): Promise<{ groups: ContactRecord['groups']; fields: ContactRecord['custom']; definitions: FieldRecord[] } | Problem<'not_found'>> => {
  const [contact, fields] = await Promise.all([getContact(companyId, id), listFieldDefinitions(companyId)]);
  if (isProblem(contact)) return contact;
  return { groups: contact.groups, fields: contact.custom, definitions: fields.map(toFieldRecord) };
};

/** Creates the contact of a phone, or updates or restores it (A8). */
export const createContact = async (
  companyId: number,
  body: ContactBody,
): Promise<(ContactRecord & { created: boolean }) | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const read = await readCompanyPhone(companyId, body.phone);
  if (!read.ok) return invalid('phone', read.reason);
  const phone = read.digits;
  const find: FindByIdentity = (options) => getContactByPhone(companyId, phone, options);
  const [found, plan] = await Promise.all([find(), resolveReferences(companyId, body)]);
  if (isProblem(plan)) return plan;
  const references = await createMissingReferences(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phone, phoneCountry: countryOfPhone(phone) };
  const result = await upsertByIdentity(companyId, find, found, {
    phone,
    create: (id, at, fields, subscribedIfNew) =>
      validateContact(undefined, newContact(companyId, id, { ...given, subscribedIfNew }, at, fields), fields),
    update: (contact, at) => validateContact(contact, merged(contact, given, at), plan.fields),
    isLimited: true,
  });
  return isProblem(result) ? result : { ...(await getContactRecord(companyId, result.contact)), created: result.created };
};

/** Replaces a contact (A9). The phone of another contact is refused. */
export const replaceContact = async (
  companyId: number,
  id: number,
  body: ContactBody,
): Promise<ContactRecord | Problem<'validation_failed' | 'not_found'>> => {
  const [seen, plan] = await Promise.all([getContactById(companyId, id), resolveReferences(companyId, body, { replaces: true })]);
  if (!isLive(seen)) return problem('not_found');
  if (isProblem(plan)) return plan;
  const phone = await readCompanyPhone(companyId, body.phone);
  if (!phone.ok) return invalid('phone', phone.reason);
  const references = await createMissingReferences(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phone: phone.digits, phoneCountry: countryOfPhone(phone.digits) };
  const written = await updateLiveContact(companyId, id, seen, (contact, at) =>
    validateContact(contact, replaced(contact, given, at), plan.fields),
  );
  if (written === 'missing') return problem('not_found');
  if (written === 'taken') return invalid('phone', 'Another contact has this phone.');
  return isProblem(written) ? written : getContactRecord(companyId, written);
};

/** PATCH /contacts/{id}: given fields change; groups and tags are added, then removed. */
export const updateContact = async (
  companyId: number,
  id: number,
  { removedGroups, removedTagIds, ...body }: ContactChanges,
): Promise<ContactRecord | Problem<'validation_failed' | 'not_found'>> => {
  const [seen, plan, removedByName] = await Promise.all([
    getContactById(companyId, id),
    resolveReferences(companyId, body),
    findGroupIds(companyId, removedGroups?.names ?? []),
  ]);
  if (!isLive(seen)) return problem('not_found');
  const references = isProblem(plan) ? plan : await createMissingReferences(companyId, plan);
  if (isProblem(plan) || isProblem(references))
    return withPatchNames(isProblem(plan) ? plan : (references as Problem<'validation_failed'>));
  const removed = { groupIds: [...(removedGroups?.ids ?? []), ...removedByName.values()], tagIds: removedTagIds };
  const written = await updateLiveContact(companyId, id, seen, (contact, at) => {
    const given = { ...body, ...references, phone: contact.phone, phoneCountry: countryOfPhone(contact.phone) };
    return validateContact(contact, withoutLabels(merged(contact, given, at), removed), plan.fields);
  });
  if (written === 'missing' || written === 'taken') return problem('not_found');
  return isProblem(written) ? written : getContactRecord(companyId, written);
};

/** Errors of groups and tags under the names that PATCH has for them. */
const withPatchNames = ({ errors }: Problem<'validation_failed'>): Problem<'validation_failed'> =>
  problem('validation_failed', {
    errors: Object.fromEntries(
      Object.entries(errors ?? {}).map(([field, reasons]) => [['groups', 'tags'].includes(field) ? `add_${field}` : field, reasons]),
    ),
  });

/** Soft-deletes a contact (A11): hidden from all reads, removed from its groups, purged after 30 days. */
export const deleteContact = async (companyId: number, id: number): Promise<Contact | Problem<'not_found'>> => {
  const deleted = await updateLiveContact<never>(companyId, id, await getContactById(companyId, id), softDeleted);
  return typeof deleted === 'string' ? problem('not_found') : deleted;
};
