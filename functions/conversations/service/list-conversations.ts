import * as z from 'zod';
import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { cutPage, listPage, type Page, type PageQuery, type PageRange } from '../../../shared/table/page.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { isTooDeep, maxPageDepth, pageTooDeep } from '../../../shared/table/walk.ts';
import { searchContacts } from '../../contacts/service/search-contacts.ts';
import { listTaggedContacts } from '../../contacts/service/tags.ts';
import { listContactMessages } from '../../messaging/service/messages.ts';
import { type InboxView, inboxViews } from '../contract/inbox.ts';
import { conversationEntityName, type StoredConversation } from '../contract/stored.ts';
import {
  countShown,
  filterOfSearch,
  filterOfView,
  inboxCells,
  type InboxCell,
  type InboxChoice,
  type InboxFilter,
  isCellOf,
  isChosen,
  isListed,
  isShownBy,
  matchesWords,
} from '../domain/conversation.ts';
import {
  type CellRange,
  conversationsBefore,
  conversationsInOrder,
  getConversations,
  type ListPosition,
  newestConversationsFirst,
} from '../store/conversation.ts';
import { type ConversationRow, toConversationRows } from './conversations.ts';

export interface ConversationQuery extends PageQuery {
  lastmessagetime?: number | undefined;
  search?: string | undefined;
  text?: string | undefined;
  view?: InboxView | undefined;
  status?: StoredConversation['status'] | undefined;
  unread?: boolean | undefined;
  assigned_to?: number | undefined;
  number_id?: number | undefined;
  waiting?: boolean | undefined;
  tag_id?: number | undefined;
}

/**
 * A page of conversations, newest message first (A47). `lastmessagetime` keeps the strictly newer ones. Views and filters are lists of their
 * own, and counted: docs/decisions/inbox-views.md. A search, and a choice that is no list of its own, reads and walks as much as one call may; where that is not all, page and total
 * end early and the cursor, which carries the total, continues.
 */
export const listConversations = (
  companyId: number,
  userId: number,
  query: ConversationQuery,
): Promise<Page<ConversationRow> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const { lastmessagetime: newerThanMs, search, text, status, unread, assigned_to: assignedTo, view } = query;
  const { number_id: numberId, waiting, tag_id: tagId } = query;
  const chosen = [numberId, waiting, tagId].every((each) => each === undefined) ? [] : [numberId ?? '', waiting ?? '', tagId ?? ''];
  const filters = [newerThanMs ?? '', status ?? '', unread ?? '', assignedTo ?? '', search ?? '', view ?? '', text ?? '', ...chosen];
  const given = { status, unread, assignedTo };
  const isSearch = Boolean(search) || Boolean(text);
  const isWalked = isSearch || chosen.length > 0;
  const viewed = filterOfView(view ?? 'open', userId || noUser);
  const filter = view ? bothFilters(isSearch ? filterOfSearch(viewed) : viewed, given) : given;
  return listPage(
    { scope: `conversations:${companyId}:${view === 'mine' ? userId : ''}:${filters.join(':')}`, query, position },
    async ({ after, skip, limit }) => {
      if (!filter) return { items: [], total: 0, next: undefined };
      const cells = inboxCells.filter((cell) => isCellOf(cell, filter));
      const wanted: WantedList = { filter, choice: { numberId, waiting }, newerThanMs, search, text, tagId, cells };
      // one more than the page shows
      const range = { after, skip: after?.skip ?? skip, limit: limit + 1 };
      const isDeep = !after && isTooDeep(query.page, limit);
      const listed = await (isWalked ? listMatching(companyId, wanted, range, isDeep) : listOwn(companyId, wanted, range, isDeep));
      if (listed === 'too_deep') return invalid('page', pageTooDeep());
      const { summaries, total, cut, isCounted } = listed;
      const { items, next = cut } = cutPage<StoredConversation, CursorPosition>(summaries, { limit }, positionOf);
      return {
        items: await toConversationRows(companyId, items),
        total,
        next: next && (isWalked || newerThanMs !== undefined ? { ...next, total } : next),
        depth: maxPageDepth,
        isPartial: cut !== undefined || !isCounted,
      };
    },
  );
};

/** How many conversations each view shows. 0.5 RRU, 1 consistently. */
export const getInboxCounts = async (
  companyId: number,
  userId: number,
  options: { consistent?: boolean } = {},
): Promise<Record<InboxView, number>> => {
  const { cells = {} } = await getCounter(companyId, conversationEntityName, options);
  const count = (view: InboxView): number => countShown(cells, filterOfView(view, userId || noUser));
  const shown = inboxViews.map((view) => [view, count(view)] as const);
  return Object.fromEntries(shown) as Record<InboxView, number>;
};

