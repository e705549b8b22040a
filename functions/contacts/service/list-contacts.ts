import * as z from 'zod';
import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { cutPage, listPage, type Page, type PageRange, pageOfWhole } from '../../../shared/table/page.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import type { ContactRecord } from '../contract/contact.ts';
import type { ContactsQuery } from '../contract/list.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import type { Filter } from '../contract/filter.ts';
import { combineIds } from '../domain/members.ts';
import type { LabelNames } from '../domain/contact.ts';
import { purgeAfterDays } from '../domain/purge.ts';
import { toContactRecord } from '../domain/contact-record.ts';
import { allIds, listContactsBelow, listContactsByIds, getPositionAfter } from '../store/contact-list.ts';
import { listMembers } from '../store/members.ts';
import { countContactsUpdatedFrom, type IndexedContacts, listContactsUpdatedFrom, maxCounted } from '../store/updated.ts';
import type { UpdatedPlace } from '../store/updated-key.ts';
import {
  type ScanChunk,
  contactsPerRead,
  filterContacts,
  listLabelNames,
  maxScanned,
  type ScanQuery,
  scanContacts,
} from './scan-contacts.ts';
import { getContactRecords } from './contact-records.ts';
import { findContacts } from './search-contacts.ts';
import { getSegmentFilter } from './segments.ts';

/**
 * Lists contacts (A12, A13) by the cheapest access path:
 * - no filter: a walk down the contact pages; counts locate page numbers.
 * - `update_from` alone: the index by last change. The total is counted once from its shorter end and stored in the cursor; when both ends
 *   are too long, it counts only the pages so far (`isPartial`).
 * - `group_id`, `tag_id`, `search`: combined sets of ids from members (25 RRU a million) and the search (at most 60 RRU); only the contacts of
 *   the page are read.
 * - `filter_condition` with rules, or `update_from` with other filters: reads and evaluates all candidates, 50 RRU per 1,000. Above
 *   `maxScanned` a call stops there (`isPartial`) and its cursor continues.
 */
export const listContacts = async (
  companyId: number,
  given: ContactsQuery,
  atMost = maxScanned,
  maxBytes = maxCustomBytesOfPage,
): Promise<ContactsPage | Problem<ListProblem>> => {
  const query = await withSegment(companyId, given);
  if (isProblem(query)) return query;
  const { cursor, page, limit, ...filters } = query;
  return listPage(
    { scope: `contacts:${companyId}:${JSON.stringify(filters)}`, query: { page, limit, cursor }, position },
    async (range) => {
      const listing = { companyId, query, range, atMost };
      const found = await (isFiltered(query)
        ? listByFilters(listing)
        : query.updateFrom === undefined
          ? listNewestFirst(listing)
          : listByChange(listing));
      if (isProblem(found)) return found;
      const { items, names, isPartial = false, ...rest } = found;
      const fitting = countFitting(items, maxBytes);
      if (fitting < items.length)
        return invalid('limit', `These contacts have more custom values than one answer can hold: take a limit of ${fitting} or less.`);
      const records = names ? items.map((contact) => toContactRecord(contact, names)) : await getContactRecords(companyId, items);
      return { ...rest, items: records, isPartial };
    },
  );
};

/** The query with the rules of its segment. 1 RRU. */
async function withSegment(companyId: number, query: ContactsQuery): Promise<ContactsQuery | Problem<'validation_failed'>> {
  if (query.segmentId === undefined) return query;
  if (query.rules !== undefined) return invalid('segment_id', 'Give either a segment or rules in filter_condition.');
  const rules = await getSegmentFilter(companyId, query.segmentId);
  return rules ? { ...query, rules } : invalid('segment_id', 'There is no such segment.');
}

/** Lambda answers at most 6 MB, in which the body is a text with its quotes escaped; what a contact has beside custom values is left a third. */
const maxCustomBytesOfPage = 4_000_000;

/** How many of the contacts one answer can hold. */
const countFitting = (contacts: readonly Contact[], maxBytes: number): number => {
  let bytes = 0;
  const beyond = contacts.findIndex(({ custom }) => {
    if (Object.keys(custom).length > 0) bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(custom)));
    return bytes > maxBytes;
  });
  return beyond === -1 ? contacts.length : Math.max(1, beyond);
};

export interface ContactsPage extends Page<ContactRecord> {
  /** The total covers only the contacts scanned so far, and the page may be short. */
  isPartial: boolean;
}

type ListProblem = 'invalid_cursor' | 'validation_failed';

/** The last contact of the previous page. */
const position = z.object({
  id: z.int().positive(),
  at: z.int().optional(),
  /** Lists by change: the total of the first page. */
  total: z.int().optional(),
  /** Partial scans: matches so far. */
  found: z.int().optional(),
});
type Position = z.output<typeof position>;

