import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { route } from '../../../shared/contract/route.ts';
import { messageFigures } from '../../messaging/contract/usage.ts';
import { maxUsageDays, usageQuery } from '../../usage/contract/range.ts';
import { verificationFigures } from '../../verification/contract/usage.ts';

const date = z.string().meta({ format: 'date', example: '2026-11-21' });

const figures = { messages: messageFigures, verifications: verificationFigures };

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

export const usageRoutes = {
  getUsage: route({
    method: 'GET',
    path: '/api/v1/usage',
    summary: 'Get what the company used by day',
    description: `Messages by category, outcome and whether the provider charges, and verification requests by channel, for each UTC day of a range of up to ${maxUsageDays} days. A message counts on the day of its last attempt, once it was delivered or has failed; one on its way is not counted yet. The provider posts no amounts: the cost is the count times the price list of your account. Figures follow within seconds and stay when contacts are erased.`,
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    query: usageQuery,
    answers: { 200: success(usageRecord) },
    errors: ['validation_failed'],
  }),
};
