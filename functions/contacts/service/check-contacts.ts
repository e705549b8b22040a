import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName, type Contact } from '../contract/stored.ts';
import { readPhone } from '../contract/phone.ts';
import { contactIdByPhone } from './contacts.ts';
import { listContactsBelow } from '../store/contact-list.ts';
import { joinContacts } from './merge-contacts.ts';
import { updateIdentities } from './merge-identities.ts';
import { getDefaultCountry } from './phones.ts';

/** A contact whose stored phone no way in would take today (A2). */
export interface PhoneFinding {
  contact_id: number;
  name: string | null;
  phone: string;
  reason: string;
  /** What the company's default country makes of it; null: only the contact can say. */
  read_as: string | null;
  /** The contact that has this phone. */
  twin_id: number | null;
}

/**
 * Contacts whose phone is none, newest first: national numbers and others that were stored before they were refused. 0.5 RRU per 4 KB of
 * contacts, as the list.
 */
export async function* checkContacts(companyId: number): AsyncGenerator<PhoneFinding> {
  const [{ lastId }, country] = await Promise.all([getCounter(companyId, contactEntityName), getDefaultCountry(companyId)]);
  for (let below = lastId + 1; below > 1; ) {
    const contacts = await listContactsBelow(companyId, below, contactsPerRead);
    for (const contact of contacts) {
      const found = await findingOf(contact, country);
      if (found) yield found;
    }
    below = contacts.at(-1)?.id ?? 1;
  }
}

/**
 * Gives a contact the phone that its number is read as. Where another contact has that phone, this one becomes part of it. Repeating it changes
 * nothing.
 */
export const mergeTwin = async (
  companyId: number,
  { contact_id, read_as, twin_id }: PhoneFinding,
): Promise<'changed' | 'merged' | 'left'> => {
  if (read_as === null) return 'left';
  if (twin_id === null) return (await updateIdentities(companyId, contact_id, { phone: read_as })) ? 'changed' : 'left';
  return typeof (await joinContacts(companyId, twin_id, contact_id)) === 'string' ? 'left' : 'merged';
};

async function findingOf(contact: Contact, country: string | undefined): Promise<PhoneFinding | undefined> {
  if (contact.phone === '') return undefined;
  const stored = readPhone(`+${contact.phone}`);
  if (stored.ok) return undefined;
  const read = country === undefined ? stored : readPhone(contact.phone, country);
  const twinId = read.ok ? await contactIdByPhone(contact.companyId, read.digits) : undefined;
  return {
    contact_id: contact.id,
    name: contact.name ?? null,
    phone: contact.phone,
    reason: stored.reason,
    read_as: read.ok ? read.digits : null,
    twin_id: twinId === undefined || twinId === contact.id ? null : twinId,
  };
}

const contactsPerRead = 500;
