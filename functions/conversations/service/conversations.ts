import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { currentActor } from '../../../shared/runtime/actor.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { isTooDeep, maxPageDepth, pageTooDeep } from '../../../shared/table/walk.ts';
import { getUser } from '../../account/service/users.ts';
import { contactCards, contactExists } from '../../contacts/service.ts';
import { searchContacts } from '../../contacts/service/search-contacts.ts';
import { isCustomerMessage } from '../../messaging/contract/inbound.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import { getMessages, listMessages } from '../../messaging/service/messages.ts';
import type { InboxView } from '../contract/inbox.ts';
import { conversationEntityName, type StoredConversation } from '../contract/stored.ts';
import {
  countShown,
  filterOfView,
  inboundAtOf,
  inboxCells,
  type InboxCell,
  type InboxFilter,
  isCellOf,
  isListed,
  isShownBy,
  isUnread,
  matchesWords,
} from '../domain.ts';
import {
  type CellRange,
  changeConversation,
  conversationsBefore,
  conversationsInOrder,
  getConversations,
  getSummary,
  type ListPosition,
  newestConversationsFirst,
} from '../store.ts';

export { serviceWindowOf as windowOf } from '../domain.ts';

export interface ConversationRow {
  summary: StoredConversation;
  contact: { id: number; name: string | null; phone: string };
  lastMessage: StoredMessage;
}

export interface ConversationQuery {
  page: number;
  limit: number;
  cursor: string | undefined;
  lastmessagetime?: number | undefined;
  search?: string | undefined;
  text?: string | undefined;
  view?: InboxView | undefined;
  status?: StoredConversation['status'] | undefined;
  unread?: boolean | undefined;
  assigned_to?: number | undefined;
}

/**
 * A page of conversations, newest message first (A47). `lastmessagetime` keeps the strictly newer ones. Views and filters are lists of their
 * own, and counted: docs/decisions/inbox-views.md. A search reads and walks as much as one call may; where that is not all, page and total
 * end early and the cursor, which carries the total, continues.
 */
export const listConversations = async (
  companyId: number,
  userId: number,
  query: ConversationQuery,
): Promise<Page<ConversationRow> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const { lastmessagetime: newerThanMs, search, text, status, unread, assigned_to, view, page, limit } = query;
  const filters = [newerThanMs ?? '', status ?? '', unread ?? '', assigned_to ?? '', search ?? '', view ?? '', text ?? ''];
  const scope = `conversations:${companyId}:${view === 'mine' ? userId : ''}:${filters.join(':')}`;
  const after = query.cursor === undefined ? undefined : await decodeCursor(scope, query.cursor, position);
  if (query.cursor !== undefined && !after) return problem('invalid_cursor');
  const given: InboxFilter = { status, unread, assignedTo: assigned_to };
  const filter = view ? bothFilters(filterOfView(view, userId || noUser), given) : given;
  if (!filter) return { items: [], total: 0, page, limit, nextCursor: undefined };
  const wanted: WantedList = { filter, newerThanMs, search, text, cells: inboxCells.filter((cell) => isCellOf(cell, filter)) };
  const isWalked = Boolean(search) || Boolean(text);
  const range = { after, skip: after ? (after.skip ?? 0) : (page - 1) * limit, count: limit + 1 };
  const isDeep = !after && isTooDeep(page, limit);
  const listed = await (isWalked ? listMatching(companyId, wanted, range, isDeep) : listOwn(companyId, wanted, range, isDeep));
  if (listed === 'too_deep') return invalid('page', pageTooDeep());
  const { summaries, total, cut, isCounted } = listed;
  const shown = summaries.slice(0, limit);
  const last = summaries.length > limit ? shown.at(-1) : undefined;
  const next = last ? positionOf(last) : cut;
  return {
    items: await toConversationRows(companyId, shown),
    total,
    page,
    limit,
    nextCursor: next && (await encodeCursor(scope, { ...next, ...(isWalked || newerThanMs !== undefined ? { total } : {}) })),
    depth: maxPageDepth,
    isPartial: cut !== undefined || !isCounted,
  };
};

/** No user has this id. */
const noUser = -1;

/** What both filters show; undefined: nothing can be in both. */
function bothFilters(a: InboxFilter, b: InboxFilter): InboxFilter | undefined {
  for (const field of ['status', 'unread', 'assignedTo'] as const)
    if (a[field] !== undefined && b[field] !== undefined && a[field] !== b[field]) return undefined;
  return { status: a.status ?? b.status, unread: a.unread ?? b.unread, assignedTo: a.assignedTo ?? b.assignedTo };
}

