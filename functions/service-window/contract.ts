import * as z from 'zod';
import { tenant } from '../../shared/table/schema.ts';

/** The part of a conversation's summary that says when its contact wrote; epoch milliseconds. */
export const storedWindow = z.object({
  companyId: z.int(),
  contactId: z.int(),
  lastInboundAt: z.int().optional(),
  /** By number: when the contact last wrote to it, which opens the window of that number. */
  inboundAtByNumber: z.record(z.string(), z.int()).optional(),
  lastNumberId: z.int().optional(),
  /** The contact's newest message. */
  lastInboundId: z.int().optional(),
});
export type StoredWindow = z.output<typeof storedWindow>;

export interface ConversationId {
  companyId: number;
  contactId: number;
}

/** The row has one key for both contexts: conversations stores it, this one reads its part. */
export const conversationKey = ({ companyId, contactId }: ConversationId) => ({ pk: `${tenant(companyId)}#CV#${contactId}`, sk: 'HEAD' });
