import type { ContactRecord } from '../contract/contact.ts';
import type { Contact } from '../domain/contact.ts';
import { contactRecord, type Names } from '../domain/record.ts';
import { findLabels } from '../store/label.ts';

/** A contact as the wire shows it, with the names of its groups and tags. */
export async function record(companyId: number, contact: Contact): Promise<ContactRecord> {
  return contactRecord(contact, await namesOf(companyId, [contact]));
}

export async function records(companyId: number, contacts: readonly Contact[]): Promise<ContactRecord[]> {
  const names = await namesOf(companyId, contacts);
  return contacts.map((contact) => contactRecord(contact, names));
}

/** Names are read only where a contact has some. */
async function namesOf(companyId: number, contacts: readonly Contact[]): Promise<Names> {
  const { groups, tags } = await findLabels(
    companyId,
    contacts.flatMap((contact) => contact.groupIds),
    contacts.flatMap((contact) => contact.tagIds),
  );
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
}
