import { message, reaction, reactionList } from '../../../shared/events/react.ts';
import { consentKeywordsQueue, inboundMediaQueue } from '../contract/inbound-queue.ts';
import { messageKind, type StoredMessage } from '../contract/stored.ts';

/** What follows from an inbound message: keywords are applied and files fetched. */
export const inboundReactions = reactionList({ sendsTo: [consentKeywordsQueue, inboundMediaQueue] }, [
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
]);
