import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { feedEvent } from '../../../shared/contract/logged-event.ts';
import { campaignStatuses, pauseReasons } from './stored.ts';

const ended = z.object({
  campaign_id: z.int(),
  name: z.string().meta({ description: 'The name of the campaign.' }),
  audience_count: z.int().meta({ description: 'How many recipients it had.' }),
  at: timestamp.meta({ description: 'When it was completed.' }),
});

export const campaignCompleted = event({
  name: 'campaign.completed',
  purpose: 'Every recipient of a campaign has an outcome',
  logData: ended.omit({ name: true }),
  log: ({ campaign_id, audience_count, at }) => ({
    subject: `campaign:${campaign_id}`,
    // not its name, which may be that of a contact
    data: { campaign_id, audience_count, at },
    by: { kind: 'system' },
  }),
  detail: ended,
});

const paused = z.object({
  campaign_id: z.int(),
  name: z.string().meta({ description: 'The name of the campaign.' }),
  reason: z.enum(pauseReasons).meta({
    description:
      'By a `user`, because of the template, because the provider blocked sending or restricted the number, because the company is suspended, or because a spend ceiling is reached.',
  }),
  at: timestamp.meta({ description: 'When it was paused.' }),
});

export const campaignPaused = event({
  name: 'campaign.paused',
  purpose: 'A campaign was paused, by a user or because it cannot continue',
  log: ({ campaign_id, reason, at }) => ({
    subject: `campaign:${campaign_id}`,
    data: { campaign_id, reason, at },
    by: { kind: reason === 'user' ? 'user' : 'system' },
  }),
  logData: paused.omit({ name: true }),
  detail: paused,
});

const campaignId = z.int().meta({ description: 'The id of the campaign.' });
const count = (description: string) => z.int().meta({ description });

export const campaignProgress = feedEvent({
  types: ['campaign.progress'],
  purpose: 'The counts of a campaign changed: at most one a second',
  data: z.object({
    campaign_id: campaignId,
    audience: count('Recipients in all.'),
    processing: count('Messages that the provider holds for a check.'),
    sent: count('Messages that the provider accepted.'),
    delivered: count('Messages that were delivered.'),
    read: count('Messages that were read.'),
    failed: count('Messages that failed.'),
    ambiguous: count('Messages that the provider never confirmed.'),
    skipped: count('Recipients that were left out.'),
  }),
});

export const campaignUpdated = feedEvent({
  types: ['campaign.updated'],
  purpose: 'A campaign has another status, neither completed nor paused',
  data: z.object({ campaign_id: campaignId, status: z.enum(campaignStatuses).meta({ description: 'The status now.' }) }),
});
