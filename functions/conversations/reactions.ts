import { actorOf } from '../../shared/contract/logged-event.ts';
import {
  type Consequence,
  logEvent,
  message,
  moveInCounter,
  project,
  projectPart,
  reaction,
  reactionList,
} from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { contactWrote } from '../contacts/contract/evidence.ts';
import { reachabilityQueue } from '../contacts/contract/phone-check.ts';
import { contactKind, type StoredContact } from '../contacts/contract/stored.ts';
import { readReceiptsQueue } from '../messaging/contract/inbound-queue.ts';
import { messageStatuses, messageKind, type StoredMessage } from '../messaging/contract/stored.ts';
import { conversationNoted, conversationUpdated } from './contract/event.ts';
import { inboxDayTarget } from './contract/report.ts';
import { storedConversationNote, conversationNoteEntityName, type ConversationNote } from './contract/stored-note.ts';
import { conversationEntityName, conversationTarget, conversationKind, type StoredConversation } from './contract/stored.ts';
import { isListed, isUnread, applyContact, applyMerged, applyMessage, countedCellOf } from './domain/conversation.ts';
import { reportedBy, withReported } from './domain/report.ts';

/** A conversation's head follows from its messages and its contact; the company's total and the counts of its inbox follow from the heads. */
export const reactions = reactionList({ sendsTo: [readReceiptsQueue, reachabilityQueue] }, [
  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    const isScheduled = (message: StoredMessage | undefined): boolean =>
      message?.status === messageStatuses.scheduled && message.attempt === 0;
    const appears = after && !isScheduled(after) && (!before || isScheduled(before));
    return appears ? [project(conversationTarget, idOf(after), (row) => applyMessage(row, after))] : [];
  }),

  reaction<StoredContact>(contactKind, ({ before, after }) => {
    const isGone = (contact: StoredContact | undefined): boolean => contact?.deletedAt !== undefined;
    if (!before || !after || isGone(before) === isGone(after)) return [];
    const hidden = isGone(after);
    return [project(conversationTarget, { companyId: after.companyId, contactId: after.id }, (row) => applyContact(row, after, hidden))];
  }),

  reaction<StoredConversation>(conversationKind, ({ before, after }) => {
    const companyId = (after ?? before)?.companyId;
    const [from, to] = [before, after].map((summary) => (summary && isListed(summary) ? countedCellOf(summary) : undefined));
    const counted = from === to || companyId === undefined ? [] : [moveInCounter(companyId, conversationEntityName, from, to)];
    return [
      ...counted,
      ...merged(before, after),
      ...logged(before, after),
      ...receipt(before, after),
      ...evidence(before, after),
      ...reported(before, after),
    ];
  }),

  reaction<ConversationNote>(
    { name: conversationNoteEntityName, parse: (raw) => storedConversationNote.parse(raw) },
    ({ before, after }) => {
      if (!after || before?.updatedAt === after.updatedAt) return [];
      const { companyId, contactId, id, deletedAt } = after;
      const state = deletedAt !== undefined ? ('deleted' as const) : before ? ('updated' as const) : ('created' as const);
      const data = { conversation_id: contactId, note_id: id, state };
      const by = actorOf(after.changedBy);
      return [logEvent(conversationNoted, companyId, { subject: `conversation:${contactId}`, data, by })];
    },
  ),
]);

/** A merged contact's conversation, and what comes late to it, is part of the other one's. */
function merged(before: StoredConversation | undefined, after: StoredConversation | undefined): Consequence[] {
  if (after?.mergedInto === undefined) return [];
  const { companyId, mergedInto: contactId } = after;
  const was = before?.mergedInto === undefined ? undefined : before;
  return [project(conversationTarget, { companyId, contactId }, (row) => applyMerged(row, was, after, contactId))];
}

/** What a user did to a conversation; that one is open again, because its contact wrote, or because the time until which it was put away is over. */
function logged(before: StoredConversation | undefined, after: StoredConversation | undefined): Consequence[] {
  if (!before || !after) return [];
  const stateOf = ({ status, assignedTo, markedUnread, readAt, snoozedUntil }: StoredConversation): string =>
    JSON.stringify([status, assignedTo ?? 0, markedUnread ?? false, readAt ?? 0, snoozedUntil ?? 0]);
  if (stateOf(before) === stateOf(after)) return [];
  const { companyId, contactId, status, assignedTo, snoozedUntil } = after;
  const data = {
    conversation_id: contactId,
    status,
    assigned_to: assignedTo ?? null,
    is_unread: isUnread(after),
    snoozed_until: snoozedUntil === undefined ? null : isoTime(snoozedUntil),
  };
  const isByContact = after.lastInboundId !== before.lastInboundId;
  const by = isByContact ? ({ kind: 'customer' } as const) : actorOf(after.changedBy);
  return [logEvent(conversationUpdated, companyId, { subject: `conversation:${contactId}`, data, by })];
}

/** Waits that ended, and closings, for the report of their days. */
function reported(before: StoredConversation | undefined, after: StoredConversation | undefined): Consequence[] {
  if (!after) return [];
  const { companyId } = after;
  return reportedBy(before, after).map(({ day, cells }) =>
    projectPart({ part: inboxDayTarget }, { companyId, day }, (row) => withReported(row, { companyId, day }, cells)),
  );
}

/** The provider shows the contact that its messages were read. */
function receipt(before: StoredConversation | undefined, after: StoredConversation | undefined): Consequence[] {
  const readTo = after?.readInboundId;
  if (!after || readTo === undefined || readTo === before?.readInboundId) return [];
  return [message(readReceiptsQueue, after.companyId, { company_id: after.companyId, contact_id: after.contactId, message_id: readTo })];
}

/** That the contact wrote is seen here, in a row that is written anyway. */
function evidence(before: StoredConversation | undefined, after: StoredConversation | undefined): Consequence[] {
  const at = after?.lastInboundAt;
  if (!after || at === undefined || at === before?.lastInboundAt) return [];
  return contactWrote(after.companyId, after.contactId, at, before?.lastInboundAt ?? 0);
}

const idOf = ({ companyId, contactId }: { companyId: number; contactId: number }) => ({ companyId, contactId });
