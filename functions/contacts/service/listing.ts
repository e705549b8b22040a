import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { readHead } from '../../../shared/table/head.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conversationEntity } from '../../conversations/service.ts';
import type { ContactRecord } from '../contract/contact.ts';
import type { ContactsQuery } from '../contract/list.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact } from '../domain/contact.ts';
import { asksFor, type Filter, fulfils } from '../domain/filter.ts';
import { joined } from '../domain/members.ts';
import { contactRecord, type Names } from '../domain/record.ts';
import { matcher } from '../domain/search.ts';
import { searchContacts } from '../store/digest.ts';
import { listGroups } from '../store/group.ts';
import { allIds, contactsBelow, contactsByIds, positionAfter } from '../store/list.ts';
import { readMembers } from '../store/members.ts';
import { listTags } from '../store/tag.ts';
import { contactsUpdatedFrom, countUpdatedFrom } from '../store/updated.ts';
import { records } from './records.ts';

/**
 * GET /contacts (A12, A13), by the cheapest way that serves:
 * - no filter: a walk down the blocks of ids; page numbers by counts.
 * - `update_from` alone: the index by last change; the total is counted from its shorter end, once, and kept in the cursor.
 * - `group_id`, `tag_id`, `search`: sets of ids, from the members (25 RRU a million) and the digests (5 RRU per 1,000), joined; then
 *   only the page's contacts are read.
 * - `filter_condition` with rules, or `update_from` beside other filters: the candidates of the sets (all ids where there is none) are
 *   read in full, 50 RRU per 1,000; more candidates than `maxScanned` are refused, by naming what to narrow.
 */
export const listContacts = async (
  companyId: number,
  query: ContactsQuery,
): Promise<Page<ContactRecord> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const { cursor, page: _page, limit: _limit, ...filters } = query;
  const scope = `contacts:${companyId}:${JSON.stringify(filters)}`;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const listing = { companyId, query, after };
  const found = await (isFiltered(query) ? byFilters(listing) : query.updateFrom === undefined ? newestFirst(listing) : byChange(listing));
  if (isProblem(found)) return found;
  const last = found.isEnd ? undefined : found.contacts.at(-1);
  const position = last && { id: last.id, ...(query.updateFrom === undefined ? {} : { at: last.updatedAt, total: found.total }) };
  return {
    items: found.names
      ? found.contacts.map((contact) => contactRecord(contact, found.names ?? noNames))
      : await records(companyId, found.contacts),
    total: found.total,
    page: query.page,
    limit: query.limit,
    nextCursor: position && encodeCursor(scope, position),
  };
};

/** How many contacts are read in full to judge a filter that no index serves; `narrower` says it too, as a text: formatting it would load ICU. */
export const maxScanned = 250_000;

const cursorPosition = z.object({ id: z.int().positive(), at: z.int().optional(), total: z.int().optional() });

interface Listing {
  companyId: number;
  query: ContactsQuery;
  /** The last contact of the page before. */
  after: z.output<typeof cursorPosition> | undefined;
}

interface Found {
  contacts: Contact[];
  total: number;
  isEnd: boolean;
  /** When they were read beside the contacts already. */
  names?: Names;
}

const isFiltered = ({ search, groupId, tagId, rules }: ContactsQuery): boolean =>
  search !== undefined || groupId !== undefined || tagId !== undefined || rules !== undefined;

async function newestFirst({ companyId, query: { page, limit }, after }: Listing): Promise<Found> {
  const { lastId, total } = await readHead(companyId, contactEntityName);
  const below = after ? after.id : await positionAfter(companyId, lastId, (page - 1) * limit);
  const found = below === undefined ? [] : await contactsBelow(companyId, below, limit);
  // one more would tell whether there is a next page, at the price of another block: that older ids are all deleted is rare
  return { contacts: found, total, isEnd: found.length < limit || found.at(-1)?.id === 1 };
}

async function byChange({ companyId, query, after }: Listing): Promise<Found> {
  const { page, limit, updateFrom = 0, includeDeleted } = query;
  const skip = after ? 0 : (page - 1) * limit;
  const from = after?.at === undefined ? { at: updateFrom, id: 0 } : { at: after.at, id: after.id + 1 };
  const { total: live } = await readHead(companyId, contactEntityName);
  const [found, total] = await Promise.all([
    contactsUpdatedFrom(companyId, from, skip + limit + 1, includeDeleted),
    after?.total ?? countUpdatedFrom(companyId, updateFrom, includeDeleted, live),
  ]);
  return { contacts: found.slice(skip, skip + limit), total, isEnd: found.length <= skip + limit };
}

