import type { ContactRecord } from '../contract/contact.ts';
import type { Contact } from '../domain/contact.ts';
import type { LabelNames } from '../domain/contact.ts';
import { toContactRecord } from '../domain/contact-record.ts';
import { getLabels } from '../store/label.ts';

/** A contact as the wire shows it, with the names of its groups and tags. */
export async function getContactRecord(companyId: number, contact: Contact): Promise<ContactRecord> {
  return toContactRecord(contact, await getLabelNames(companyId, [contact]));
}

export async function getContactRecords(companyId: number, contacts: readonly Contact[]): Promise<ContactRecord[]> {
  const names = await getLabelNames(companyId, contacts);
  return contacts.map((contact) => toContactRecord(contact, names));
}

/** Names are read only where a contact has some. */
async function getLabelNames(companyId: number, contacts: readonly Contact[]): Promise<LabelNames> {
  const { groups, tags } = await getLabels(
    companyId,
    contacts.flatMap((contact) => contact.groupIds),
    contacts.flatMap((contact) => contact.tagIds),
  );
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
}
