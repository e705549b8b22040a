import * as z from 'zod';

/** What an inbound message has beside the fields of every message. */
export const inboundFields = {
  /**
   * What the person sent beyond the text, as the provider writes it: the id of a button or row, a place's name, people, an order, the
   * advertisement that led here. Keys are the provider's own.
   */
  content: z.record(z.string(), z.unknown()).optional(),
  /** The provider's id of the number that was written to: where a receipt goes. */
  phoneNumberId: z.string().optional(),
  /** A word of consent (A52), found when the message came in. */
  keyword: z.enum(['stop', 'start']).optional(),
  /** What the provider charges for a message of ours, from its statuses. */
  pricing: z
    .object({
      billable: z.boolean().optional(),
      model: z.string().optional(),
      type: z.string().optional(),
      category: z.string().optional(),
    })
    .optional(),
};

/** Kinds that say something about the person or another message: they neither open the window nor count as unread. */
const silentSubtypes = new Set(['system', 'edit', 'revoke', 'reaction_removed', 'request_welcome']);

/** Whether a person wrote: what opens the customer service window and waits to be read. */
export const isCustomerMessage = (message: { inbound: boolean; subtype: string }): boolean =>
  message.inbound && !silentSubtypes.has(message.subtype);
