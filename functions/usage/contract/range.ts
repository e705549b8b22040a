import * as z from 'zod';
import { day } from '../../../shared/contract/day.ts';

/** The longest range, in days. */
export const maxUsageDays = 92;

export const usageQuery = z.object({
  from: day.optional().meta({ description: 'The first UTC day; default: 29 days before the last.' }),
  to: day.optional().meta({ description: 'The last UTC day, included; default: today.' }),
});
export type UsageQuery = z.output<typeof usageQuery>;
