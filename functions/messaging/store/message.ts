import { above, all, equals, missing, oneOf } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { gathered } from '../../../shared/runtime/gather.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { writeEach } from '../../../shared/table/write-each.ts';
import { messageEntityName, messageStatuses, storedMessage, type StoredMessage } from '../contract/stored.ts';

/** Messages are in their conversation's partition, by id; an id begins with its message's second. */
export const messageEntity = entity({
  name: messageEntityName,
  purpose: 'One message of a conversation, in or out',
  attributes: storedMessage,
  key: ({ companyId, contactId, id }: { companyId: number; contactId: number; id: number }) => ({
    pk: conversationPartition(companyId, contactId),
    sk: messageKey(id),
  }),
  idOf: ({ companyId, contactId, id }) => ({ companyId, contactId, id }),
  indexedBy: ['companyId', 'contactId', 'id', 'status', 'dueAt', 'campaign'],
  indexes: (message) => ({ due: messageDueKeys(message) }),
  personalData: 'texts, files, phone',
  example: { pk: 'C#<company>#CV#<contact>', sk: 'M#<message>' },
});

const conversationPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CV#${contactId}`;
const messageKey = (id: number): string => `M#${sortable(id)}`;

/** Messages of a campaign have no due time of their own: they wait in its batches, where a pause holds them. */
const messageDueKeys = (message: Pick<StoredMessage, 'companyId' | 'contactId' | 'id' | 'status' | 'dueAt' | 'campaign'>) =>
  message.status === messageStatuses.scheduled && message.dueAt !== undefined && message.campaign === undefined
    ? dueKeys(message.dueAt, messageEntityName, `${message.companyId}:${message.contactId}:${message.id}`)
    : undefined;

/** Refused when the id is taken: by the same message after a crash or redelivery, or by another one. */
export const createMessage = pattern(
  { question: 'a new message', entity: 'message', by: 'PutItem', units: '1 WRU' },
  async (message: StoredMessage): Promise<Written<StoredMessage>> => messageEntity.put(message, missing()),
);

/** The same for several that are made within a moment, each with a result of its own. */
export const createMessageTogether = pattern(
  { question: 'new messages, 25 in a request', entity: 'message', by: 'BatchExecuteStatement', units: '1 WRU a message' },
  (message: StoredMessage): Promise<Written<StoredMessage>> => claimSoon(messageEntity.inserting(message)),
);

