import { any, equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { shardOf, sortable, tenant } from '../../../shared/table/schema.ts';
import { conversationKey } from '../../service-window/contract.ts';
import { conversationEntityName, storedConversation, type StoredConversation } from '../contract/stored.ts';
import { type InboxCell, inboxCellOf } from '../domain/conversation.ts';

/** Several list partitions for a cell that many messages move at once, so that no sending rate makes one of them hot. */
const listShards: Readonly<Record<InboxCell, number>> = {
  open: 4,
  open_unread: 2,
  assigned: 2,
  assigned_unread: 2,
  closed: 2,
  closed_unread: 1,
  automatic: 4,
  snoozed: 1,
  snoozed_unread: 1,
};
/** The first cell has the names of before there were cells: what was stored then is shown, and moves with its next change. */
const listPartition = (companyId: number, cell: InboxCell, shard: number): string =>
  `${tenant(companyId)}#CVL#${shard}${cell === 'open' ? '' : `#${cell}`}`;
const listPartitions = (companyId: number, cells: readonly InboxCell[]): string[] =>
  cells.flatMap((cell) => Array.from({ length: listShards[cell] }, (_, shard) => listPartition(companyId, cell, shard)));

/** What a user takes care of is in lists of its own, by cell: however few of all it is, a page of it reads no more than it shows. */
const assigneePartition = (companyId: number, userId: number, cell: InboxCell): string => `${tenant(companyId)}#CVA#${userId}#${cell}`;

/** Where a conversation stands in the list: newest message first, then the greater id. */
export interface ListPosition {
  at: number;
  contactId: number;
}
const listKey = ({ at, contactId }: ListPosition): string => `${sortable(at)}#${sortable(contactId)}`;

export const conversationEntity = entity({
  name: conversationEntityName,
  purpose: 'The head of a conversation: its last message, window, unread count; due when it was put away and comes back',
  attributes: storedConversation,
  key: conversationKey,
  idOf: ({ companyId, contactId }) => ({ companyId, contactId }),
  indexedBy: [
    'companyId',
    'contactId',
    'hidden',
    'lastMessageId',
    'lastMessageAt',
    'status',
    'unread',
    'markedUnread',
    'assignedTo',
    'onlyAutomatic',
    'snoozedUntil',
  ],
  indexes: (summary) => {
    const { companyId, contactId, lastMessageAt: at, assignedTo, snoozedUntil } = summary;
    if (summary.hidden || summary.lastMessageId === 0) return {};
    const cell = inboxCellOf(summary);
    const sk = listKey({ at, contactId });
    return {
      list: { pk: listPartition(companyId, cell, shardOf(contactId, listShards[cell])), sk },
      assignee: assignedTo === undefined ? undefined : { pk: assigneePartition(companyId, assignedTo, cell), sk },
      due: snoozedUntil === undefined ? undefined : dueKeys(snoozedUntil, conversationEntityName, `${companyId}:${contactId}`),
    };
  },
  personalData: 'when a contact wrote',
  example: { pk: 'C#<company>#CV#<contact>', sk: 'HEAD' },
});

export const getSummary = pattern(
  { question: 'the head of a conversation', entity: 'conversation', by: 'GetItem', units: '0.5 RRU' },
  async (companyId: number, contactId: number, options: { consistent?: boolean } = {}): Promise<StoredConversation | undefined> =>
    conversationEntity.get({ companyId, contactId }, options),
);

export const getConversations = pattern(
  {
    question: 'the heads of several conversations',
    entity: 'conversation',
    by: 'BatchGetItem',
    units: '0.5 RRU a conversation, 1 consistently',
  },
  (companyId: number, contactIds: readonly number[], options: { consistent?: boolean } = {}): Promise<StoredConversation[]> =>
    conversationEntity.getMany(
      contactIds.map((contactId) => ({ companyId, contactId })),
      options,
    ),
);

/** Refused when another message than `newestId` is the newest. */
export const deleteOldConversation = pattern(
  { question: 'remove the summary of a conversation whose messages all go', entity: 'conversation', by: 'DeleteItem', units: '2 WRU' },
  (companyId: number, contactId: number, newestId: number): Promise<Written<undefined>> =>
    conversationEntity.delete({ companyId, contactId }, equals('lastMessageId', newestId)),
);

export const deleteConversation = pattern(
  { question: 'remove the summary of an erased contact', entity: 'conversation', by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number, contactId: number): Promise<void> => {
    await conversationEntity.delete({ companyId, contactId });
  },
);

/** Refused when a request or the projection wrote it meanwhile. */
export const changeConversation = pattern(
  {
    question: 'a conversation is read, closed, assigned or put away',
    entity: 'conversation',
    by: 'UpdateItem',
    units:
      '4 WRU: the item, and the list index twice; an assigned one 6, with the index by assignee; one put away 1 more, with that of due work',
  },
  (seen: StoredConversation, change: Partial<StoredConversation>): Promise<Written<StoredConversation>> =>
    conversationEntity.update(seen, { set: { ...change, rev: seen.rev + 1 } }, any(equals('rev', seen.rev), missing('rev'))),
);

/** A stretch of the lists of some cells: of all conversations in them, or of those assigned to a user. */
export interface CellRange {
  cells: readonly InboxCell[];
  assignedTo?: number | undefined;
  before?: ListPosition | undefined;
  newerThanMs?: number | undefined;
}

/** Of each partition this many are read first: about 4 KB, the size of half a read unit. */
const firstRead = 7;

/**
 * The next conversations in list order, merged from the partitions of the cells; `count` at most. Few of each partition are read first, then
 * more of those alone that may have more to show, all at once: two rounds.
 */
export const conversationsBefore = pattern(
  {
    question: 'conversations by newest message',
    entity: 'conversation',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB and partition, 19 partitions for all',
  },
  async (companyId: number, { count, ...range }: CellRange & { count: number }): Promise<ConversationsRead> => {
    const lists = rangesOf(companyId, range).map((query) => ({ query, items: [] as StoredConversation[], isDone: false }));
    const first = Math.max(firstRead, Math.ceil(count / 4));
    for (let limit = first, open = lists; open.length > 0; limit = Math.max(1, count - first)) {
      await Promise.all(
        open.map(async (list) => {
          const last = list.items.at(-1);
          const after = last && { after: conversationEntity.startKey(last, list.query.index) };
          const page = await conversationEntity.query({ ...list.query, ...after, limit });
          list.items.push(...page.items);
          list.isDone = page.last === undefined;
        }),
      );
      const end = lists.flatMap(({ items }) => items).toSorted(newestConversationsFirst)[count - 1];
      open = lists.filter(({ items, isDone }) => {
        const last = items.at(-1);
        return !isDone && (!end || !last || newestConversationsFirst(last, end) < 0);
      });
    }
    const read = lists.flatMap(({ items }) => items).toSorted(newestConversationsFirst);
    return { conversations: read.slice(0, count), seen: read.length, isAll: lists.every(({ isDone }) => isDone) };
  },
);

/** The first conversations of a range; how many of it were read in all, and whether those are all that it has. */
export interface ConversationsRead {
  conversations: StoredConversation[];
  seen: number;
  isAll: boolean;
}

const rangesOf = (companyId: number, { cells, assignedTo, before, newerThanMs }: CellRange) => {
  const [index, partitions] =
    assignedTo === undefined
      ? (['list', listPartitions(companyId, cells)] as const)
      : (['assignee', cells.map((cell) => assigneePartition(companyId, assignedTo, cell))] as const);
  const between = [newerThanMs === undefined ? ' ' : sortable(newerThanMs + 1), before ? keyBefore(listKey(before)) : '~'] as const;
  return partitions.map((pk) => ({ pk, index, between, descending: true }));
};

/** The same without an end, for walks: each partition is read ahead by `perShard` at a time, and none of it is read twice. */
export const conversationsInOrder = pattern(
  {
    question: 'a walk through conversations by newest message',
    entity: 'conversation',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB',
  },
  async function* (companyId: number, { perShard, ...range }: CellRange & { perShard: number }): AsyncGenerator<StoredConversation> {
    const shards = rangesOf(companyId, range).map((query) => conversationEntity.items({ ...query, limit: perShard }));
    const next = await Promise.all(shards.map((shard) => shard.next()));
    for (;;) {
      let newest: { shard: number; item: StoredConversation } | undefined;
      for (const [shard, { value, done }] of next.entries())
        if (!done && (newest === undefined || newestConversationsFirst(value, newest.item) < 0)) newest = { shard, item: value };
      if (!newest) return;
      yield newest.item;
      const shard = shards[newest.shard];
      if (shard) next[newest.shard] = await shard.next();
    }
  },
);

/** The greatest key that sorts before `key`. */
const keyBefore = (key: string): string => `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}~`;

export const newestConversationsFirst = (a: StoredConversation, b: StoredConversation): number =>
  b.lastMessageAt - a.lastMessageAt || b.contactId - a.contactId;
