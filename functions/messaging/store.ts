import * as z from 'zod';
import { above, all, type Change, equals, missing } from '../../shared/table/condition.ts';
import { dueKeys } from '../../shared/table/due.ts';
import { entity, type Written } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { sortable, tenant } from '../../shared/table/schema.ts';
import { messageEntityName, messageStatuses, parkedStatusEntityName, statusUpdate, storedMessage, type StoredMessage } from './contract.ts';

/** Messages lie in their conversation's partition, in the order of their ids, which is the order of time. */
export const messageEntity = entity({
  name: messageEntityName,
  purpose: 'One message of a conversation, in or out',
  attributes: storedMessage,
  key: ({ companyId, contactId, id }: { companyId: number; contactId: number; id: number }) => ({
    pk: conversationPartition(companyId, contactId),
    sk: messageKey(id),
  }),
  idOf: ({ companyId, contactId, id }) => ({ companyId, contactId, id }),
  indexes: (message) => ({ due: messageDueKeys(message) }),
  example: { pk: 'C#<company>#CV#<contact>', sk: 'M#<message>' },
});

const conversationPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CV#${contactId}`;
const messageKey = (id: number): string => `M#${sortable(id)}`;

const messageDueKeys = (message: Pick<StoredMessage, 'companyId' | 'contactId' | 'id' | 'status' | 'dueAt'>) =>
  message.status === messageStatuses.scheduled && message.dueAt !== undefined
    ? dueKeys(message.dueAt, messageEntityName, `${message.companyId}:${message.contactId}:${message.id}`)
    : undefined;

/** A new message: refused when its id is taken, by itself after a crash or a redelivery. */
export const addMessage = pattern(
  { asks: 'a new message', entity: 'message', by: 'PutItem', units: '1 WRU' },
  async (message: StoredMessage): Promise<Written<StoredMessage>> => messageEntity.put(message, missing()),
);

