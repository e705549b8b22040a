import type { Principal } from '../../../shared/contract/route.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import { type EventPage, listEvents } from '../../events/service/events.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import { listContactMessages } from '../../messaging/service/messages.ts';
import type { InboxView } from '../contract/inbox.ts';
import type { ConversationPresence } from '../contract/presence.ts';
import type { SyncQuery } from '../contract/sync.ts';
import { changedConversations, isListed } from '../domain/conversation.ts';
import { getConversations } from '../store/conversation.ts';
import { type ConversationRow, toConversationRows } from './conversations.ts';
import { getInboxCounts } from './list-conversations.ts';
import { repeatPresence } from './presence.ts';

export interface Sync {
  page: EventPage;
  counts: Record<InboxView, number>;
  changed: ChangedConversations;
  thread: SyncedThread | undefined;
  others: ConversationPresence['others'];
}

interface ChangedConversations {
  rows: ConversationRow[];
  unlistedIds: number[];
  otherIds: number[];
}

interface SyncedThread {
  version: string;
  /** Undefined: those that the caller has. */
  messages: StoredMessage[] | undefined;
  nextBeforeId: number | undefined;
}

/** Conversations of an answer, and messages of the open one: about a screen of each. */
const mostRows = 20;
const mostMessages = 20;

/**
 * Events behind a place, and what they changed of an inbox. All else is read after the events, and consistently what they changed: the stream
 * consumer applies a message to its conversation before it logs it. While nothing happens 1.5 RRU, 2 with an open conversation, and some 3 more
 * where its messages are wanted.
 */
export const getSync = async (caller: Principal, query: SyncQuery): Promise<Sync> => {
  const { companyId, userId } = caller;
  const page = await eventsBehind(caller, query);
  const id = query.conversation_id;
  const [counts, changed, thread, others] = await Promise.all([
    getInboxCounts(companyId, userId, { consistent: true }),
    readChanged(companyId, page),
    id === undefined ? undefined : readThread(companyId, id, query, page),
    id === undefined ? [] : repeatPresence(caller, id, query.state),
  ]);
  return { page, counts, changed, thread, others };
};

/** Without a place to go on from only the end of the log. */
async function eventsBehind(caller: Principal, { after, limit }: SyncQuery): Promise<EventPage> {
  const page = await listEvents(caller, { after, limit: after === undefined ? 1 : limit });
  return after === undefined ? { events: [], hasMore: false, nextCursor: page.nextCursor } : page;
}

async function readChanged(companyId: number, { events }: EventPage): Promise<ChangedConversations> {
  const ids = changedConversations(events);
  const wanted = ids.slice(0, mostRows);
  if (wanted.length === 0) return { rows: [], unlistedIds: [], otherIds: [] };
  const listed = (await getConversations(companyId, wanted, { consistent: true })).filter(isListed);
  const listedIds = new Set(listed.map(({ contactId }) => contactId));
  const rows = await toConversationRows(companyId, listed, { consistent: true });
  const shownIds = new Set(rows.map(({ summary }) => summary.contactId));
  return {
    rows,
    unlistedIds: wanted.filter((id) => !listedIds.has(id)),
    // a row without its contact or message, which an inconsistent read may miss, is read again by the caller
    otherIds: [...[...listedIds].filter((id) => !shownIds.has(id)), ...ids.slice(mostRows)],
  };
}

async function readThread(
  companyId: number,
  contactId: number,
  { version, messages: isWanted = true }: SyncQuery,
  { events }: EventPage,
): Promise<SyncedThread | undefined> {
  const isNamed = events.some(({ subject }) => subject === `conversation:${contactId}`);
  if (version !== undefined && !isWanted && !isNamed) return { version, messages: undefined, nextBeforeId: undefined };
  const ids = await getFiledIds(companyId, contactId);
  if (ids.length === 0) return undefined;
  const range = { limit: mostMessages + 1, beforeId: undefined, newerThanMs: undefined, consistent: true };
  const messages = await listContactMessages(companyId, ids, range);
  const present = versionOf(messages);
  if (present === version) return { version, messages: undefined, nextBeforeId: undefined };
  const shown = messages.slice(0, mostMessages);
  return { version: present, messages: shown, nextBeforeId: messages.length > mostMessages ? shown.at(-1)?.id : undefined };
}

/** Every write of a message raises its revision. */
const versionOf = (messages: readonly StoredMessage[]): string =>
  sha256(messages.map(({ id, rev }) => `${id}.${rev}`).join(' ')).slice(0, 24);
