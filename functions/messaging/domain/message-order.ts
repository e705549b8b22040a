import { secondOf } from '../../../shared/runtime/ids.ts';
import { compareNewestFirst } from '../contract/message-order.ts';
import type { StoredMessage } from '../contract/stored.ts';

export const newestFirst = (messages: readonly StoredMessage[]): StoredMessage[] => messages.toSorted(compareNewestFirst);

/** The highest id that a message of the same second can have. */
export const lastIdOfSecond = (id: number): number => (secondOf(id) + 1) * 2 ** 21 - 1;

/** The messages that follow the one with `beforeId` in a newest-first walk. `messages` holds all of its second. */
export const olderThan = (messages: readonly StoredMessage[], beforeId: number): StoredMessage[] => {
  const cursor = messages.find(({ id }) => id === beforeId);
  const isOlder = (message: StoredMessage): boolean => (cursor ? compareNewestFirst(cursor, message) < 0 : message.id < beforeId);
  return messages.filter(isOlder);
};
