import * as z from 'zod';
import { type ItemKind, projectionTarget } from '../../../shared/events/react.ts';
import { type ConversationId, storedWindow } from '../../service-window/contract.ts';

/** The summary of a conversation: what a list of conversations shows; a projection of its messages. Times are epoch milliseconds. */
export const storedConversation = storedWindow.extend({
  lastMessageId: z.int(),
  lastMessageAt: z.int(),
  /** When the last message came, where that is known: of messages of one second, the last to come is shown. */
  lastArrivedAt: z.int().optional(),
  unread: z.int().default(0),
  /** Up to when a user read it, by the clocks that stamped its messages, and the newest inbound message then. */
  readAt: z.int().optional(),
  readInboundId: z.int().optional(),
  status: z.enum(['open', 'closed']).default('open'),
  assignedTo: z.int().optional(),
  /** The user who assigned it; none: a program did. */
  assignedBy: z.int().optional(),
  /** Who last read, opened, closed or assigned it. */
  changedBy: z.object({ via: z.string(), userId: z.int().optional(), credentialId: z.int().optional() }).optional(),
  /** A user marked it unread, although every message of it was read. */
  markedUnread: z.boolean().optional(),
  /** Only campaigns and other automatic messages wrote so far: neither the contact nor a caller. Not known of rows of before: they are recounted. */
  onlyAutomatic: z.boolean().optional(),
  /** Since when the contact waits for an answer, and since when there is something to be closed: docs/decisions/inbox-report.md */
  waitingSince: z.int().optional(),
  openedAt: z.int().optional(),
  /** The last answer that ended a wait: when, how long the contact had waited, and who gave it; none: a program did. */
  answered: z.object({ at: z.int(), afterMs: z.int(), userId: z.int().optional() }).optional(),
  /** A user put it away until then; due work of the product brings it back. */
  snoozedUntil: z.int().optional(),
  /** The last campaign that wrote to the contact and when its message was made, and the last one that the contact answered, perhaps with a word of refusal. */
  campaignId: z.int().optional(),
  campaignAt: z.int().optional(),
  answeredCampaign: z
    .object({
      id: z.int(),
      stopped: z.boolean().optional(),
      /** The first answer and its time. Not known of rows of before. */
      at: z.int().optional(),
      messageId: z.int().optional(),
    })
    .optional(),
  /** The contact was deleted: the conversation leaves the list. */
  hidden: z.boolean().optional(),
  /** The contact that this one became part of: its conversation goes on there. */
  mergedInto: z.int().optional(),
  /** The contacts that became part of this one; whose message is the last one, where it is theirs. */
  mergedIds: z.array(z.int()).optional(),
  lastMessageOf: z.int().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredConversation = z.output<typeof storedConversation>;

export const conversationEntityName = 'conversation';
export const conversationTarget = projectionTarget<ConversationId, StoredConversation>(conversationEntityName);

/** For the reactions of all contexts. */
export const conversationKind: ItemKind<StoredConversation> = {
  name: conversationEntityName,
  parse: (raw) => storedConversation.parse(raw),
};
