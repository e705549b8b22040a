import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { type Contact, isLive } from '../domain/contact.ts';
import { getContactById } from '../store/contact.ts';
import { listContactsBelow, listContactsByIds } from '../store/contact-list.ts';
import { getGroup } from '../store/group.ts';
import { listMembers } from '../store/members.ts';

/** What campaigns ask of contacts: who is meant, in pages of a walk that can be taken up again, and who they are now. */
export type { Contact } from '../domain/contact.ts';
export { isKnownNotOnWhatsapp } from '../domain/reachability.ts';
export { exclusionReason as reasonAgainst } from '../domain/preflight.ts';

export type AudienceSource = { of: 'all' } | { of: 'group'; groupId: number } | { of: 'contact'; contactId: number };

export interface AudiencePage {
  /** Live ones, greatest id first. */
  contacts: Contact[];
  /** Below which id the next page goes on; undefined at the end. */
  next: number | undefined;
}

/** Below which id a walk over everybody who is there now begins. 0.5 RRU. */
export const audienceTop = async (companyId: number): Promise<number> => (await getCounter(companyId, contactEntityName)).lastId + 1;

/**
 * The next contacts of an audience. Neighbouring ids cost about 1 RRU per 30, scattered members of a group 0.5 RRU each. Who is in a group
 * is folded from the change stream: a contact of this very second may be missing.
 */
export const audiencePage = async (companyId: number, source: AudienceSource, below: number, count: number): Promise<AudiencePage> => {
  switch (source.of) {
    case 'contact':
      return { contacts: await listContactsByIds(companyId, [source.contactId]), next: undefined };
    case 'all': {
      const contacts = await listContactsBelow(companyId, below, count);
      const last = contacts.at(-1)?.id;
      return { contacts, next: contacts.length < count || last === undefined || last <= 1 ? undefined : last };
    }
    case 'group': {
      const ids = (await listMembers(companyId, 'group', source.groupId)).filter((id) => id < below);
      const pageIds = ids.slice(0, count);
      const contacts = (await listContactsByIds(companyId, pageIds)).filter(({ groupIds }) => groupIds.includes(source.groupId));
      return { contacts, next: ids.length > count ? pageIds.at(-1) : undefined };
    }
  }
};

/** Contacts as they are now, deleted ones left out: about 1 RRU per 30 neighbours, 0.5 RRU each otherwise. */
export const getLiveContacts = async (companyId: number, ids: readonly number[]): Promise<Map<number, Contact>> =>
  new Map((await listContactsByIds(companyId, ids)).map((contact) => [contact.id, contact]));

/** 0.5 RRU. */
export const groupExists = async (companyId: number, groupId: number): Promise<boolean> =>
  (await getGroup(companyId, groupId)) !== undefined;
export { countryName } from '../contract/country.ts';

/** Whether there is such a contact, not deleted. 0.5 RRU. */
export const isLiveContact = async (companyId: number, id: number): Promise<boolean> => isLive(await getContactById(companyId, id, false));