export interface WaitingCount {
  count: number;
  /** Otherwise at least so many. */
  isCounted: boolean;
  /** When the newest of them was written to last, epoch milliseconds; undefined: none waits. */
  newestAt: number | undefined;
}

/** How many conversations the list with `view=open&waiting=true` shows. 0.5 RRU per ten open conversations, and at most 25. */
export const countWaiting = async (companyId: number): Promise<WaitingCount> => {
  const filter = filterOfView('open', noUser);
  const cells = inboxCells.filter((cell) => isCellOf(cell, filter));
  const wanted = { filter, choice: { waiting: true }, cells, newerThanMs: undefined, search: undefined, text: undefined, tagId: undefined };
  const listed = await listMatching(companyId, wanted, { after: undefined, skip: 0, limit: 1 }, false);
  if (listed === 'too_deep') throw new Error('A count has no page.');
  return { count: listed.total, isCounted: listed.isCounted, newestAt: listed.summaries[0]?.lastMessageAt };
};

/** No user has this id. */
const noUser = -1;

/** What both filters show; undefined: nothing can be in both. */
function bothFilters(view: InboxFilter, given: Pick<InboxFilter, 'status' | 'unread' | 'assignedTo'>): InboxFilter | undefined {
  for (const field of ['status', 'unread', 'assignedTo'] as const)
    if (view[field] !== undefined && given[field] !== undefined && view[field] !== given[field]) return undefined;
  return {
    ...view,
    status: view.status ?? given.status,
    unread: view.unread ?? given.unread,
    assignedTo: view.assignedTo ?? given.assignedTo,
  };
}

interface WantedList {
  filter: InboxFilter;
  choice: InboxChoice;
  cells: readonly InboxCell[];
  newerThanMs: number | undefined;
  search: string | undefined;
  text: string | undefined;
  tagId: number | undefined;
}

interface MatchingConversations {
  summaries: StoredConversation[];
  total: number;
  /** Whether the total is all; otherwise there are at least so many. */
  isCounted: boolean;
  /** Where the walk ended before the page or the total was complete. */
  cut?: CursorPosition | undefined;
}

async function listOwn(
  companyId: number,
  wanted: WantedList,
  { after, skip, limit: count }: PageRange<CursorPosition>,
  isDeep: boolean,
): Promise<MatchingConversations | 'too_deep'> {
  const { filter, cells, newerThanMs } = wanted;
  const range = { cells, newerThanMs, assignedTo: filter.assignedTo || undefined };
  if (newerThanMs !== undefined) return isDeep ? 'too_deep' : listNewer(companyId, filter, range, { after, skip, limit: count });
  const counting = countOf(companyId, filter);
  // a page far past the end is known to be empty by the total, which may lag behind the list by a moment
  const isPast = skip > 0 && skip > (await counting) + count;
  if (isDeep && !isPast) return 'too_deep';
  const [found, total] = await Promise.all([
    isPast
      ? []
      : skip > 0
        ? stretch(companyId, { ...range, skip, count })
        : conversationsBefore(companyId, { ...range, count, before: after }).then(({ conversations }) => conversations),
    counting,
  ]);
  const summaries = found.filter((summary) => isShownBy(summary, filter));
  const isFiltered = cells.length < inboxCells.length;
  return {
    summaries,
    total: isFiltered && !after && !isPast ? Math.max(total, summaries.length && skip + summaries.length) : total,
    isCounted: true,
  };
}

/** Of those with a newer message only what was read for the page is counted: where there are more, the total says at least how many. */
async function listNewer(
  companyId: number,
  filter: InboxFilter,
  range: CellRange,
  { after, skip, limit: count }: PageRange<CursorPosition>,
): Promise<MatchingConversations> {
  const { conversations, seen, isAll } = await conversationsBefore(companyId, { ...range, count: skip + count, before: after });
  const summaries = conversations.slice(skip).filter((summary) => isShownBy(summary, filter));
  return { summaries, total: Math.max(after?.total ?? 0, seen), isCounted: isAll };
}

/** A page by its number. */
async function stretch(
  companyId: number,
  { skip, count, ...range }: CellRange & { skip: number; count: number },
): Promise<StoredConversation[]> {
  const found: StoredConversation[] = [];
  let passed = 0;
  for await (const summary of conversationsInOrder(companyId, { ...range, perShard: perShardOf(skip + count) })) {
    if (passed++ >= skip) found.push(summary);
    if (found.length >= count) break;
  }
  return found;
}

/**
 * A search by name or phone finds contacts first, in their digests, and a tag has its own; then their conversations are read, or, where they are many, the list is
 * walked through: 0.5 RRU per ten conversations. Words are looked for in the newest messages of each conversation of that list.
 */
