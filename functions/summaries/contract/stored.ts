import * as z from 'zod';
import { dueWork } from '../../../shared/events/due.ts';
import { campaignChecksQueue } from '../../campaigns/contract/queue.ts';

export const summaryLanguages = ['en', 'de', 'ar'] as const;
export type SummaryLanguage = (typeof summaryLanguages)[number];

export const weeklySummaryEntityName = 'weekly-summary';

/** A user's choice, and where the weeks stand. A week is named by its Monday, a UTC day; times are epoch milliseconds. */
export const storedWeeklySummary = z.object({
  companyId: z.int(),
  userId: z.int(),
  rev: z.int(),
  enabled: z.boolean(),
  language: z.enum(summaryLanguages),
  /** The next week to be summarized, and when its email is due. */
  week: z.string().max(10),
  dueAt: z.int(),
  /** The last week whose email was claimed: no other is sent for it or an earlier one. */
  claimedWeek: z.string().max(10).optional(),
  updatedAt: z.int(),
});
export type StoredWeeklySummary = z.output<typeof storedWeeklySummary>;

/** The reference is `company:user`. */
export const dueSummary = dueWork({
  name: weeklySummaryEntityName,
  purpose: 'The weekly summary of a user who wants it',
  queue: campaignChecksQueue,
  companyOf: (reference) => idsOf(reference)[0],
  message: (reference, dueAtMs) => {
    const [company_id, user_id] = idsOf(reference);
    return { about: 'weekly_summary' as const, company_id, user_id, due_at_ms: dueAtMs };
  },
});

function idsOf(reference: string): [number, number] {
  const [companyId = 0, userId = 0] = reference.split(':').map(Number);
  return [companyId, userId];
}
