import { message, reaction, reactionList } from '../../../shared/events/react.ts';
import { conversationKind, type StoredConversation } from '../../conversations/contract/stored.ts';
import { consentKeywordsQueue, inboundMediaQueue, readReceiptsQueue } from '../contract/inbound-queue.ts';
import { messageKind, type StoredMessage } from '../contract/stored.ts';

/** What follows from an inbound message: keywords are applied and files fetched. From a read conversation: a read receipt. */
export const inboundReactions = reactionList({ sendsTo: [consentKeywordsQueue, inboundMediaQueue, readReceiptsQueue] }, [
  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (before || !after) return [];
    const { companyId } = after;
    const reference = { company_id: companyId, contact_id: after.contactId, message_id: after.id };
    const isToFetch =
      after.wamid !== undefined && after.attempt === 0 && after.media?.providerId !== undefined && after.media.key === undefined;
    return [
      ...(after.keyword ? [message(consentKeywordsQueue, companyId, reference)] : []),
      ...(isToFetch ? [message(inboundMediaQueue, companyId, reference)] : []),
    ];
  }),

  reaction<StoredConversation>(conversationKind, ({ before, after }) => {
    const readTo = after?.readInboundId;
    if (!after || readTo === undefined || readTo === before?.readInboundId) return [];
    return [message(readReceiptsQueue, after.companyId, { company_id: after.companyId, contact_id: after.contactId, message_id: readTo })];
  }),
]);