async function listMatching(
  companyId: number,
  { filter, choice, cells, newerThanMs, search, text, tagId }: WantedList,
  { after, skip, limit: count }: PageRange<CursorPosition>,
  isDeep: boolean,
): Promise<MatchingConversations | 'too_deep'> {
  const found = await contactsOf(companyId, search, tagId);
  const wanted = found && new Set(found);
  const summaries: StoredConversation[] = [];
  const unitsBefore = readUnits();
  let matched = 0;
  let cut: CursorPosition | undefined;
  const list =
    found && found.length <= maxReadByContact
      ? readByContact(companyId, found, newerThanMs, after)
      : conversationsInOrder(companyId, {
          cells,
          assignedTo: filter.assignedTo || undefined,
          before: after,
          newerThanMs,
          perShard: perShardOf(walkedAtOnce),
        });
  for await (const some of chunked(list, text ? readAtOnce : 1)) {
    const candidates = some.filter(
      (summary) => (!wanted || wanted.has(summary.contactId)) && isShownBy(summary, filter) && isChosen(summary, choice),
    );
    const hits = text ? await withWords(companyId, candidates, text) : candidates;
    for (const hit of hits) if (++matched > skip && summaries.length < count) summaries.push(hit);
    const last = some.at(-1);
    if (last && readUnits() - unitsBefore >= maxSearchUnits) {
      cut = { ...positionOf(last), ...(matched < skip ? { skip: skip - matched } : {}) };
      break;
    }
  }
  if (isDeep && (cut || matched > skip)) return 'too_deep';
  const total = Math.max(after?.total ?? 0, matched);
  return { summaries, total, isCounted: cut === undefined, cut: summaries.length < count ? cut : undefined };
}

/** The contacts that a search by name or phone finds and that have a tag; undefined without either. */
async function contactsOf(companyId: number, search: string | undefined, tagId: number | undefined): Promise<number[] | undefined> {
  const [found, tagged] = await Promise.all([
    search ? searchContacts(companyId, search) : undefined,
    tagId === undefined ? undefined : listTaggedContacts(companyId, tagId),
  ]);
  if (!found || !tagged) return found ?? tagged;
  const isTagged = new Set(tagged);
  return found.filter((id) => isTagged.has(id));
}

/** What one call reads for a search beside the contacts that it finds and the page that it shows: with those, at most 60 units. */
const maxSearchUnits = 25;
/** Conversations of all partitions that are read ahead: 19 partitions of 25. */
const walkedAtOnce = 80;
/** Conversations in whose messages words are looked for at the same time. */
const readAtOnce = 10;
/** Of a conversation the newest messages are searched, about 4 KB of them: half a unit. */
const searchedMessages = 10;

/** Conversations that have all the words in one of their newest messages. */
async function withWords(companyId: number, summaries: readonly StoredConversation[], text: string): Promise<StoredConversation[]> {
  const newest = await Promise.all(
    summaries.map(({ contactId, mergedIds = [] }) =>
      listContactMessages(companyId, [contactId, ...mergedIds], { limit: searchedMessages, beforeId: undefined, newerThanMs: undefined }),
    ),
  );
  return summaries.filter((_, nth) => newest[nth]?.some(({ value }) => matchesWords(value, text)));
}

async function* chunked<T>(list: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const each of list) {
    chunk.push(each);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Read from each partition at a time. */
const perShardOf = (count: number): number => Math.min(250, Math.ceil(count / 4) + 5);

/** So many conversations are read one by one; of more, all are walked through: that reads ten for the price of one. */
const maxReadByContact = 45;

async function* readByContact(
  companyId: number,
  contactIds: readonly number[],
  newerThanMs: number | undefined,
  before: ListPosition | undefined,
): AsyncGenerator<StoredConversation> {
  const summaries = (await getConversations(companyId, contactIds)).filter(isListed);
  yield* summaries
    .filter(({ lastMessageAt }) => newerThanMs === undefined || lastMessageAt > newerThanMs)
    .filter((summary) => before === undefined || isBefore(positionOf(summary), before))
    .toSorted(newestConversationsFirst);
}

/** `total`: of filtered lists. `skip`: matches that a page by number had still to pass where its walk ended. */
const position = z.object({
  at: z.int(),
  contactId: z.int(),
  total: z.int().nonnegative().optional(),
  skip: z.int().positive().optional(),
});
type CursorPosition = z.output<typeof position>;

async function countOf(companyId: number, filter: InboxFilter): Promise<number> {
  const { total, cells = {} } = await getCounter(companyId, conversationEntityName);
  return Object.values(filter).every((each) => each === undefined) ? total : countShown(cells, filter);
}

const positionOf = ({ lastMessageAt, contactId }: StoredConversation): ListPosition => ({ at: lastMessageAt, contactId });

const isBefore = (a: ListPosition, b: ListPosition): boolean => a.at < b.at || (a.at === b.at && a.contactId < b.contactId);
