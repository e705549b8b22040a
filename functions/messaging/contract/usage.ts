import * as z from 'zod';
import type { Cells } from '../../../shared/events/recount.ts';

/** How outbound messages are counted: the cells of usage that they are in, and what the API shows of them. */

/** What the provider names; any other word is `other`. `unknown`: a template that failed before the provider named it. */
export const usageCategories = [
  'marketing',
  'marketing_lite',
  'utility',
  'authentication',
  'authentication_international',
  'service',
  'referral_conversion',
  'other',
  'unknown',
] as const;
export type UsageCategory = (typeof usageCategories)[number];
export const usageStatuses = ['delivered', 'failed', 'ambiguous'] as const;
export type UsageStatus = (typeof usageStatuses)[number];

export const messageFigures = z
  .array(
    z
      .object({
        category: z.enum(usageCategories).meta({ description: 'As the provider priced it; unknown: a template that it did not price.' }),
        status: z.enum(usageStatuses).meta({ description: 'delivered (read or not), failed, or ambiguous: no result is known.' }),
        billable: z.boolean().nullable().meta({ description: 'Whether the provider charges for it; null: it did not say.' }),
        count: z.int().meta({ description: 'How many messages.' }),
      })
      .meta({ id: 'MessageUsage' }),
  )
  .meta({ description: 'Outbound messages that have an outcome; verification codes are not among them.' });
export type MessageFigures = z.output<typeof messageFigures>;

const billables = [
  { billable: true, code: 'y' },
  { billable: false, code: 'n' },
  { billable: null, code: '-' },
] as const;

export const messageCell = (category: UsageCategory, status: UsageStatus, billable: (typeof billables)[number]['code']): string =>
  `m/${category}/${status}/${billable}`;

/** Cells as the API shows them, in the order of the contract. */
export const messageFiguresOf = (cells: Cells): MessageFigures =>
  usageCategories.flatMap((category) =>
    usageStatuses.flatMap((status) =>
      billables.flatMap(({ billable, code }) => {
        const count = cells[messageCell(category, status, code)] ?? 0;
        return count === 0 ? [] : [{ category, status, billable, count }];
      }),
    ),
  );
