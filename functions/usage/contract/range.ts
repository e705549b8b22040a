import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';

/** The longest range, in days. */
export const maxUsageDays = 92;

const isDate = (value: string): boolean => {
  const at = Date.parse(`${value}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
};
const day = text(10, 1).refine(isDate, { error: 'Must be a date such as 2026-11-21.' });

export const usageQuery = z.object({
  from: day.optional().meta({ description: 'The first UTC day; default: 29 days before the last.' }),
  to: day.optional().meta({ description: 'The last UTC day, included; default: today.' }),
});
export type UsageQuery = z.output<typeof usageQuery>;