interface WantedList {
  filter: InboxFilter;
  cells: readonly InboxCell[];
  newerThanMs: number | undefined;
  search: string | undefined;
  text: string | undefined;
}

/** The conversation as lists show it. */
export const getConversation = async (companyId: number, contactId: number): Promise<ConversationRow | Problem<'not_found'>> => {
  const summary = await getSummary(companyId, contactId);
  const [row] = summary && isListed(summary) ? await toConversationRows(companyId, [summary]) : [];
  return row ?? problem('not_found');
};

/** How many conversations each view shows. 0.5 RRU. */
export const getInboxCounts = async (companyId: number, userId: number): Promise<Record<InboxView, number>> => {
  const { cells = {} } = await getCounter(companyId, conversationEntityName);
  const count = (view: InboxView): number => countShown(cells, filterOfView(view, userId || noUser));
  return { open: count('open'), unread: count('unread'), mine: count('mine'), unassigned: count('unassigned'), closed: count('closed') };
};

/** Which stretch of the list is wanted: `count` after the first `skip` below `after`. */
interface ListRange {
  after: CursorPosition | undefined;
  skip: number;
  count: number;
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
  { after, skip, count }: ListRange,
  isDeep: boolean,
): Promise<MatchingConversations | 'too_deep'> {
  const { filter, cells, newerThanMs } = wanted;
  const range = { cells, newerThanMs, assignedTo: filter.assignedTo || undefined };
  if (newerThanMs !== undefined) return isDeep ? 'too_deep' : listNewer(companyId, filter, range, { after, skip, count });
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
  const isCounted = true;
  return {
    summaries,
    total: isFiltered && !after && !isPast ? Math.max(total, summaries.length && skip + summaries.length) : total,
    isCounted,
  };
}

