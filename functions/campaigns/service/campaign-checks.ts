import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { endTemplateUse } from '../../templates/service/template-uses.ts';
import { getTemplateUsers } from '../../templates/service/template-uses.ts';
import type { StoredCampaign, StoredStats } from '../contract/stored.ts';
import { openRecipientCount } from '../domain/stats.ts';
import { send } from '../../../shared/queue/send.ts';
import { campaignBatchesQueue } from '../contract/queue.ts';
import { firstSingleRecipientBatch } from '../domain/recipient-batch.ts';
import { listRecipientBatches, getStats } from '../store/recipient-batch.ts';
import { changeCampaign, getCampaign } from '../store/campaign.ts';
import { templateUserOf } from './create-campaign.ts';
import { pauseCampaign } from './pause-campaign.ts';

/**
 * A campaign is complete when every recipient has an outcome (A38), and the counters have seen all that was asked of them: they follow
 * the rows, so a zero that comes before the rows of a retry is none.
 */
export const completeCampaignIfDone = async (companyId: number, campaignId: number): Promise<void> => {
  const [campaign, stats] = await Promise.all([getCampaign(companyId, campaignId), getStats(companyId, campaignId)]);
  if (!campaign || !stats || campaign.status !== 'sending' || !isComplete(campaign, stats)) return;
  const use = { companyId, templateId: campaign.templateId, user: templateUserOf(campaign) };
  const written = await changeCampaign(campaign, { status: 'completed', completedAt: now() }, now(), endTemplateUse(use));
  // somebody moved it at this moment: the next look decides
  if (!written.done) throw new Error('A campaign moved while it was completed.');
  log.info('A campaign is complete', { campaign_id: campaignId, count: campaign.audience });
};

/** After a pause: recipients of their own calls, whose orders were dropped meanwhile. */
export const startSingleRecipientBatches = async (companyId: number, campaignId: number): Promise<void> => {
  for (let from = firstSingleRecipientBatch; ; ) {
    const blocks = await listRecipientBatches(companyId, campaignId, { from, limit: 500, consistent: true });
    await send(
      campaignBatchesQueue,
      blocks
        .filter(({ done }) => !done)
        .map(({ block }) => ({ companyId, message: { company_id: companyId, campaign_id: campaignId, epoch: 0, block, stride: 0 } })),
    );
    const last = blocks.at(-1);
    if (blocks.length < 500 || !last) return;
    from = last.block + 1;
  }
};

/** A template is not approved any more: what uses it rests, and says so. */
export const pauseCampaignsOfTemplate = async (companyId: number, templateId: number, status: string): Promise<void> => {
  if (status === 'APPROVED') return;
  for (const user of await getTemplateUsers(companyId, templateId)) {
    const id = Number(/^campaign:(\d+)$/.exec(user)?.[1]);
    if (id) await pauseCampaign(companyId, id, 'template_paused');
  }
};

const isComplete = (campaign: StoredCampaign, stats: StoredStats): boolean =>
  openRecipientCount(stats) === 0 && stats.audience === campaign.audience && stats.retried >= campaign.retried;
