import { notRecounted, recount } from '../../shared/events/recount.ts';
import { secondOf } from '../../shared/runtime/ids.ts';
import type { StoredConversation } from './contract/stored.ts';
import { conversationEntity } from './store/conversation.ts';
import { inboxDayEntity } from './store/inbox-day.ts';

/**
 * Summaries of before did not know when their last message came: the newest is compared by its second. Once a user has read a
 * conversation, its unread count depends on what had arrived by then, so it is compared only before.
 */
const isUnreadComparable = (stored: StoredConversation | undefined): boolean => stored?.readAt === undefined && stored?.unread !== 0;

export const recounts = [
  recount(conversationEntity, {
    facts: ({ lastMessageId, lastInboundAt, unread, inboundAtByNumber = {}, onlyAutomatic = false }, stored) =>
      lastMessageId === 0
        ? undefined
        : [
            secondOf(lastMessageId),
            lastInboundAt ?? 0,
            isUnreadComparable(stored) ? unread : 0,
            Object.entries(inboundAtByNumber).toSorted(([a], [b]) => (a < b ? -1 : 1)),
            onlyAutomatic,
          ],
    fields: (stored) => [
      ...(isUnreadComparable(stored) ? (['unread'] as const) : []),
      'lastMessageId',
      'lastMessageAt',
      'lastArrivedAt',
      'lastInboundAt',
      'lastInboundId',
      'inboundAtByNumber',
      'lastNumberId',
      'lastMessageOf',
      'mergedIds',
      'onlyAutomatic',
    ],
  }),
  // a conversation keeps its last answer alone, so no item says what a day had
  notRecounted(inboxDayEntity),
];
