import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { endTemplateUse } from '../../templates/service/template-uses.ts';
import { getTemplateUsers } from '../../templates/service/template-uses.ts';
import type { StoredCampaign, StoredStats } from '../contract/stored.ts';
import { openRecipientCount } from '../domain/stats.ts';
import { send } from '../../../shared/queue/send.ts';
import { campaignBatchesQueue } from '../contract/queue.ts';
import { firstSingleRecipientBatch } from '../domain/recipient-batch.ts';
import { listRecipientBatches } from '../store/recipient-batch.ts';
import { getStats } from '../store/stats.ts';
import { changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { templateUserOf } from './create-campaign.ts';
import { budgetAtEnd, closeBudget } from './campaign-budget.ts';
import { pauseCampaign } from './pause-campaign.ts';

/**
 * A campaign is complete when every recipient has an outcome (A38) and the counters contain all rows. The counters follow the rows, so a
 * zero before the rows of a retry does not count.
 */
export const completeCampaignIfDone = async (companyId: number, campaignId: number): Promise<void> => {
  const [campaign, stats] = await Promise.all([getStoredCampaign(companyId, campaignId), getStats(companyId, campaignId)]);
  if (campaign?.status === 'completed') await closeBudget(campaign);
  if (!campaign || !stats || campaign.status !== 'sending' || !isComplete(campaign, stats)) return;
  const use = { companyId, templateId: campaign.templateId, user: templateUserOf(campaign) };
  const { change, parts } = await budgetAtEnd(campaign);
  const completed = { status: 'completed', completedAt: now(), ...change } as const;
  const written = await changeCampaign(campaign, completed, now(), [...endTemplateUse(use), ...parts]);
  // another request changed the campaign at this moment; the queue delivers the check again
  if (!written.done) throw new Error('A campaign moved while it was completed.');
  log.info('A campaign is complete', { campaign_id: campaignId, count: campaign.audience });
};

/** After a pause, in which the messages of single-recipient batches were dropped, or a retry: enqueues those that are not done. */
export const startSingleRecipientBatches = async (companyId: number, campaignId: number): Promise<void> => {
  for (let from = firstSingleRecipientBatch; ; ) {
    const batches = await listRecipientBatches(companyId, campaignId, { from, limit: 500, consistent: true });
    await send(
      campaignBatchesQueue,
      batches
        .filter(({ done }) => !done)
        .map(({ batch }) => ({
          companyId,
          message: { company_id: companyId, campaign_id: campaignId, run_number: 0, batch, chain_count: 0 },
        })),
    );
    const last = batches.at(-1);
    if (batches.length < 500 || !last) return;
    from = last.batch + 1;
  }
};

/** Pauses the campaigns of a template that is not approved any more. */
export const pauseCampaignsOfTemplate = async (companyId: number, templateId: number, status: string): Promise<void> => {
  if (status === 'APPROVED') return;
  for (const user of await getTemplateUsers(companyId, templateId)) {
    const id = Number(/^campaign:(\d+)$/.exec(user)?.[1]);
    if (id) await pauseCampaign(companyId, id, 'template_paused');
  }
};

const isComplete = (campaign: StoredCampaign, stats: StoredStats): boolean =>
  openRecipientCount(stats) <= 0 && stats.audience === campaign.audience && stats.retried >= campaign.retried;
