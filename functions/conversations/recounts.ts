import { recount } from '../../shared/events/recount.ts';
import { secondOf } from '../../shared/runtime/ids.ts';
import { conversationEntity } from './store.ts';

/**
 * Messages of one second are ordered by arrival, which no message shows: the newest is compared by its second. Once a user has read a
 * conversation, its unread count depends on what had arrived by then, so it is compared only before.
 */
export const recounts = [
  recount(conversationEntity, {
    facts: ({ lastMessageId, lastInboundAt, unread }, stored) =>
      lastMessageId === 0
        ? undefined
        : [secondOf(lastMessageId), lastInboundAt ?? 0, stored?.readAt === undefined && stored?.unread !== 0 ? unread : 0],
    fields: [
      'lastMessageId',
      'lastMessageAt',
      'lastInboundAt',
      'lastInboundId',
      'inboundAtByNumber',
      'lastNumberId',
      'lastMessageOf',
      'mergedIds',
    ],
  }),
];
