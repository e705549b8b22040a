import * as z from 'zod';
import type { ItemKind } from '../../../shared/events/react.ts';
import { storedMedia } from '../../media/contract/stored.ts';
import { inboundFields } from './inbound.ts';

/** The stored message, as reactions of other contexts read it. */

/** Codes of the API's `status` and `message_type`. */
export const messageStatuses = { scheduled: 0, sending: 1, sent: 2, delivered: 3, read: 4, failed: 5, processing: 6 } as const;
export const messageTypes = { text: 1, media: 2, location: 3, flowReply: 5 } as const;

export const messageEntityName = 'message';

export const messageError = z.object({ code: z.union([z.int(), z.string()]), title: z.string(), details: z.string().optional() });

/** A message as the table stores it; times are epoch milliseconds. */
export const storedMessage = z.object({
  companyId: z.int(),
  contactId: z.int(),
  id: z.int(),
  inbound: z.boolean(),
  type: z.int(),
  subtype: z.string(),
  value: z.string(),
  status: z.int(),
  rev: z.int().default(0),
  phone: z.string().optional(),
  /** The provider's id of a recipient whose phone is hidden; only where there is no phone. */
  userId: z.string().optional(),
  numberId: z.int().optional(),
  operationId: z.string().optional(),
  wamid: z.string().optional(),
  /** The provider's ids of attempts before a retry: late statuses of those change nothing. */
  pastWamids: z.array(z.string()).optional(),
  attempt: z.int().default(0),
  claimedAt: z.int().optional(),
  dueAt: z.int().optional(),
  /** Since when a spend ceiling has not allowed it: it is tried again for a day. */
  limitedSince: z.int().optional(),
  ambiguous: z.boolean().optional(),
  /** What ceilings took for the attempt that the provider accepted, and for earlier ones, which failed: `takenText`. */
  taken: z.string().optional(),
  takenBefore: z.array(z.string()).optional(),
  error: messageError.optional(),
  note: messageError.optional(),
  /** When the provider accepted it and held it back: it is sent later, which sets `sentAt`, or dropped. */
  heldAt: z.int().optional(),
  sentAt: z.int().optional(),
  deliveredAt: z.int().optional(),
  readAt: z.int().optional(),
  failedAt: z.int().optional(),
  contextWamid: z.string().optional(),
  media: storedMedia.optional(),
  /** The provider's payload as JSON, without recipient and reference; absent for a plain text, which `value` holds. */
  payload: z.string().optional(),
  /** The template of an outbound message: a scheduled one is checked again when it is sent. */
  template: z.object({ name: z.string(), language: z.string() }).optional(),
  /** Goes to no contact that opted out, whatever the template's category: checked again when it is sent. */
  requiresConsent: z.literal(true).optional(),
  /** Direct where absent. */
  priority: z.enum(['code', 'direct', 'campaign']).optional(),
  /** The campaign and its recipient batch; `isSingleRecipient`: added by a call of its own (sendToContact). */
  campaign: z.object({ id: z.int(), batch: z.int(), isSingleRecipient: z.literal(true).optional() }).optional(),
  /** Who sent it, where a call or the product itself did; a campaign's message names its campaign. */
  sentBy: z.object({ via: z.enum(['api', 'system']), userId: z.int().optional(), tokenId: z.int().optional() }).optional(),
  /** The user who takes over the conversation by it, if no user has it (company setting `assign_on_reply`). */
  assignsTo: z.int().optional(),
  /** The provider's payload, for kinds that are not parsed yet. */
  raw: z.string().optional(),
  ...inboundFields,
  createdAt: z.int(),
  /** When an inbound message was received; its own time has whole seconds only. */
  arrivedAt: z.int().optional(),
  updatedAt: z.int(),
});
export type StoredMessage = z.output<typeof storedMessage>;

/** For the reactions of all contexts. */
export const messageKind: ItemKind<StoredMessage> = { name: messageEntityName, parse: (raw) => storedMessage.parse(raw) };