async function byFilters({ companyId, query, after }: Listing): Promise<Found | Problem<'validation_failed'>> {
  const { page, limit, updateFrom, rules } = query;
  const { lastId } = await readHead(companyId, contactEntityName);
  const [candidates, names] = await Promise.all([candidatesOf(companyId, lastId, query), allNames(companyId)]);
  const skip = after ? 0 : (page - 1) * limit;
  if (rules === undefined && updateFrom === undefined) {
    const rest = after ? candidates.filter((id) => id < after.id) : candidates;
    const contacts = await contactsByIds(companyId, rest.slice(skip, skip + limit));
    return { contacts, total: candidates.length, isEnd: rest.length <= skip + limit, names };
  }
  if (candidates.length > maxScanned) return invalid(rules === undefined ? 'update_from' : 'filter_condition', narrower);
  const [read, lastInboundAt] = await Promise.all([
    contactsByIds(companyId, candidates),
    asksFor(rules, 'last_inbound_at') ? inboundTimes(companyId, candidates) : new Map<number, number>(),
  ]);
  const context = { names, lastInboundAt, at: now() };
  const matching = read.filter(
    (contact) => contact.updatedAt >= (updateFrom ?? 0) && (rules === undefined || fulfils(contact, rules, context)),
  );
  if (updateFrom !== undefined) matching.sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id);
  const rest = matching.filter((contact) => after === undefined || isBehind(contact, after));
  return { contacts: rest.slice(skip, skip + limit), total: matching.length, isEnd: rest.length <= skip + limit, names };
}

/** Ids, greatest first, that group, tag and search leave. */
async function candidatesOf(
  companyId: number,
  lastId: number,
  { groupId, tagId, search, combine, rules }: ContactsQuery,
): Promise<number[]> {
  const sets = await Promise.all([
    ...(groupId === undefined ? [] : [readMembers(companyId, 'group', groupId)]),
    ...(tagId === undefined ? [] : [readMembers(companyId, 'tag', tagId)]),
    ...(search === undefined ? [] : [searchContacts(companyId, lastId, matcher(search))]),
    ...indexedRules(rules).map(({ field, value }) => readMembers(companyId, field === 'group_id' ? 'group' : 'tag', Number(value))),
  ]);
  if (sets.length === 0) return allIds(lastId);
  const given = sets.length - indexedRules(rules).length;
  const outer = given > 0 ? [joined(sets.slice(0, given), combine)] : [];
  return joined([...outer, ...sets.slice(given)], 'and');
}

/** Rules that all must hold and name one group or tag: their members are the candidates. */
const indexedRules = (filter: Filter | undefined) =>
  filter?.match === 'all'
    ? filter.rules.flatMap((rule) =>
        'op' in rule && rule.op === 'eq' && (rule.field === 'group_id' || rule.field === 'tag_id') ? [rule] : [],
      )
    : [];

const isBehind = (contact: Contact, after: { id: number; at?: number | undefined }): boolean =>
  after.at === undefined
    ? contact.id < after.id
    : contact.updatedAt > after.at || (contact.updatedAt === after.at && contact.id > after.id);

/** When each person last wrote: on the heads of their conversations, which have their ids. */
async function inboundTimes(companyId: number, ids: readonly number[]): Promise<Map<number, number>> {
  const heads = await conversationEntity.getMany(ids.map((contactId) => ({ companyId, contactId })));
  return new Map(
    heads.flatMap(({ contactId, lastInboundAt }) => (lastInboundAt === undefined ? [] : [[contactId, lastInboundAt] as const])),
  );
}

/** Read beside the search, so that the page needs no further round. */
async function allNames(companyId: number): Promise<Names> {
  const [groups, tags] = await Promise.all([listGroups(companyId), listTags(companyId)]);
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
}

const noNames: Names = { groups: new Map(), tags: new Map() };
const narrower = 'Would look through more than 250,000 contacts: add group_id, tag_id or search with filter_condition=and.';
