import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';

/** What a company used, by UTC day: docs/decisions/usage-by-day.md */

export const usagePartEntityName = 'usage-part';

/** What some shards of the change stream counted of a day; the sum of a day's parts is what is shown. Alone it may be negative. */
export const storedUsagePart = z.object({
  companyId: z.int(),
  day: z.string(),
  part: z.int().default(0),
  /** Counts by what is counted: the contexts that count give a cell its name, which begins with its kind. */
  cells: z.record(z.string(), z.int()),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredUsagePart = z.output<typeof storedUsagePart>;

export interface UsageDayId {
  companyId: number;
  day: string;
}
export const usagePartTarget = projectionTarget<UsageDayId & { part: number }, StoredUsagePart>(usagePartEntityName);

/**
 * The kinds of cells: messages with what they were charged as and what goes back to ceilings; verification requests with their codes. Cells of a
 * group come from the same items, which the first counts.
 */
export const cellGroups = ['m$ab', 'vc'] as const;
