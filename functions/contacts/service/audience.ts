import { now } from '../../../shared/runtime/clock.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import type { Audience } from '../contract/audience.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { contactsInPart, type EligibleContact, smallestSnapshot } from '../domain/search-snapshot.ts';
import { listContactsBelow, listContactsByIds } from '../store/contact-list.ts';
import { getGroup } from '../store/group.ts';
import { getTag } from '../store/tag.ts';
import { listMembers } from '../store/members.ts';
import { getContactById } from '../store/contact.ts';
import { filterContacts, listLabelNames } from './scan-contacts.ts';
import { getSegmentFilter } from './segments.ts';
import { readSearchSnapshot } from './search-snapshots.ts';

/** Audiences of campaigns: their contacts in resumable pages, and their current state. */
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
export const audiencePage = async (companyId: number, audience: Audience, below: number, count: number): Promise<AudiencePage> => {
  switch (audience.of) {
    case 'contact':
      return { contacts: await listContactsByIds(companyId, [audience.id], { consistent: true }), next: undefined };
    case 'all': {
      const contacts = await listContactsBelow(companyId, below, count);
      const last = contacts.at(-1)?.id;
      return { contacts, next: contacts.length < count || last === undefined || last <= 1 ? undefined : last };
    }
    case 'segment': {
      const [rules, names, page] = await Promise.all([
        getSegmentFilter(companyId, audience.id),
        listLabelNames(companyId),
        audiencePage(companyId, { of: 'all' }, below, count),
      ]);
      const contacts = rules ? (await filterContacts({ companyId, rules, names, at: now() }, page.contacts)).matching : [];
      return { contacts, next: page.next };
    }
    case 'group':
    case 'tag': {
      const ids = (await listMembers(companyId, audience.of, audience.id)).filter((id) => id < below);
      const pageIds = ids.slice(0, count);
      const contacts = (await listContactsByIds(companyId, pageIds)).filter((contact) => hasLabel(contact, audience));
      return { contacts, next: ids.length > count ? pageIds.at(-1) : undefined };
    }
  }
};

type LabelAudience = Extract<Audience, { of: 'group' | 'tag' }>;
const hasLabel = ({ groupIds, tagIds }: Pick<Contact, 'groupIds' | 'tagIds'>, { of, id }: LabelAudience): boolean =>
  (of === 'group' ? groupIds : tagIds).includes(id);

/** A change read costs about what a contact walked past does, and the walk takes longer: it reads page after page. */
const maxChangesOfAll = 50_000;

/**
 * All contacts of a large audience at once, greatest id first, by the search snapshot and what changed since: 10 to 60 RRU, and those of the
 * group. Undefined: there is no snapshot, and the audience is to be walked through in pages.
 */
export const listAudience = async (companyId: number, audience: Audience): Promise<EligibleContact[] | undefined> => {
  if (audience.of === 'contact' || audience.of === 'segment') return undefined;
  const { lastId } = await getCounter(companyId, contactEntityName);
  if (lastId < smallestSnapshot) return undefined;
  const [snapshot, members] = await Promise.all([
    readSearchSnapshot(companyId, audience.of === 'all' ? maxChangesOfAll : undefined),
    audience.of === 'all' ? undefined : listMembers(companyId, audience.of, audience.id),
  ]);
  if (snapshot === undefined) return undefined;
  const changed = new Set(snapshot.changed.map(({ id }) => id));
  const labelled = members && new Set(members);
  const unchanged = snapshot.parts
    .flatMap((part, number) => (part === undefined ? [] : contactsInPart(number, part)))
    .filter(({ id }) => !changed.has(id) && (labelled === undefined || labelled.has(id)));
  const present = snapshot.changed.filter(isLive).filter((contact) => audience.of === 'all' || hasLabel(contact, audience));
  return [...unchanged, ...present].sort((a, b) => b.id - a.id);
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

/** Whether the group, tag, segment or contact of an audience is there. 1 RRU. */
export const audienceExists = async (companyId: number, audience: Audience): Promise<boolean> => {
  switch (audience.of) {
    case 'all':
      return true;
    case 'group':
      return (await getGroup(companyId, audience.id)) !== undefined;
    case 'tag':
      return (await getTag(companyId, audience.id)) !== undefined;
    case 'segment':
      return (await getSegmentFilter(companyId, audience.id)) !== undefined;
    case 'contact':
      return isLive(await getContactById(companyId, audience.id));
  }
};
