import * as z from 'zod';
import { dueWork } from '../../../shared/events/due.ts';
import { erasuresQueue } from './erasure.ts';

export const retentionEntityName = 'retention';

/** The walk that deletes old messages of a company, as the table holds it. Times are epoch milliseconds. */
export const storedRetention = z.object({
  companyId: z.int(),
  rev: z.int(),
  /** How long messages are kept, when the walk began. */
  days: z.int(),
  /** When the next walk begins. */
  dueAt: z.int(),
  /** The walk has still to look at the contacts with smaller ids; absent between walks. */
  belowId: z.int().optional(),
  /** Messages that the walk deleted so far, or the last one deleted in all. */
  deleted: z.int().default(0),
  /** Counts worker runs; the change stream enqueues the next one. */
  turn: z.int(),
});
export type StoredRetention = z.output<typeof storedRetention>;

export const dueRetention = dueWork({
  name: retentionEntityName,
  purpose: 'The daily walk that deletes messages older than a company keeps them',
  queue: erasuresQueue,
  companyOf: Number,
  message: (reference) => ({ company_id: Number(reference) }),
});
