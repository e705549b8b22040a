import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { contactPageOf, contactPageSize, getContactsByIds, listContactPage } from '../store/contact.ts';
import { listMembers } from '../store/members.ts';

/**
 * The live contacts of a group with ids below a position, newest first, in pages; `next` is the position of the page after. Membership is a
 * projection of the change stream, so a contact added within the last second may be missing; each contact is checked against its own groups.
 * 0.5 RRU a contact, less for neighbouring ids.
 */
export async function* listGroupMembers(
  companyId: number,
  groupId: number,
  { below = Infinity, pagesAtOnce = 48 }: { below?: number | undefined; pagesAtOnce?: number | undefined } = {},
): AsyncGenerator<{ contacts: Contact[]; next: number | undefined }> {
  const members = (await listMembers(companyId, 'group', groupId)).filter((id) => id < below);
  const contactPages = [...Map.groupBy(members, contactPageOf)];
  for (let at = 0; at < contactPages.length; at += pagesAtOnce) {
    const pages = await Promise.all(
      contactPages.slice(at, at + pagesAtOnce).map(([block, ids]) => listMembersOfPage(companyId, block, ids)),
    );
    const contacts = pages.flat().filter((contact) => isLive(contact) && contact.groupIds.includes(groupId));
    const after = contactPages[at + pagesAtOnce];
    yield { contacts, next: after && Math.max(...after[1]) + 1 };
  }
}

/** Up to this many are read by key at 0.5 RRU each; more by a query of the contact page: about 32 contacts in at most 2 RRU. */
const fewIds = 3;

async function listMembersOfPage(companyId: number, contactPage: number, ids: readonly number[]): Promise<Contact[]> {
  if (ids.length <= fewIds) return getContactsByIds(companyId, ids);
  const wanted = new Set(ids);
  const contacts: Contact[] = [];
  for (
    let below: number | undefined = (contactPage + 1) * contactPageSize;
    below !== undefined && contactPageOf(below - 1) === contactPage;
  ) {
    const page: Awaited<ReturnType<typeof listContactPage>> = await listContactPage(companyId, contactPage, below, contactPageSize);
    contacts.push(...page.contacts.filter(({ id }) => wanted.has(id)));
    below = page.next;
  }
  return contacts;
}
