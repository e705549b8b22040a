import type { ContactRecord } from '../contract/contact.ts';
import type { Contact } from '../contract/stored.ts';
import type { LabelNames } from '../domain/contact.ts';
import { toContactRecord } from '../domain/contact-record.ts';
import { getLabels } from '../store/label.ts';

/** A contact as the API returns it, with the names of its groups and tags. */
export async function getContactRecord(companyId: number, contact: Contact): Promise<ContactRecord> {
  return toContactRecord(contact, await getLabelNames(companyId, [contact]));
}

export async function getContactRecords(companyId: number, contacts: readonly Contact[]): Promise<ContactRecord[]> {
  const names = await getLabelNames(companyId, contacts);
  return contacts.map((contact) => toContactRecord(contact, names));
}

/** Reads names only if a contact has groups or tags. */
async function getLabelNames(companyId: number, contacts: readonly Contact[]): Promise<LabelNames> {
  const { groups, tags } = await getLabels(
    companyId,
    contacts.flatMap((contact) => contact.groupIds),
    contacts.flatMap((contact) => contact.tagIds),
  );
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
}
