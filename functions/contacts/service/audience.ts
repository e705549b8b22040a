import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { listContactsBelow, listContactsByIds } from '../store/contact-list.ts';
import { getGroup } from '../store/group.ts';
import { listMembers } from '../store/members.ts';

/** Audiences of campaigns: their contacts in resumable pages, and their current state. */
export type AudienceSource = { of: 'all' } | { of: 'group'; groupId: number } | { of: 'contact'; contactId: number };

export interface AudiencePage {
  /** Live ones, greatest id first. */
  contacts: Contact[];
  /** The id below which the next page begins; undefined at the end. */
  next: number | undefined;
}

/** The id below which a walk over all current contacts begins. 1 RRU. */
export const audienceTop = async (companyId: number): Promise<number> =>
  (await getCounter(companyId, contactEntityName, { consistent: true })).lastId + 1;

/**
 * The next contacts of an audience. Neighbouring ids cost about 1 RRU per 30, scattered members of a group 0.5 RRU each. Membership is a
 * projection of the change stream, so a contact added within the last second may be missing.
 */
export const audiencePage = async (companyId: number, source: AudienceSource, below: number, count: number): Promise<AudiencePage> => {
  switch (source.of) {
    case 'contact':
      return { contacts: await listContactsByIds(companyId, [source.contactId], { consistent: true }), next: undefined };
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

/**
 * The current contacts without deleted ones: about 1 RRU per 30 neighbouring ids, else 0.5 RRU each; twice as much where `consistent`, as who
 * has just opted out must not be written to.
 */
export const getLiveContacts = async (
  companyId: number,
  ids: readonly number[],
  options: { consistent?: boolean } = {},
): Promise<Map<number, Contact>> => new Map((await listContactsByIds(companyId, ids, options)).map((contact) => [contact.id, contact]));

/** 1 RRU. */
export const groupExists = async (companyId: number, groupId: number): Promise<boolean> =>
  (await getGroup(companyId, groupId)) !== undefined;
