import { invalid, isProblem, problem, type Problem } from '../../shared/contract/problems.ts';
import type { ContactBody, ContactRecord } from './contract/contact.ts';
import type { FieldRecord } from './contract/field.ts';
import { type Contact, isLive, merged, newContact, replaced, softDeleted } from './domain/contact.ts';
import { countryOfPhone } from './contract/phone.ts';
import { toFieldRecord } from './domain/contact-record.ts';
import { validateContact } from './service/validate-contact.ts';
import { getContactByPhone, upsertByIdentity, updateLiveContact } from './service/upsert-by-identity.ts';
import { getContactRecord } from './service/contact-records.ts';
import { createMissingReferences, resolveReferences } from './service/references.ts';
import { getContactById, getContactsByIds, getPhoneIdentity } from './store/contact.ts';
import { listFieldDefinitions } from './store/field.ts';

export { normalizePhone } from './contract/phone.ts';

/** What other contexts show of a contact. */
export interface ContactCard {
  id: number;
  name: string | null;
  phone: string;
}

/** A person as a caller names them: by phone (digits in stored form, any variant). Whom the provider names: service/person. */
export interface ContactRequest {
  phone: string;
  name?: string | undefined;
  source: 'api' | 'inbound';
}

/**
 * The contact of a person, made when there is none and restored when it was deleted. A name is learned only where there is none; `inbound`
 * proves that the person is on WhatsApp. Nothing new: nothing is written (1 RRU).
 * The plan's limit holds for `api`; a person who writes to the company is never turned away.
 */
export const ensureContact = async (
  companyId: number,
  { phone, name, source }: ContactRequest,
): Promise<{ contact: Contact; created: boolean } | Problem<'plan_limit_reached'>> => {
  const find = (consistent: boolean): Promise<Contact | undefined> => getContactByPhone(companyId, phone, consistent);
  const learn = (contact: Contact): Contact => ({
    ...contact,
    ...(contact.name === undefined && name?.trim() ? { name: name.trim().slice(0, 255).toWellFormed() } : {}),
    isOnWhatsapp: contact.isOnWhatsapp || source === 'inbound',
  });
  return upsertByIdentity<never>(companyId, find, await find(false), {
    create: (id, at, fields) => learn(newContact(companyId, id, { phone, phoneCountry: countryOfPhone(phone) }, at, fields)),
    update: learn,
    isLimited: source === 'api',
  });
};

/** Whose phone it is; undefined when nobody's or a deleted contact's (ensureContact restores it). 0.5 RRU. */
export const contactIdByPhone = async (companyId: number, phone: string): Promise<number | undefined> => {
  const identity = await getPhoneIdentity(companyId, phone, false);
  return identity?.expires === undefined ? identity?.contactId : undefined;
};

/** Cards of live contacts, in the order asked. 0.5 RRU each. */
export const contactCards = async (companyId: number, ids: readonly number[]): Promise<ContactCard[]> =>
  (await getContactsByIds(companyId, ids)).filter(isLive).map(({ id, name, phone }) => ({ id, name: name ?? null, phone }));

/** Whether there is such a contact, not deleted. 0.5 RRU. */
export const contactExists = async (companyId: number, id: number): Promise<boolean> => isLive(await getContactById(companyId, id, false));

export const getContact = async (companyId: number, id: number): Promise<ContactRecord | Problem<'not_found'>> => {
  const contact = await getContactById(companyId, id, false);
  return isLive(contact) ? getContactRecord(companyId, contact) : problem('not_found');
};

/** A contact's groups and custom values, with the definitions of all fields (A14). */
export const getGroupsAndFields = async (
  companyId: number,
  id: number,
): Promise<{ groups: ContactRecord['groups']; fields: ContactRecord['custom']; definitions: FieldRecord[] } | Problem<'not_found'>> => {
  const [contact, fields] = await Promise.all([getContact(companyId, id), listFieldDefinitions(companyId)]);
  if (isProblem(contact)) return contact;
  return { groups: contact.groups, fields: contact.custom, definitions: fields.map(toFieldRecord) };
};

/** POST: creates the contact of a phone, or adds to it, or restores it (A8). */
export const createContact = async (
  companyId: number,
  body: ContactBody,
): Promise<(ContactRecord & { created: boolean }) | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const find = (consistent: boolean): Promise<Contact | undefined> => getContactByPhone(companyId, body.phone, consistent);
  const [found, plan] = await Promise.all([find(false), resolveReferences(companyId, body)]);
  if (isProblem(plan)) return plan;
  const references = await createMissingReferences(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phoneCountry: countryOfPhone(body.phone) };
  const result = await upsertByIdentity(companyId, find, found, {
    create: (id, at, fields) => validateContact(undefined, newContact(companyId, id, given, at, fields), fields),
    update: (contact, at) => validateContact(contact, merged(contact, given, at), plan.fields),
    isLimited: true,
  });
  return isProblem(result) ? result : { ...(await getContactRecord(companyId, result.contact)), created: result.created };
};

/** PUT (A9). A phone that another contact has is refused. */
export const replaceContact = async (
  companyId: number,
  id: number,
  body: ContactBody,
): Promise<ContactRecord | Problem<'validation_failed' | 'not_found'>> => {
  const [seen, plan] = await Promise.all([getContactById(companyId, id, false), resolveReferences(companyId, body, { replaces: true })]);
  if (!isLive(seen)) return problem('not_found');
  if (isProblem(plan)) return plan;
  const references = await createMissingReferences(companyId, plan);
  if (isProblem(references)) return references;
  const given = { ...body, ...references, phoneCountry: countryOfPhone(body.phone) };
  const written = await updateLiveContact(companyId, id, seen, (contact, at) =>
    validateContact(contact, replaced(contact, given, at), plan.fields),
  );
  if (written === 'missing') return problem('not_found');
  if (written === 'taken') return invalid('phone', 'Another contact has this phone.');
  return isProblem(written) ? written : getContactRecord(companyId, written);
};

/** DELETE (A11): hidden everywhere, out of its groups, gone for good after 30 days. */
export const deleteContact = async (companyId: number, id: number): Promise<Contact | Problem<'not_found'>> => {
  const deleted = await updateLiveContact<never>(companyId, id, await getContactById(companyId, id, false), softDeleted);
  return typeof deleted === 'string' ? problem('not_found') : deleted;
};
