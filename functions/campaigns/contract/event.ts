import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { pauseReasons } from './stored.ts';

export const campaignCompleted = event({
  name: 'campaign.completed',
  purpose: 'Every recipient of a campaign has an outcome',
  detail: z.object({ campaign_id: z.int(), name: z.string(), audience_count: z.int(), at: timestamp }),
});

export const campaignPaused = event({
  name: 'campaign.paused',
  purpose: 'A campaign was paused, by a person or because it cannot go on',
  detail: z.object({ campaign_id: z.int(), name: z.string(), reason: z.enum(pauseReasons), at: timestamp }),
});