/** `consistent` where acting on an old state would lose the message: its due time passes but once. */
export const getMessage = pattern(
  { asks: 'a message by its conversation and id', entity: 'message', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  async (companyId: number, contactId: number, id: number, options: { consistent?: boolean } = {}): Promise<StoredMessage | undefined> =>
    messageEntity.get({ companyId, contactId, id }, options),
);

export const getMessages = pattern(
  { asks: 'several messages by conversation and id', entity: 'message', by: 'BatchGetItem', units: '0.5 RRU a message' },
  async (companyId: number, ids: readonly { contactId: number; id: number }[]): Promise<StoredMessage[]> =>
    messageEntity.getMany(ids.map(({ contactId, id }) => ({ companyId, contactId, id }))),
);

/**
 * Changes a message as it was seen (`rev`); refused with the current one when somebody was faster. Due keys follow status and due time.
 */
export const changeMessage = pattern(
  {
    asks: 'a message moves on, if nobody moved it meanwhile',
    entity: 'message',
    by: 'UpdateItem',
    units: '1 WRU, 2 when it becomes or stops being due',
  },
  async (seen: StoredMessage, change: Partial<StoredMessage>, at: number): Promise<Written<StoredMessage>> => {
    const due = 'status' in change || 'dueAt' in change ? messageDueKeys({ ...seen, ...change }) : undefined;
    const wasDue = messageDueKeys(seen) !== undefined;
    const update: Change = {
      set: { ...change, rev: seen.rev + 1, updatedAt: at, ...(due || wasDue ? { due_pk: due?.pk, due_sk: due?.sk } : {}) },
    };
    return messageEntity.change(
      { companyId: seen.companyId, contactId: seen.contactId, id: seen.id },
      update,
      all(equals('rev', seen.rev), equals('id', seen.id)),
    );
  },
);

/** Up to `limit` messages below `beforeId`, made after `newerThanMs`. An id begins with its message's second, so the key bounds the time. */
export const listMessages = pattern(
  { asks: 'the messages of a conversation, newest first', entity: 'message', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (
    companyId: number,
    contactId: number,
    options: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined },
  ): Promise<StoredMessage[]> => {
    const { limit, beforeId, newerThanMs } = options;
    const low = newerThanMs === undefined ? 'M#' : messageKey(Math.max(0, Math.floor(newerThanMs / 1_000)) * 2 ** 21);
    const high = beforeId === undefined ? 'M#~' : messageKey(beforeId - 1);
    const messages: StoredMessage[] = [];
    if (low > high) return messages;
    let after: Record<string, unknown> | undefined;
    do {
      const page = await messageEntity.query({
        pk: conversationPartition(companyId, contactId),
        between: [low, high],
        descending: true,
        limit: limit - messages.length,
        ...(newerThanMs === undefined ? {} : { filter: above('createdAt', newerThanMs) }),
        after,
      });
      messages.push(...page.items);
      after = page.last;
    } while (after && messages.length < limit);
    return messages;
  },
);

/** For statuses that come without our reference. Looks through the newest messages of the conversation, not through all. */
export const findByWamid = pattern(
  {
    asks: 'a message of a conversation by the provider id',
    entity: 'message',
    by: 'Query',
    units: '0.5 RRU per 4 KB looked through, up to 1,000 messages',
  },
  async (companyId: number, contactId: number, wamid: string): Promise<StoredMessage | undefined> => {
    let after: Record<string, unknown> | undefined;
    for (let looked = 0; looked < 1_000; looked += 200) {
      const page = await messageEntity.query({
        pk: conversationPartition(companyId, contactId),
        begins: 'M#',
        descending: true,
        limit: 200,
        filter: equals('wamid', wamid),
        after,
      });
      if (page.items[0]) return page.items[0];
      if (!page.last) return undefined;
      after = page.last;
    }
    return undefined;
  },
);

const storedParked = z.object({
  companyId: z.int(),
  wamid: z.string(),
  status: z.string(),
  update: statusUpdate,
  parkedAt: z.int(),
  tries: z.int(),
  dueAt: z.int(),
});
export type ParkedStatus = z.output<typeof storedParked>;

/** Statuses whose message is not known yet; gone after seven days (decision A51). */
const parkedEntity = entity({
  name: parkedStatusEntityName,
  purpose: 'A status that came before its message was known',
  attributes: storedParked,
  key: ({ companyId, wamid, status }: { companyId: number; wamid: string; status: string }) => ({
    pk: `${tenant(companyId)}#PARK#${wamid}`,
    sk: status,
  }),
  idOf: ({ companyId, wamid, status }) => ({ companyId, wamid, status }),
  indexes: ({ companyId, wamid, status, dueAt }) => ({ due: dueKeys(dueAt, parkedStatusEntityName, `${companyId}:${status}:${wamid}`) }),
  expiresAt: ({ parkedAt }) => Math.floor(parkedAt / 1_000) + 8 * 86_400,
  example: { pk: 'C#<company>#PARK#<wamid>', sk: '<status>' },
});

export const parkStatus = pattern(
  { asks: 'a status waits for its message', entity: 'parked-status', by: 'PutItem', units: '2 WRU' },
  async (parked: ParkedStatus): Promise<void> => {
    await parkedEntity.put(parked);
  },
);

export const getParked = pattern(
  { asks: 'a waiting status', entity: 'parked-status', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, wamid: string, status: string): Promise<ParkedStatus | undefined> =>
    parkedEntity.get({ companyId, wamid, status }, { consistent: true }),
);

export const dropParked = pattern(
  { asks: 'a waiting status is done', entity: 'parked-status', by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number, wamid: string, status: string): Promise<void> => {
    await parkedEntity.delete({ companyId, wamid, status });
  },
);

/** Updates of kinds nobody reads yet: kept for thirty days, so that nothing the provider said is lost. In parts, as an item has 400 KB. */
const keptUpdateEntity = entity({
  name: 'kept-update',
  purpose: 'A webhook update of a kind that is not read yet',
  attributes: z.object({
    companyId: z.int(),
    id: z.string(),
    part: z.int(),
    parts: z.int(),
    field: z.string(),
    body: z.string(),
    receivedAt: z.int(),
  }),
  key: ({ companyId, id, part }: { companyId: number; id: string; part: number }) => ({
    pk: `${tenant(companyId)}#KEPT#${id}`,
    sk: sortable(part),
  }),
  idOf: ({ companyId, id, part }) => ({ companyId, id, part }),
  expiresAt: ({ receivedAt }) => Math.floor(receivedAt / 1_000) + 30 * 86_400,
  example: { pk: 'C#<company>#KEPT#<sha256 of the update>', sk: '<part>' },
});

/** 90,000 characters, none cut in two, are at most 360 KB. */
const part = /[^]{1,90000}/gu;

export const keepUpdate = pattern(
  { asks: 'an update of an unread kind is kept', entity: 'kept-update', by: 'PutItem', units: '1 WRU a KB' },
  async (companyId: number, id: string, field: string, body: string, receivedAt: number): Promise<void> => {
    const bodies = body.match(part) ?? [''];
    for (const [index, each] of bodies.entries())
      await keptUpdateEntity.put({ companyId, id, part: index, parts: bodies.length, field, body: each, receivedAt });
  },
);
