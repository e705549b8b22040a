import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { projectionTarget } from '../../../shared/events/react.ts';
import { channels } from '../../verification/contract/stored.ts';

/** What a company used, by UTC day: docs/decisions/usage-by-day.md */

export const usagePartEntityName = 'usage-part';

/** What some shards of the change stream counted of a day; the sum of a day's parts is what is shown. Alone it may be negative. */
export const storedUsagePart = z.object({
  companyId: z.int(),
  day: z.string(),
  part: z.int().default(0),
  /** Counts by what is counted: functions/account/domain/usage.ts */
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
export const usageVerificationStatuses = ['verified', 'expired', 'failed', 'blocked'] as const;
export type UsageVerificationStatus = (typeof usageVerificationStatuses)[number];

/** The longest range, in days. */
export const maxUsageDays = 92;

const date = z.string().meta({ format: 'date', example: '2026-11-21' });

const figures = {
  messages: z
    .array(
      z.object({
        category: z.enum(usageCategories).meta({ description: 'As the provider priced it; unknown: a template that it did not price.' }),
        status: z.enum(usageStatuses).meta({ description: 'delivered (read or not), failed, or ambiguous: no result is known.' }),
        billable: z.boolean().nullable().meta({ description: 'Whether the provider charges for it; null: it did not say.' }),
        count: z.int().meta({ description: 'How many messages.' }),
      }),
    )
    .meta({ description: 'Outbound messages that have an outcome; verification codes are not among them.' }),
  verifications: z
    .array(
      z.object({
        channel: z.enum(channels).meta({ description: 'The channel of the code.' }),
        status: z.enum(usageVerificationStatuses).meta({ description: 'How the request ended.' }),
        count: z.int().meta({ description: 'How many requests.' }),
        codes: z.int().meta({ description: 'How many codes were sent for them.' }),
      }),
    )
    .meta({ description: 'Verification requests that have ended, without test requests.' }),
};

export const usageRecord = z
  .object({
    from: date.meta({ description: 'The first day.' }),
    to: date.meta({ description: 'The last day.' }),
    timezone: z.literal('UTC').meta({ description: 'Days begin at midnight UTC.' }),
    totals: z.object(figures).meta({ description: 'The sums of the range.' }),
    days: z
      .array(z.object({ date: date.meta({ description: 'The UTC day.' }), ...figures }))
      .meta({ description: 'Every day of the range, in order; on a day without use the lists are empty.' }),
  })
  .meta({ id: 'Usage', description: 'What the company used, by UTC day.' });
export type UsageRecord = z.output<typeof usageRecord>;
export type UsageFigures = UsageRecord['totals'];

/** Verification requests that ended on a UTC day. */
export interface VerificationCount {
  date: string;
  /** Null of requests that were counted before counts named a profile. */
  profileId: string | null;
  status: string;
  count: number;
}

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

export const usageRoutes = {
  getUsage: route({
    method: 'GET',
    path: '/api/v1/usage',
    summary: 'Get what the company used by day',
    description: `Messages by category, outcome and whether the provider charges, and verification requests by channel, for each UTC day of a range of up to ${maxUsageDays} days. A message counts on the day of its last attempt, once it was delivered or has failed; one on its way is not counted yet. The provider posts no amounts: the cost is the count times the price list of your account. Figures follow within seconds and stay when contacts are erased.`,
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    query: usageQuery,
    answers: { 200: success(usageRecord) },
    errors: ['validation_failed'],
  }),
};
