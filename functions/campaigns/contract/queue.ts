import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { dueWork } from '../../../shared/events/due.ts';
import { campaignEntityName } from './stored.ts';

const campaign = z.object({ company_id: z.int(), campaign_id: z.int() });

export const campaignBuildsQueue = queue({
  name: 'campaign-builds',
  purpose: 'Campaigns whose audience is to be built, segment by segment, or whose pause may be over, by reference',
  message: campaign,
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

/** Longer than a retry request can run: by then it has started the campaign again, or its process died. */
export const retryCheckDelaySeconds = 45;

/**
 * A batch is a hundred recipients; `chain_count` is the distance to the next batch of its chain, 0 outside any chain. The queue is deployed
 * as `campaign-blocks`.
 */
export const campaignBatchesQueue = queue({
  name: 'campaign-blocks',
  purpose: 'Recipient batches to send, by reference',
  message: campaign.extend({ run_number: z.int(), batch: z.int(), chain_count: z.int() }),
  workSeconds: 60,
  maxReceives: 8,
  takeOverSeconds: 30,
  lateAfterSeconds: 300,
});

export const campaignChecksQueue = queue({
  name: 'campaign-checks',
  purpose:
    'Campaigns that may be complete, retries that may have been cut off, templates, numbers and ceilings that may hold campaigns up, weekly summaries that are due',
  message: z.discriminatedUnion('about', [
    z.object({ about: z.literal('completion'), company_id: z.int(), campaign_id: z.int() }),
    // the batches of single recipients, as messages on the queue name them
    z.object({ about: z.literal('extras'), company_id: z.int(), campaign_id: z.int() }),
    z.object({ about: z.literal('retry'), company_id: z.int(), campaign_id: z.int() }),
    z.object({ about: z.literal('number'), company_id: z.int(), number_id: z.int() }),
    z.object({ about: z.literal('ceilings'), company_id: z.int() }),
    z.object({ about: z.literal('template'), company_id: z.int(), template_id: z.int(), status: z.string() }),
    // of the context `summaries`, which works this queue off: a queue of its own would be polled all week for a minute of work
    z.object({ about: z.literal('weekly_summary'), company_id: z.int(), user_id: z.int(), due_at_ms: z.int() }),
  ]),
  workSeconds: 30,
  maxReceives: 8,
});

/** What of it is about campaigns. */
export type CampaignCheck = Exclude<z.output<typeof campaignChecksQueue.message>, { about: 'weekly_summary' }>;

export const dueCampaign = dueWork({
  name: campaignEntityName,
  purpose: 'A scheduled campaign whose time has come, or a paused one that is to be looked at again',
  queue: campaignBuildsQueue,
  companyOf: (reference) => Number(reference.split(':')[0]),
  message: (reference) => {
    const [company = 0, id = 0] = reference.split(':').map(Number);
    return { company_id: company, campaign_id: id };
  },
});
