import * as z from 'zod';
import { problem, type Problem } from '../../shared/contract/problems.ts';
import type { Page } from '../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../shared/table/cursor.ts';
import { readHead } from '../../shared/table/head.ts';
import { contactCards, contactExists } from '../contacts/service.ts';
import type { StoredMessage } from '../messaging/contract/stored.ts';
import { getMessages, listMessages } from '../messaging/service/reading.ts';
import { conversationEntityName, type StoredConversation } from './contract.ts';
import { newestFirst } from './domain.ts';
import { conversationsBefore, getConversation, type ListPosition } from './store.ts';

export { windowOf } from './domain.ts';
export { conversationEntity } from './store.ts';

export interface ConversationRow {
  head: StoredConversation;
  contact: { id: number; name: string | null; phone: string };
  lastMessage: StoredMessage;
}

/** A page of conversations, newest message first (A47). `lastmessagetime` keeps the strictly newer ones. */
export const listConversations = async (
  companyId: number,
  query: { page: number; limit: number; cursor: string | undefined; lastmessagetime?: number | undefined },
): Promise<Page<ConversationRow> | Problem<'invalid_cursor'>> => {
  const scope = `conversations:${companyId}:${query.lastmessagetime ?? ''}`;
  const before = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor, position);
  if (query.cursor !== undefined && !before) return problem('invalid_cursor');
  const skip = query.cursor === undefined ? (query.page - 1) * query.limit : 0;
  const counting = query.lastmessagetime === undefined ? countAll(companyId) : countNewer(companyId, query.lastmessagetime);
  // a page far past the end is known to be empty by the total, which may lag behind the list by a moment
  const isPast = skip > 0 && skip > (await counting) + query.limit;
  const [heads, total] = await Promise.all([
    isPast ? [] : conversationsBefore(companyId, { count: skip + query.limit + 1, before, newerThanMs: query.lastmessagetime }),
    counting,
  ]);
  const shown = heads.slice(skip, skip + query.limit);
  const last = heads.length > skip + query.limit ? shown.at(-1) : undefined;
  return {
    items: await rows(companyId, shown),
    total,
    page: query.page,
    limit: query.limit,
    nextCursor: last && encodeCursor(scope, { at: last.lastMessageAt, contactId: last.contactId }),
  };
};

export interface MessagePage {
  messages: StoredMessage[];
  /** Where the next page begins; undefined at the end. */
  nextBeforeId: number | undefined;
}

/** Messages of a conversation, newest first (A48); a contact without messages has an empty one, an unknown or deleted contact none. */
export const conversationMessages = async (
  companyId: number,
  contactId: number,
  query: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined },
): Promise<MessagePage | Problem<'not_found'>> => {
  const [exists, messages] = await Promise.all([
    contactExists(companyId, contactId),
    listMessages(companyId, contactId, { ...query, limit: query.limit + 1 }),
  ]);
  if (!exists) return problem('not_found');
  const shown = messages.slice(0, query.limit);
  return { messages: newestFirst(shown), nextBeforeId: messages.length > query.limit ? shown.at(-1)?.id : undefined };
};

/** When the person last wrote, epoch milliseconds: what opens the customer service window. 0.5 RRU. */
export const lastInboundAt = async (companyId: number, contactId: number): Promise<number | undefined> =>
  (await getConversation(companyId, contactId))?.lastInboundAt;

const position: z.ZodType<ListPosition> = z.object({ at: z.int(), contactId: z.int() });

async function rows(companyId: number, heads: readonly StoredConversation[]): Promise<ConversationRow[]> {
  const [cards, messages] = await Promise.all([
    contactCards(
      companyId,
      heads.map((head) => head.contactId),
    ),
    getMessages(
      companyId,
      heads.map((head) => ({ contactId: head.contactId, id: head.lastMessageId })),
    ),
  ]);
  return heads.flatMap((head) => {
    const contact = cards.find((card) => card.id === head.contactId);
    const lastMessage = messages.find((message) => message.contactId === head.contactId);
    return contact && lastMessage ? [{ head, contact, lastMessage }] : [];
  });
}

const countAll = async (companyId: number): Promise<number> => (await readHead(companyId, conversationEntityName)).total;

async function countNewer(companyId: number, newerThanMs: number): Promise<number> {
  let count = 0;
  let before: ListPosition | undefined;
  for (;;) {
    const page = await conversationsBefore(companyId, { count: 1_000, before, newerThanMs });
    count += page.length;
    const last = page.at(-1);
    if (page.length < 1_000 || !last) return count;
    before = { at: last.lastMessageAt, contactId: last.contactId };
  }
}
