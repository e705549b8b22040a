import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { pauseReasons } from './stored.ts';

export const campaignCompleted = event({
  name: 'campaign.completed',
  purpose: 'Every recipient of a campaign has an outcome',
  log: ({ campaign_id, audience_count, at }) => ({
    subject: `campaign:${campaign_id}`,
    // not its name, which may be that of a contact
    data: { campaign_id, audience_count, at },
    by: { kind: 'system' },
  }),
  detail: z.object({
    campaign_id: z.int(),
    name: z.string().meta({ description: 'The name of the campaign.' }),
    audience_count: z.int().meta({ description: 'How many recipients it had.' }),
    at: timestamp.meta({ description: 'When it was completed.' }),
  }),
});

export const campaignPaused = event({
  name: 'campaign.paused',
  purpose: 'A campaign was paused, by a user or because it cannot continue',
  log: ({ campaign_id, reason, at }) => ({
    subject: `campaign:${campaign_id}`,
    data: { campaign_id, reason, at },
    by: { kind: reason === 'user' ? 'user' : 'system' },
  }),
  detail: z.object({
    campaign_id: z.int(),
    name: z.string().meta({ description: 'The name of the campaign.' }),
    reason: z.enum(pauseReasons).meta({
      description:
        'By a `user`, because of the template, because the provider blocked sending or restricted the number, or because the company is suspended.',
    }),
    at: timestamp.meta({ description: 'When it was paused.' }),
  }),
});