interface Listing {
  companyId: number;
  query: ContactsQuery;
  range: PageRange<Position>;
  /** How many contacts one call scans. */
  atMost: number;
}

interface ListResult {
  items: Contact[];
  total: number;
  /** Position of the next page; undefined at the end. */
  next: Position | undefined;
  isPartial?: boolean;
  /** Set where they were read in parallel with the search, so that the page needs no further request. */
  names?: LabelNames;
}

const isFiltered = ({ search, groupId, tagId, rules, onlyDeleted }: ContactsQuery): boolean =>
  search !== undefined || groupId !== undefined || tagId !== undefined || rules !== undefined || onlyDeleted === true;

async function listNewestFirst({ companyId, range: { after, skip, limit } }: Listing): Promise<ListResult> {
  const { lastId, total } = await getCounter(companyId, contactEntityName);
  const below = after ? after.id : await getPositionAfter(companyId, lastId, skip);
  const items = below === undefined ? [] : await listContactsBelow(companyId, below, limit);
  // reading one more contact to detect the end would cost another contact page; that all older ids are deleted is rare
  const last = items.length < limit ? undefined : items.at(-1);
  return { items, total, next: last && last.id > 1 ? { id: last.id } : undefined };
}

async function listByChange({ companyId, query, range, atMost }: Listing): Promise<ListResult | Problem<'validation_failed'>> {
  const { updateFrom = 0 } = query;
  const { after, skip, limit } = range;
  if (skip > atMost) return invalid('page', tooFar);
  const { total: live } = await getCounter(companyId, contactEntityName);
  const [found, counted] = await Promise.all([
    listContactsUpdatedFrom(companyId, changedFrom(query, after, now()), skip + limit + 1, indexed(query)),
    after?.found === undefined
      ? (after?.total ?? countContactsUpdatedFrom(companyId, updateFrom, indexed(query), live, Math.min(atMost, maxCounted)))
      : undefined,
  ]);
  if (counted !== undefined) return { ...cutPage(found, range, (last) => ({ ...byChange(last), total: counted })), total: counted };
  const total = (after?.found ?? 0) + Math.min(found.length, skip + limit);
  const page = cutPage(found, range, (last) => ({ ...byChange(last), found: total }));
  return { ...page, total, isPartial: page.next !== undefined };
}

async function listByFilters(listing: Listing): Promise<ListResult | Problem<'validation_failed'>> {
  const { companyId, query, range, atMost } = listing;
  const { after } = range;
  const { updateFrom, rules, includeDeleted, onlyDeleted } = query;
  const { lastId } = await getCounter(companyId, contactEntityName);
  const labels = listLabelNames(companyId);
  const [set, names] = await Promise.all([candidateIds(companyId, lastId, query, labels), labels]);
  const question = { companyId, rules, names, at: now(), atMost };
  // no list of a million ids is made for a page of them
  const isMany = (set?.length ?? lastId) > atMost;
  const isScan = rules !== undefined || updateFrom !== undefined;
  if (isScan && (isMany || onlyDeleted || after?.found !== undefined)) return listInSteps(listing, set, lastId, question);
  const candidates = set ?? allIds(lastId);
  if (rules === undefined && updateFrom === undefined) {
    const rest = after ? candidates.filter((id) => id < after.id) : candidates;
    const { items, next } = cutPage(rest, range, (id) => ({ id }));
    return { items: await listContactsByIds(companyId, items), total: candidates.length, next, names };
  }
  const read = await listContactsByIds(companyId, candidates, { deletedToo: includeDeleted && set === undefined });
  const { matching } = await filterContacts(
    question,
    read.filter((contact) => contact.updatedAt >= (updateFrom ?? 0)),
  );
  if (updateFrom !== undefined) matching.sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id);
  const positionOf = (last: Contact): Position =>
    updateFrom === undefined ? { id: last.id } : { ...byChange(last), total: matching.length };
  return { ...pageOfWhole(matching, range, order, positionOf), names };
}

/** Scans as much as one call may. Page numbers work only within the first call's scan. */
async function listInSteps(
  { companyId, query, range: { after, skip, limit } }: Listing,
  set: readonly number[] | undefined,
  lastId: number,
  question: ScanQuery,
): Promise<ListResult | Problem<'validation_failed'>> {
  const { updateFrom } = query;
  const size = Math.min(contactsPerRead, question.atMost);
  const chunks =
    updateFrom === undefined
      ? newestChunks(companyId, set, after?.id ?? lastId + 1, size)
      : changedChunks(companyId, changedFrom(query, after, question.at), indexed(query), set && new Set(set), size);
  const { contacts, stoppedAt } = await scanContacts(question, chunks, skip + limit);
  if (skip > 0 && contacts.length <= skip && stoppedAt) return invalid('page', tooFar);
  const total = (after?.found ?? 0) + contacts.length;
  return {
    items: contacts.slice(skip),
    total,
    next: stoppedAt && { id: stoppedAt.id, at: updateFrom === undefined ? undefined : stoppedAt.at, found: total },
    isPartial: stoppedAt !== undefined,
    names: question.names,
  };
}

