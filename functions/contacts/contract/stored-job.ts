import * as z from 'zod';
import { storedFilter } from './stored-segment.ts';

/** Apart from the routes, which the worker has no use for. */
export const jobStatuses = ['queued', 'running', 'completed', 'cancelled'] as const;
export const jobFormats = ['csv', 'json'] as const;

export const jobEntityName = 'contact-job';

const ids = z.array(z.int());

/** A job as stored. Times are epoch milliseconds. */
export const storedJob = z.object({
  companyId: z.int(),
  id: z.int(),
  status: z.enum(jobStatuses),
  /** Which contacts: these ids, those that match the rules, or all. */
  contactIds: ids.optional(),
  filter: storedFilter.optional(),
  /** What it changes; absent: it is an export. */
  change: z
    .object({ addGroupIds: ids, removeGroupIds: ids, addTagIds: ids, removeTagIds: ids, enabledAiBot: z.boolean().optional() })
    .optional(),
  format: z.enum(jobFormats).optional(),
  /** Keys of the custom fields that an export has columns for. */
  columns: z.array(z.string()).optional(),
  total: z.int(),
  /** The number of the next slice, and the id below which it begins. */
  slice: z.int(),
  below: z.int(),
  /** The contacts that the slice changes, chosen once, so that a repeated slice has the same counts. */
  chosen: z.object({ ids, below: z.int().optional(), processed: z.int(), matched: z.int() }).optional(),
  counts: z.object({ processed: z.int(), matched: z.int(), changed: z.int(), unchanged: z.int(), missing: z.int() }),
  /** Sizes of the parts of an export, in bytes, and of the files that they were joined to. */
  parts: ids,
  files: ids.optional(),
  createdAt: z.int(),
  finishedAt: z.int().optional(),
});
export type StoredJob = z.output<typeof storedJob>;
