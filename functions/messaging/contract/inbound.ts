import * as z from 'zod';

/** Fields that inbound messages have beside those of every message. */
export const inboundFields = {
  /**
   * The parts of the message beyond its text, as the provider writes them: the id of a button or row, a place, contacts, an order, the
   * advertisement that led to the message.
   */
  content: z.record(z.string(), z.unknown()).optional(),
  /** The provider's id of the business number that received the message: read receipts leave from it. */
  phoneNumberId: z.string().optional(),
  /** The provider's post was not signed, because the company has no app secret: it proves nothing about its sender. */
  isUnsigned: z.literal(true).optional(),
  /** When the contact edited or revoked it; `value` and `media` are then what is left of it. */
  editedAt: z.int().optional(),
  revokedAt: z.int().optional(),
  /** An opt-out or opt-in keyword, found when the message came in. */
  keyword: z.enum(['stop', 'start']).optional(),
  /** What the provider charges for a message that was sent, from its statuses. */
  pricing: z
    .object({
      billable: z.boolean().optional(),
      model: z.string().optional(),
      type: z.string().optional(),
      category: z.string().optional(),
      /** What it costs, where the provider posts an amount: with a max price. Micro-units. */
      cost: z.object({ micros: z.int(), currency: z.string() }).optional(),
    })
    .optional(),
};

/** Kinds that are about the sender or about another message: they neither open the window nor count as unread. Nor do messages of a group. */
const silentSubtypes = new Set(['system', 'edit', 'revoke', 'reaction_removed', 'request_welcome']);

/** Whether a contact wrote: such a message opens the customer service window and counts as unread. */
export const isCustomerMessage = (message: { inbound: boolean; subtype: string; content?: Record<string, unknown> | undefined }): boolean =>
  message.inbound && !silentSubtypes.has(message.subtype) && message.content?.['group_id'] === undefined;
