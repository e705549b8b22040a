import { secondOf } from '../../../shared/runtime/ids.ts';
import type { StoredMessage } from '../contract/stored.ts';
import { lastIdOfSecond, newestFirst, olderThan } from '../domain/message-order.ts';
import { findFiled } from '../../contacts/service/followed-contacts.ts';
import { getStoredMessage, getMessageByWamid, getStoredMessages, listStoredMessages } from '../store/message.ts';

/** Messages as other contexts read them. */

/** 0.5 RRU, 1 consistently. */
export const getContactMessage = (
  companyId: number,
  contactId: number,
  id: number,
  options: { consistent?: boolean } = {},
): Promise<StoredMessage | undefined> => getStoredMessage(companyId, contactId, id, options);

/** Those that exist, in any order. 0.5 RRU a message, 1 consistently. */
export const getContactMessages = (
  companyId: number,
  ids: readonly { contactId: number; id: number }[],
  options: { consistent?: boolean } = {},
): Promise<StoredMessage[]> => getStoredMessages(companyId, ids, options);

/** A message of a contact, or of one that was merged into it. As getContactMessage; a miss 1 RRU more. */
export const findMessage = (companyId: number, contactId: number, id: number): Promise<StoredMessage | undefined> =>
  findFiled(companyId, contactId, (each) => getStoredMessage(companyId, each, id));

/** By the provider's id, in the conversations of these contacts in turn. */
export const findByWamid = async (companyId: number, contactIds: readonly number[], wamid: string): Promise<StoredMessage | undefined> => {
  for (const contactId of contactIds) {
    const found = await getMessageByWamid(companyId, contactId, wamid);
    if (found) return found;
  }
  return undefined;
};

/**
 * Up to `limit` messages of a conversation, newest first, after the message `beforeId` in that order; of several contacts where some were
 * merged. Messages of one second are ordered by arrival while the table orders them by id, so a second is shown only once all of it has been
 * read.
 */
export const listContactMessages = async (
  companyId: number,
  contactIds: readonly number[],
  {
    limit,
    beforeId,
    newerThanMs,
    consistent = false,
  }: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined; consistent?: boolean },
): Promise<StoredMessage[]> => {
  const read: StoredMessage[] = [];
  const upToId = beforeId === undefined ? undefined : lastIdOfSecond(beforeId);
  for (let open = contactIds.map((contactId) => ({ contactId, upToId })); ; ) {
    const next = await Promise.all(
      open.map(async (part) => {
        const page = await listStoredMessages(companyId, part.contactId, {
          limit: limit + 1,
          upToId: part.upToId,
          newerThanMs,
          consistent,
        });
        read.push(...page);
        const oldest = page.at(-1);
        return page.length <= limit || !oldest ? [] : [{ contactId: part.contactId, upToId: oldest.id - 1, second: secondOf(oldest.id) }];
      }),
    );
    const more = next.flat();
    const cut = Math.max(-1, ...more.map(({ second }) => second));
    const whole = once(read.filter(({ id }) => secondOf(id) > cut));
    const shown = newestFirst(beforeId === undefined ? whole : olderThan(whole, beforeId));
    if (more.length === 0 || shown.length >= limit) return shown.slice(0, limit);
    open = more;
  }
};

/** Without what a late delivery stored with a second contact. */
const once = (messages: readonly StoredMessage[]): StoredMessage[] => {
  const seen = new Set<string>();
  return messages.filter(({ contactId, id, wamid, inbound }) => {
    const name = inbound && wamid !== undefined ? wamid : `${contactId} ${id}`;
    return seen.size < seen.add(name).size;
  });
};
