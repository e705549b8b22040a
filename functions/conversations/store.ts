import { any, equals, missing } from '../../shared/table/condition.ts';
import { entity, type Written } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { shardOf, sortable, tenant } from '../../shared/table/schema.ts';
import { conversationEntityName, storedConversation, type StoredConversation } from './contract/stored.ts';

/** Several list partitions a company, so that no sending rate makes one of them hot. */
const listShards = 4;
const listPartition = (companyId: number, shard: number): string => `${tenant(companyId)}#CVL#${shard}`;

/** Where a conversation stands in the list: newest message first, then the greater id. */
export interface ListPosition {
  at: number;
  contactId: number;
}
const listKey = ({ at, contactId }: ListPosition): string => `${sortable(at)}#${sortable(contactId)}`;

export const conversationEntity = entity({
  name: conversationEntityName,
  purpose: 'The head of a conversation: its last message, window, unread count',
  attributes: storedConversation,
  key: ({ companyId, contactId }: { companyId: number; contactId: number }) => ({ pk: `${tenant(companyId)}#CV#${contactId}`, sk: 'HEAD' }),
  idOf: ({ companyId, contactId }) => ({ companyId, contactId }),
  indexedBy: ['companyId', 'contactId', 'hidden', 'lastMessageId', 'lastMessageAt'],
  indexes: (summary) => ({
    list:
      summary.hidden || summary.lastMessageId === 0
        ? undefined
        : {
            pk: listPartition(summary.companyId, shardOf(summary.contactId, listShards)),
            sk: listKey({ at: summary.lastMessageAt, contactId: summary.contactId }),
          },
  }),
  personalData: 'when a contact wrote',
  example: { pk: 'C#<company>#CV#<contact>', sk: 'HEAD' },
});

export const getConversation = pattern(
  { question: 'the head of a conversation', entity: 'conversation', by: 'GetItem', units: '0.5 RRU' },
  async (companyId: number, contactId: number, options: { consistent?: boolean } = {}): Promise<StoredConversation | undefined> =>
    conversationEntity.get({ companyId, contactId }, options),
);

export const getConversations = pattern(
  { question: 'the heads of several conversations', entity: 'conversation', by: 'BatchGetItem', units: '0.5 RRU a conversation' },
  (companyId: number, contactIds: readonly number[]): Promise<StoredConversation[]> =>
    conversationEntity.getMany(contactIds.map((contactId) => ({ companyId, contactId }))),
);

export const deleteConversation = pattern(
  { question: 'remove the summary of an erased contact', entity: 'conversation', by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number, contactId: number): Promise<void> => {
    await conversationEntity.delete({ companyId, contactId });
  },
);

/** The list keys stay, because no field changed here moves it in the list. Refused when a request or the projection wrote it meanwhile. */
export const changeConversation = pattern(
  { question: 'a conversation is read, closed or assigned', entity: 'conversation', by: 'UpdateItem', units: '2 WRU' },
  (seen: StoredConversation, change: Partial<StoredConversation>): Promise<Written<StoredConversation>> =>
    conversationEntity.change(
      { companyId: seen.companyId, contactId: seen.contactId },
      { set: { ...change, rev: seen.rev + 1 } },
      any(equals('rev', seen.rev), missing('rev')),
    ),
);

/** The next conversations in list order, merged from the shards; `count` at most. */
export const conversationsBefore = pattern(
  {
    question: 'conversations by newest message',
    entity: 'conversation',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB and shard, 4 shards',
  },
  async (
    companyId: number,
    options: { count: number; before?: ListPosition | undefined; newerThanMs?: number | undefined },
  ): Promise<StoredConversation[]> => {
    const low = options.newerThanMs === undefined ? '' : sortable(options.newerThanMs + 1);
    const pages = await Promise.all(
      Array.from({ length: listShards }, (_, shard) =>
        conversationEntity.collect(
          {
            pk: listPartition(companyId, shard),
            index: 'list',
            between: [low || ' ', options.before ? keyBefore(listKey(options.before)) : '~'],
            descending: true,
          },
          { atMost: options.count },
        ),
      ),
    );
    return pages.flat().sort(newestConversationsFirst).slice(0, options.count);
  },
);

/** The same without an end, for walks: each shard is read ahead by `perShard` at a time, and none of it is read twice. */
export const conversationsInOrder = pattern(
  {
    question: 'a walk through conversations by newest message',
    entity: 'conversation',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB',
  },
  async function* (
    companyId: number,
    options: { before?: ListPosition | undefined; newerThanMs?: number | undefined; perShard: number },
  ): AsyncGenerator<StoredConversation> {
    const low = options.newerThanMs === undefined ? '' : sortable(options.newerThanMs + 1);
    const shards = Array.from({ length: listShards }, (_, shard) =>
      conversationEntity.items({
        pk: listPartition(companyId, shard),
        index: 'list',
        between: [low || ' ', options.before ? keyBefore(listKey(options.before)) : '~'],
        descending: true,
        limit: options.perShard,
      }),
    );
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
