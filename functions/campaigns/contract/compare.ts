import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { campaignFunnel, campaignRates, campaignRecord } from './campaign.ts';

export const maxCompared = 100;

/** By what campaigns are compared: the newest or the highest rate first. */
export const comparisonOrders = ['newest', 'delivery', 'read', 'reply', 'opt_out', 'failure'] as const;
export type ComparisonOrder = (typeof comparisonOrders)[number];

const campaignResult = campaignRecord
  .pick({ id: true, name: true, status: true, template: true })
  .extend({
    recipients: z.int().meta({ description: 'All recipients.' }),
    failed: z.int().meta({ description: 'Messages that failed, or whose outcome is not known.' }),
    funnel: campaignFunnel,
    rates: campaignRates,
    started_at: timestamp.meta({ description: 'When the first message was sent.' }),
  })
  .meta({ id: 'CampaignResult', description: 'How far a campaign got.' });
export type CampaignResult = z.output<typeof campaignResult>;

const comparison = z
  .object({
    campaigns: z.array(campaignResult).meta({ description: 'The campaigns, in the order of `sort`.' }),
    is_partial: z.boolean().meta({ description: 'True: there are older ones, which are not compared.' }),
  })
  .meta({ id: 'CampaignComparison' });
export type CampaignComparison = z.output<typeof comparison>;

const query = z.object({
  sort: z
    .enum(comparisonOrders, { error: `Must be one of ${comparisonOrders.join(', ')}.` })
    .default('newest')
    .meta({ description: 'The newest first, or the highest rate.' }),
  template_id: id.optional().meta({ description: 'Only campaigns with this template.' }),
  limit: wholeNumber(1, maxCompared).default(25).meta({ description: 'How many of the newest campaigns are compared.' }),
});
export type ComparisonQuery = z.output<typeof query>;

export const comparisonRoutes = {
  compareCampaigns: route({
    method: 'GET',
    path: '/api/v1/campaigns/comparison',
    summary: 'Compare campaigns',
    description:
      'The newest campaigns that have begun, with how many of their messages were delivered, read, answered or failed, as counts and as rates. Sorted by a rate, the best of them comes first. With `template_id`: where a template was used, and with what result.',
    caller: { kind: 'token', scope: 'campaigns:read', role: 'viewer' },
    limit: 'bulk',
    query,
    answers: { 200: success(comparison) },
    errors: ['validation_failed'],
  }),
};
