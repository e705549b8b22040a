import { secondOf } from '../../../shared/runtime/ids.ts';
import type { StoredMessage } from '../contract/stored.ts';
import { lastIdOfSecond, newestFirst, olderThan } from '../domain/message-order.ts';
import { getMessage as getStoredMessage, getMessages as getStoredMessages, listMessages as listStoredMessages } from '../store/message.ts';

/** Messages as other contexts read them. */

/** 0.5 RRU, 1 consistently. */
export const getMessage = (
  companyId: number,
  contactId: number,
  id: number,
  options: { consistent?: boolean } = {},
): Promise<StoredMessage | undefined> => getStoredMessage(companyId, contactId, id, options);

/** Those that exist, in any order. 0.5 RRU a message. */
export const getMessages = (companyId: number, ids: readonly { contactId: number; id: number }[]): Promise<StoredMessage[]> =>
  getStoredMessages(companyId, ids);

/**
 * Up to `limit` messages of a conversation, newest first, after the message `beforeId` in that order. Messages of one second are ordered by
 * arrival while the table orders them by id, so a second is shown only once all of it has been read.
 */
export const listMessages = async (
  companyId: number,
  contactId: number,
  {
    limit,
    beforeId,
    newerThanMs,
    consistent = false,
  }: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined; consistent?: boolean },
): Promise<StoredMessage[]> => {
  const read: StoredMessage[] = [];
  for (let upToId = beforeId === undefined ? undefined : lastIdOfSecond(beforeId); ; ) {
    const page = await listStoredMessages(companyId, contactId, { limit: limit + 1, upToId, newerThanMs, consistent });
    read.push(...page);
    const oldest = page.at(-1);
    const isAll = page.length <= limit || !oldest;
    const whole = isAll ? read : read.filter(({ id }) => secondOf(id) > secondOf(oldest.id));
    const shown = newestFirst(beforeId === undefined ? whole : olderThan(whole, beforeId));
    if (isAll || shown.length >= limit) return shown.slice(0, limit);
    upToId = oldest.id - 1;
  }
};
