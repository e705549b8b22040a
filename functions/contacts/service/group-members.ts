import { type Contact, isLive } from '../domain/contact.ts';
import { contactPageOf, contactPageSize, getContactsByIds, listContactPage } from '../store/contact.ts';
import { listMembers } from '../store/members.ts';

/**
 * The live contacts of a group, newest first, in pages. Which they are is folded from the change stream, so a contact of this very second
 * may be missing; what comes is checked against the contact itself. 0.5 RRU a contact, less where contacts of a group lie close together.
 */
export async function* listGroupMembers(companyId: number, groupId: number): AsyncGenerator<Contact[]> {
  const contactPages = [...Map.groupBy(await listMembers(companyId, 'group', groupId), contactPageOf)];
  for (let at = 0; at < contactPages.length; at += pagesAtOnce) {
    const pages = await Promise.all(
      contactPages.slice(at, at + pagesAtOnce).map(([block, ids]) => listMembersOfPage(companyId, block, ids)),
    );
    yield pages.flat().filter((contact) => isLive(contact) && contact.groupIds.includes(groupId));
  }
}

const pagesAtOnce = 48;

/** By key at 0.5 RRU each, or the whole block: about 32 contacts in 2 RRU at most. */
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
