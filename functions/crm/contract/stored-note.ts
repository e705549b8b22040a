import { storedActivity } from './stored-activity.ts';
import * as z from 'zod';

/** A note as the table holds it; in a module of its own, which nothing that sends may reach. */
export const noteEntityName = 'note';

export const storedNote = z.object({
  companyId: z.int(),
  leadId: z.int(),
  contactId: z.int(),
  id: z.int(),
  body: z.string(),
  messageId: z.int().optional(),
  authorId: z.int(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
  /** Incremented by every change of the text; the condition of the next one. */
  version: z.int().optional(),
  log: z.array(storedActivity),
});
export type Note = z.output<typeof storedNote>;