/** `consistent` where acting on an old state would lose the message: its due time comes only once. */
export const getStoredMessage = pattern(
  { question: 'a message by its conversation and id', entity: 'message', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  async (companyId: number, contactId: number, id: number, options: { consistent?: boolean } = {}): Promise<StoredMessage | undefined> =>
    messageEntity.get({ companyId, contactId, id }, options),
);

export const getStoredMessages = pattern(
  {
    question: 'several messages by conversation and id',
    entity: 'message',
    by: 'BatchGetItem',
    units: '0.5 RRU a message, 1 consistently',
  },
  async (
    companyId: number,
    ids: readonly { contactId: number; id: number }[],
    options: { consistent?: boolean } = {},
  ): Promise<StoredMessage[]> =>
    messageEntity.getMany(
      ids.map(({ contactId, id }) => ({ companyId, contactId, id })),
      options,
    ),
);

/**
 * Updates a message unless it was written since `seen` was read (`rev`); refused with the current row otherwise.
 */
export const updateMessage = pattern(
  {
    question: 'a message changes, if it is unchanged since it was read',
    entity: 'message',
    by: 'UpdateItem',
    units: '1 WRU, 2 when it becomes or stops being due',
  },
  async (seen: StoredMessage, change: Partial<StoredMessage>, at: number): Promise<Written<StoredMessage>> => {
    const set = { ...change, rev: seen.rev + 1, updatedAt: at };
    return messageEntity.update(seen, { set }, all(equals('rev', seen.rev), equals('id', seen.id)));
  },
);

/** The same for several that change within a moment, each with a result of its own. */
export const updateMessageTogether = pattern(
  {
    question: 'messages change, each if it is unchanged since it was read, 25 in a request',
    entity: 'message',
    by: 'BatchExecuteStatement',
    units: '1 WRU a message',
  },
  (seen: StoredMessage, change: Partial<StoredMessage>, at: number): Promise<Written<StoredMessage>> =>
    writeSoon(messageEntity.replacing(seen, { ...seen, ...change, rev: seen.rev + 1, updatedAt: at })),
);

/** A campaign's worker claims its next recipients in one moment. */
const claimSoon = gathered({ atMost: 25, withinMs: 2 }, writeEach<StoredMessage>);
/** So short that a worker that crashes leaves few messages behind that were sent and have no result. */
const writeSoon = gathered({ atMost: 25, withinMs: 25 }, writeEach<StoredMessage>);
/** A worker begins with the statuses of a batch at the same time. */
const stepSoon = gathered({ atMost: 25, withinMs: 2 }, writeEach<StoredMessage | undefined>);

interface MessageKey {
  companyId: number;
  contactId: number;
  messageId: number;
}

interface DeliveryStep {
  wamid: string;
  from: readonly number[];
  to: number;
  field: 'deliveredAt' | 'readAt';
  atMs: number;
  pricing: StoredMessage['pricing'];
  /** What the message is before it, where it was sent at once and its statuses came in order. */
  usual: { rev: number; status: number };
}

/**
 * The usual next step of a message that was sent, written without reading it first. Refused with the current row when the message is in
 * another state.
 */
export const updateDelivery = pattern(
  { question: 'a message that was sent is delivered or read', entity: 'message', by: 'UpdateItem', units: '1 WRU' },
  ({ companyId, contactId, messageId: id }: MessageKey, step: DeliveryStep, at: number): Promise<Written<StoredMessage>> =>
    messageEntity.update(
      // none of the statuses it leaves is scheduled, so the message is in no index
      { companyId, contactId, id, status: messageStatuses.sent },
      {
        set: { status: step.to, [step.field]: step.atMs, updatedAt: at },
        ...(step.pricing ? { setOnce: { pricing: step.pricing } } : {}),
        add: { rev: 1 },
      },
      all(oneOf('status', step.from), equals('wamid', step.wamid), missing(step.field)),
    ),
);

/** The same for several messages within a moment, each with a result of its own: those that are as usual in one request. */
export const updateDeliveryTogether = pattern(
  {
    question: 'messages that were sent are delivered or read, 25 in a request',
    entity: 'message',
    by: 'BatchExecuteStatement',
    units: '1 WRU a message; 2 for one that is not as usual',
  },
  (key: MessageKey, step: DeliveryStep, at: number): Promise<Written<StoredMessage | undefined>> => {
    const { companyId, contactId, messageId: id } = key;
    const { usual, wamid } = step;
    const pricing = step.pricing ? { pricing: step.pricing } : {};
    return stepSoon(
      messageEntity.advancing(
        { companyId, contactId, id },
        { ...usual, wamid },
        { status: step.to, [step.field]: step.atMs, updatedAt: at, ...pricing, rev: usual.rev + 1 },
        () => updateDelivery(key, step, at),
      ),
    );
  },
);

/** Up to `limit` messages, highest id first, from `upToId` down. An id begins with its second, so the key bounds `newerThanMs` too. */
export const listStoredMessages = pattern(
  { question: 'the messages of a conversation, by id', entity: 'message', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (
    companyId: number,
    contactId: number,
    options: { limit: number; upToId: number | undefined; newerThanMs: number | undefined; consistent?: boolean },
  ): Promise<StoredMessage[]> => {
    const { limit, upToId, newerThanMs, consistent = false } = options;
    const low = newerThanMs === undefined ? 'M#' : messageKey(Math.max(0, Math.floor(newerThanMs / 1_000)) * 2 ** 21);
    const high = upToId === undefined ? 'M#~' : messageKey(upToId);
    const filter = newerThanMs === undefined ? undefined : above('createdAt', newerThanMs);
    return messageEntity.collect(
      { pk: conversationPartition(companyId, contactId), between: [low, high], descending: true, filter, consistent },
      { atMost: limit },
    );
  },
);

/** Messages of any age after an id, oldest first. */
export const listMessagesAfter = pattern(
  { question: 'the messages of an erased contact', entity: 'message', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, contactId: number, afterId: number, limit: number): Promise<StoredMessage[]> =>
    messageEntity.collect(
      { pk: conversationPartition(companyId, contactId), between: [messageKey(afterId + 1), 'M#~'], consistent: true },
      { atMost: limit },
    ),
);

export const listMessagesBefore = pattern(
  { question: 'the oldest messages of a conversation from before a time', entity: 'message', by: 'Query', units: '0.5 RRU per 4 KB' },
  ({ companyId, contactId, beforeMs, afterId }: OldMessages, limit: number): Promise<StoredMessage[]> =>
    messageEntity.collect(
      {
        pk: conversationPartition(companyId, contactId),
        between: [messageKey(afterId + 1), messageKey(Math.max(0, Math.floor(beforeMs / 1_000)) * 2 ** 21)],
      },
      { atMost: limit },
    ),
);
export interface OldMessages {
  companyId: number;
  contactId: number;
  beforeMs: number;
  afterId: number;
}

export const deleteMessage = pattern(
  { question: 'remove a message of an erased contact', entity: 'message', by: 'DeleteItem', units: '1 WRU a KB' },
  async ({ companyId, contactId, id }: Pick<StoredMessage, 'companyId' | 'contactId' | 'id'>): Promise<void> => {
    await messageEntity.delete({ companyId, contactId, id });
  },
);

/** For statuses without our reference. Searches the newest 1,000 messages of the conversation. */
export const getMessageByWamid = pattern(
  {
    question: 'a message of a conversation by the provider id',
    entity: 'message',
    by: 'Query',
    units: '0.5 RRU per 4 KB looked through, up to 1,000 messages',
  },
  async (companyId: number, contactId: number, wamid: string): Promise<StoredMessage | undefined> => {
    let pagesLeft = 5;
    const query = { pk: conversationPartition(companyId, contactId), begins: 'M#', descending: true, limit: 200 };
    for await (const { items } of messageEntity.pages({ ...query, filter: equals('wamid', wamid) })) {
      if (items[0] || --pagesLeft === 0) return items[0];
    }
    return undefined;
  },
);
