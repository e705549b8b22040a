import * as z from 'zod';
import { ruleOps } from './filter.ts';

export const segmentEntityName = 'segment';

/** Rules with the values that the contract converted. */
const storedRule = z.object({
  field: z.string(),
  op: z.enum(ruleOps),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()]))]).optional(),
});
export const storedFilter = z.object({
  match: z.enum(['all', 'any']),
  rules: z.array(z.union([storedRule, z.object({ match: z.enum(['all', 'any']), rules: z.array(storedRule) })])),
});

/** A segment as stored. Times are epoch milliseconds. */
export const storedSegment = z.object({
  companyId: z.int(),
  id: z.int(),
  rev: z.int(),
  name: z.string(),
  filter: storedFilter,
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type StoredSegment = z.output<typeof storedSegment>;
