import * as z from 'zod';
import { inboundFields } from './inbound.ts';

/** The stored message, for reactions of other contexts. */

/** Codes of specification 1§2. */
export const messageStatuses = { scheduled: 0, sending: 1, sent: 2, delivered: 3, read: 4, failed: 5, processing: 6 } as const;
export const messageTypes = { text: 1, media: 2, location: 3, flowReply: 5 } as const;

export const messageEntityName = 'message';

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** The file of a message: a link of the caller's, or an object in our bucket (`key`), in or out. */
export const messageMedia = z.object({
  kind: z.enum(mediaKinds),
  url: z.string().optional(),
  key: z.string().optional(),
  mime: z.string().optional(),
  size: z.int().optional(),
  sha256: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  /** The provider's id of the file; an inbound one is good for seven days. */
  providerId: z.string().optional(),
});
export type MessageMedia = z.output<typeof messageMedia>;

export const messageError = z.object({ code: z.union([z.int(), z.string()]), title: z.string(), details: z.string().optional() });

/** A message as the table holds it; times are epoch milliseconds. */
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
  /** The provider's id of a person whose phone it does not tell (A2); only where there is no phone. */
  userId: z.string().optional(),
  numberId: z.int().optional(),
  operationId: z.string().optional(),
  wamid: z.string().optional(),
  /** Of tries that failed before a retry: what is still told of them changes nothing. */
  pastWamids: z.array(z.string()).optional(),
  attempt: z.int().default(0),
  claimedAt: z.int().optional(),
  dueAt: z.int().optional(),
  ambiguous: z.boolean().optional(),
  error: messageError.optional(),
  note: messageError.optional(),
  sentAt: z.int().optional(),
  deliveredAt: z.int().optional(),
  readAt: z.int().optional(),
  failedAt: z.int().optional(),
  contextWamid: z.string().optional(),
  media: messageMedia.optional(),
  /** What is sent to the provider, as JSON, without recipient and reference; absent for a plain text, whose value is all. */
  payload: z.string().optional(),
  /** Outbound templates: looked at again when a scheduled one is sent. */
  template: z.object({ name: z.string(), language: z.string() }).optional(),
  lane: z.enum(['code', 'direct', 'campaign']).optional(),
  /** The campaign it belongs to, and in which block of it the recipient stands; `extra`: asked for one by one (campaigns/send). */
  campaign: z.object({ id: z.int(), batch: z.int(), isSingleRecipient: z.literal(true).optional() }).optional(),
  /** What the provider sent, for kinds that are not taken apart yet. */
  raw: z.string().optional(),
  ...inboundFields,
  createdAt: z.int(),
  /** When an inbound message reached us; its own time has whole seconds only. */
  arrivedAt: z.int().optional(),
  updatedAt: z.int(),
});
export type StoredMessage = z.output<typeof storedMessage>;