/** Of those with a newer message only what was read for the page is counted: where there are more, the total says at least how many. */
async function listNewer(
  companyId: number,
  filter: InboxFilter,
  range: CellRange,
  { after, skip, count }: ListRange,
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
 * A search by name or phone finds contacts first, in their digests; then their conversations are read, or, where they are many, the list is
 * walked through: 0.5 RRU per ten conversations. Words are looked for in the newest messages of each conversation of that list.
 */
async function listMatching(
  companyId: number,
  { filter, cells, newerThanMs, search, text }: WantedList,
  { after, skip, count }: ListRange,
  isDeep: boolean,
): Promise<MatchingConversations | 'too_deep'> {
  const found = search ? await searchContacts(companyId, search) : undefined;
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
    const candidates = some.filter((summary) => (!wanted || wanted.has(summary.contactId)) && isShownBy(summary, filter));
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

/** What one call reads for a search beside the contacts that it finds and the page that it shows: with those, at most 60 units. */
const maxSearchUnits = 25;
/** Conversations of all partitions that are read ahead: 13 partitions of 25. */
const walkedAtOnce = 80;
/** Conversations in whose messages words are looked for at the same time. */
const readAtOnce = 10;
/** Of a conversation the newest messages are searched, about 4 KB of them: half a unit. */
const searchedMessages = 10;

/** Conversations that have all the words in one of their newest messages. */
async function withWords(companyId: number, summaries: readonly StoredConversation[], text: string): Promise<StoredConversation[]> {
  const newest = await Promise.all(
    summaries.map(({ contactId }) =>
      listMessages(companyId, contactId, { limit: searchedMessages, beforeId: undefined, newerThanMs: undefined }),
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

/**
 * Marks all messages so far as read; a reaction notifies the provider. A second call changes nothing. The time up to which it is read comes
 * from the clocks that stamped the messages: the clock of this worker may be behind or ahead of them.
 */
export const readConversation = async (companyId: number, contactId: number): Promise<ConversationRow | Problem<'not_found'>> => {
  const latest = await listMessages(companyId, contactId, { limit: 20, beforeId: undefined, newerThanMs: undefined, consistent: true });
  const newest = latest.filter(isCustomerMessage);
  return changeSummary(companyId, contactId, (summary, at) => {
    const readInboundId = Math.max(newest[0]?.id ?? 0, summary.lastInboundId ?? 0, summary.readInboundId ?? 0) || undefined;
    const isRead = newest.every(({ updatedAt }) => updatedAt <= (summary.readAt ?? 0));
    if (!isUnread(summary) && isRead && readInboundId === summary.readInboundId) return undefined;
    const readAt = Math.max(summary.readAt ?? 0, summary.updatedAt, ...newest.map(({ updatedAt }) => updatedAt));
    return { unread: 0, markedUnread: undefined, readAt, updatedAt: at, ...(readInboundId === undefined ? {} : { readInboundId }) };
  });
};

/** Opens or closes it, gives it to a user or takes it back, marks it unread. What is not given stays. */
export const updateConversation = async (
  { companyId, userId }: { companyId: number; userId: number },
  contactId: number,
  { status, assigned_to, unread }: StateChanges,
): Promise<ConversationRow | Problem<'not_found' | 'validation_failed'>> =>
  (await assigneeProblem(companyId, assigned_to)) ??
  changeConversationState({ companyId, userId }, contactId, { status, assigned_to, unread });

interface StateChanges {
  status?: StoredConversation['status'] | undefined;
  assigned_to?: number | null | undefined;
  unread?: true | undefined;
}

async function assigneeProblem(
  companyId: number,
  assignedTo: number | null | undefined,
): Promise<Problem<'validation_failed'> | undefined> {
  if (typeof assignedTo !== 'number') return undefined;
  const isActive = (await getUser(companyId, assignedTo))?.status === 'active';
  return isActive ? undefined : invalid('assigned_to', 'Must be an active user of the company.');
}

const changeConversationState = (
  { companyId, userId }: { companyId: number; userId: number },
  contactId: number,
  { status, assigned_to, unread }: StateChanges,
): Promise<ConversationRow | Problem<'not_found'>> =>
  changeSummary(companyId, contactId, (summary, at) => {
    const assignedTo = assigned_to === undefined ? summary.assignedTo : (assigned_to ?? undefined);
    const isReassigned = assignedTo !== summary.assignedTo;
    const isMarked = unread === true && !isUnread(summary);
    if ((status ?? summary.status) === summary.status && !isReassigned && !isMarked) return undefined;
    return {
      status: status ?? summary.status,
      updatedAt: at,
      ...(isReassigned ? { assignedTo, assignedBy: userId || undefined } : {}),
      ...(isMarked ? { markedUnread: true } : {}),
    };
  });

/** The same for several, ten at a time; the user they are given to is checked once, before any is changed. */
export const bulkUpdateConversations = async (
  caller: { companyId: number; userId: number },
  { ids, ...changes }: { ids: readonly number[] } & Pick<Parameters<typeof updateConversation>[2], 'status' | 'assigned_to'>,
): Promise<{ updated: number[]; not_found: number[] } | Problem<'validation_failed'>> => {
  const { companyId, userId } = caller;
  const refused = await assigneeProblem(companyId, changes.assigned_to);
  if (refused) return refused;
  const missing = new Set<number>();
  for (let start = 0; start < ids.length; start += 10)
    await Promise.all(
      ids.slice(start, start + 10).map(async (id) => {
        if (isProblem(await changeConversationState({ companyId, userId }, id, changes))) missing.add(id);
      }),
    );
  return { updated: ids.filter((id) => !missing.has(id)), not_found: [...missing].toSorted((a, b) => a - b) };
};

/** Changes the summary, also while the projection writes it; `change` gives undefined when the summary has the values already. */
async function changeSummary(
  companyId: number,
  contactId: number,
  change: (summary: StoredConversation, at: number) => { [K in keyof StoredConversation]?: StoredConversation[K] | undefined } | undefined,
): Promise<ConversationRow | Problem<'not_found'>> {
  let summary = await getSummary(companyId, contactId, { consistent: true });
  const attempt = async (): Promise<ConversationRow | Problem<'not_found'> | typeof conflict> => {
    if (!summary || !isListed(summary)) return problem('not_found');
    const wanted = change(summary, now());
    const written = wanted && (await changeConversation(summary, { ...(wanted as Partial<StoredConversation>), changedBy: changedBy() }));
    if (!written || written.done) {
      const [row] = await toConversationRows(companyId, [written ? written.item : summary]);
      return row ?? problem('not_found');
    }
    summary = written.current;
    return conflict;
  };
  return retryOnConflict(20, attempt);
}

function changedBy(): NonNullable<StoredConversation['changedBy']> {
  const { via, userId, credentialId } = currentActor();
  return { via, ...defined({ userId, credentialId }) };
}

export interface MessagePage {
  messages: StoredMessage[];
  /** Where the next page begins; undefined at the end. */
  nextBeforeId: number | undefined;
}

/** Messages of a conversation, newest first (A48); a contact without messages has an empty one, an unknown or deleted contact none. */
export const listConversationMessages = async (
  companyId: number,
  contactId: number,
  query: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined; search?: string | undefined },
): Promise<MessagePage | Problem<'not_found'>> => {
  const { limit, search } = query;
  const [exists, found] = await Promise.all([
    contactExists(companyId, contactId),
    search
      ? searchMessages(companyId, contactId, { ...query, search })
      : listMessages(companyId, contactId, { ...query, limit: limit + 1 }).then((messages) => ({ messages, lookedTo: undefined })),
  ]);
  if (!exists) return problem('not_found');
  const shown = found.messages.slice(0, limit);
  return { messages: shown, nextBeforeId: found.messages.length > limit ? shown.at(-1)?.id : found.lookedTo };
};

/** Messages that have the words, among the next 5,000; `lookedTo`: where to look on. 0.5 RRU per 4 KB looked through. */
async function searchMessages(
  companyId: number,
  contactId: number,
  {
    limit,
    beforeId,
    newerThanMs,
    search,
  }: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined; search: string },
): Promise<{ messages: StoredMessage[]; lookedTo: number | undefined }> {
  const messages: StoredMessage[] = [];
  let before = beforeId;
  for (let looked = 0; looked < 5_000; looked += 500) {
    const page = await listMessages(companyId, contactId, { limit: 500, beforeId: before, newerThanMs });
    messages.push(...page.filter(({ value }) => matchesWords(value, search)));
    if (messages.length > limit || page.length < 500) return { messages, lookedTo: undefined };
    before = page.at(-1)?.id;
  }
  return { messages, lookedTo: before };
}

/** The time of each contact's last inbound message, epoch milliseconds; contacts that never wrote are left out. 0.5 RRU a contact. */
export const getLastInboundTimes = async (companyId: number, contactIds: readonly number[]): Promise<Map<number, number>> =>
  new Map(
    (await getConversations(companyId, contactIds)).flatMap(({ contactId, lastInboundAt: at }) =>
      at === undefined ? [] : [[contactId, at] as const],
    ),
  );

/**
 * The time of the contact's last message to a number, or to any, epoch milliseconds: it opens the customer service window of contact and
 * number. 0.5 RRU.
 */
export const lastInboundAt = async (companyId: number, contactId: number, numberId?: number): Promise<number | undefined> =>
  inboundAtOf(await getSummary(companyId, contactId), numberId);

/** The number that the contact last wrote to. 0.5 RRU. */
export const lastNumberId = async (companyId: number, contactId: number): Promise<number | undefined> =>
  (await getSummary(companyId, contactId))?.lastNumberId;

/** `total`: of filtered lists. `skip`: matches that a page by number had still to pass where its walk ended. */
const position = z.object({
  at: z.int(),
  contactId: z.int(),
  total: z.int().nonnegative().optional(),
  skip: z.int().positive().optional(),
});
type CursorPosition = z.output<typeof position>;

async function toConversationRows(companyId: number, summaries: readonly StoredConversation[]): Promise<ConversationRow[]> {
  const [cards, messages] = await Promise.all([
    contactCards(
      companyId,
      summaries.map((summary) => summary.contactId),
    ),
    getMessages(
      companyId,
      summaries.map((summary) => ({ contactId: summary.contactId, id: summary.lastMessageId })),
    ),
  ]);
  return summaries.flatMap((summary) => {
    const contact = cards.find((card) => card.id === summary.contactId);
    const lastMessage = messages.find((message) => message.contactId === summary.contactId);
    return contact && lastMessage ? [{ summary, contact, lastMessage }] : [];
  });
}

async function countOf(companyId: number, filter: InboxFilter): Promise<number> {
  const { total, cells = {} } = await getCounter(companyId, conversationEntityName);
  return Object.values(filter).every((each) => each === undefined) ? total : countShown(cells, filter);
}

const positionOf = (summary: StoredConversation): ListPosition & Record<string, number> => ({
  at: summary.lastMessageAt,
  contactId: summary.contactId,
});

const isBefore = (a: ListPosition, b: ListPosition): boolean => a.at < b.at || (a.at === b.at && a.contactId < b.contactId);
