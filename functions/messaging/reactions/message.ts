import { emitEvent, logEvent, message, reaction, type Consequence, reactionList } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { isHeldByProvider } from '../contract/held.ts';
import { messageFailed, messageReceived, messageStatus } from '../contract/event.ts';
import { ambiguousAfterSeconds, unconfirmedSendsQueue } from '../contract/queue.ts';
import { messageStatuses, messageKind, type StoredMessage } from '../contract/stored.ts';

/**
 * What follows from a message's change: a claim is checked two minutes later, which covers a crash between claim and result, and the events
 * `message.received` and `message.status`.
 */
export const messageReactions = reactionList({ sendsTo: [unconfirmedSendsQueue] }, [
  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (!after) return [];
    const consequences: Consequence[] = [];
    const isClaim = after.status === messageStatuses.sending && (before?.status !== after.status || before.attempt !== after.attempt);
    // a campaign checks the claims of its batches itself; only sends that are known to be ambiguous are checked here
    const isUnknown = after.status === messageStatuses.processing && after.ambiguous === true && before?.ambiguous !== true;
    if (isClaim || isUnknown) {
      const reference = { company_id: after.companyId, contact_id: after.contactId, message_id: after.id, attempt: after.attempt };
      consequences.push(message(unconfirmedSendsQueue, after.companyId, reference, ambiguousAfterSeconds));
    }
    const common = { message_id: after.id, contact_id: after.contactId, conversation_id: after.contactId, wamid: after.wamid ?? null };
    if (!before && after.inbound) {
      consequences.push(
        emitEvent(messageReceived, after.companyId, { ...common, type: after.type, received_at: isoTime(after.createdAt) }),
      );
    } else if (!after.inbound && before && hasNewStatus(before, after)) {
      consequences.push(
        emitEvent(messageStatus, after.companyId, {
          ...common,
          status: after.status,
          ambiguous: after.ambiguous ?? false,
          held: isHeldByProvider(after),
          at: isoTime(after.updatedAt),
        }),
      );
      // delivered and read are seen in the conversation; a campaign's own log line has its failures
      if (after.status === messageStatuses.failed && !after.campaign)
        consequences.push(
          logEvent(messageFailed, after.companyId, {
            subject: `conversation:${after.contactId}`,
            data: {
              message_id: after.id,
              contact_id: after.contactId,
              code: after.error?.code ?? null,
              ambiguous: after.ambiguous ?? false,
            },
            by: { kind: 'provider' },
          }),
        );
    }
    return consequences;
  }),
]);

/** Also where the provider no longer holds it back: it stays sent. */
const hasNewStatus = (before: StoredMessage, after: StoredMessage): boolean =>
  before.status !== after.status || isHeldByProvider(before) !== isHeldByProvider(after);