/** The contacts below an id, those of the set or all: few first, because a page of a filter that many fulfil needs no more, and then twice as many each. */
async function* newestChunks(
  companyId: number,
  set: readonly number[] | undefined,
  below: number,
  size: number,
): AsyncGenerator<ScanChunk> {
  const ids = set?.filter((id) => id < below);
  const count = ids?.length ?? below - 1;
  const idsFrom = (from: number, end: number): readonly number[] =>
    ids?.slice(from, end) ?? Array.from({ length: end - from }, (_, nth) => below - 1 - from - nth);
  for (let [from, length] = [0, Math.min(firstChunk, size)]; from < count; length = Math.min(2 * length, size)) {
    const wanted = idsFrom(from, Math.min(from + length, count));
    from += wanted.length;
    yield {
      contacts: await listContactsByIds(companyId, wanted),
      read: wanted.length,
      last: { id: wanted.at(-1) ?? 0 },
      isEnd: from >= count,
    };
  }
}
const firstChunk = 125;

async function* changedChunks(
  companyId: number,
  begin: UpdatedPlace,
  which: IndexedContacts,
  set: ReadonlySet<number> | undefined,
  size: number,
): AsyncGenerator<ScanChunk> {
  for (let from = begin; ; ) {
    const read = await listContactsUpdatedFrom(companyId, from, size, which);
    const last = read.at(-1);
    if (last === undefined) return;
    // one that became part of another is kept for what leads to it, and never restored
    const restorable = which === 'deleted' ? read.filter(({ mergedInto }) => mergedInto === undefined) : read;
    const contacts = set ? restorable.filter(({ id }) => set.has(id)) : restorable;
    const isEnd = read.length < size;
    yield { contacts, read: read.length, last: { id: last.id, at: last.updatedAt }, isEnd };
    if (isEnd) return;
    from = { at: last.updatedAt, id: last.id + 1 };
  }
}

const indexed = ({ includeDeleted, onlyDeleted }: ContactsQuery): IndexedContacts => {
  if (onlyDeleted) return 'deleted';
  return includeDeleted ? 'all' : 'live';
};

/** Where a list by change begins. What was deleted before the time that it is kept for is not restored any more. */
const changedFrom = ({ updateFrom = 0, onlyDeleted }: ContactsQuery, after: Position | undefined, at: number): UpdatedPlace => {
  if (after?.at !== undefined) return { at: after.at, id: after.id + 1 };
  return { at: onlyDeleted ? Math.max(updateFrom, at - purgeAfterDays * dayMs) : updateFrom, id: 0 };
};

const byChange = ({ id, updatedAt }: Contact): Position => ({ id, at: updatedAt });

/**
 * Ids, greatest first, that match group, tag and search; undefined without these filters. A deleted group or tag has no members, even where
 * the projection of a late change has written a row of them again.
 */
async function candidateIds(
  companyId: number,
  lastId: number,
  { groupId, tagId, search, combine, rules }: ContactsQuery,
  labels: Promise<LabelNames>,
): Promise<number[] | undefined> {
  const membersOf = async (of: 'group' | 'tag', id: number): Promise<number[]> => {
    const [members, { groups, tags }] = await Promise.all([listMembers(companyId, of, id), labels]);
    return (of === 'group' ? groups : tags).has(id) ? members : [];
  };
  const sets = await Promise.all([
    ...(groupId === undefined ? [] : [membersOf('group', groupId)]),
    ...(tagId === undefined ? [] : [membersOf('tag', tagId)]),
    ...(search === undefined ? [] : [findContacts(companyId, lastId, search)]),
    ...indexedRules(rules).map(({ field, value }) => listMembers(companyId, field === 'group_id' ? 'group' : 'tag', Number(value))),
  ]);
  if (sets.length === 0) return undefined;
  const given = sets.length - indexedRules(rules).length;
  const outer = given > 0 ? [combineIds(sets.slice(0, given), combine)] : [];
  return combineIds([...outer, ...sets.slice(given)], 'and');
}

/** Mandatory rules that name one group or tag: their members are the candidates. */
const indexedRules = (filter: Filter | undefined) =>
  filter?.match === 'all'
    ? filter.rules.flatMap((rule) =>
        'op' in rule && rule.op === 'eq' && (rule.field === 'group_id' || rule.field === 'tag_id') ? [rule] : [],
      )
    : [];

const order = (contact: Contact, { id, at }: Position): number =>
  at === undefined ? id - contact.id : contact.updatedAt - at || contact.id - id;

const tooFar = 'This filter scans more contacts than one call can. Continue with meta.next_cursor.';
