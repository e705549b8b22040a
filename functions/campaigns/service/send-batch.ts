import { isProblem } from '../../../shared/contract/problems.ts';
import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { sendBlockOf } from '../../account/contract/number-state.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { mayContinue } from '../domain/recipient-batch.ts';
import { getCampaignNumber } from './campaign-number.ts';
import { getCampaign } from '../store/campaign.ts';
import { getRecipientBatch, updateRecipientBatch } from '../store/recipient-batch.ts';
import { recordProgress, releaseLease, remainingRecipients } from './batch-progress.ts';
import type { BatchResult, BatchWork } from './batch-work.ts';
import { continueChain, enqueueBatch, type SendBatchCommand } from './chain.ts';
import { pauseCampaign, pauseStoredCampaign } from './pause-campaign.ts';
import { checkNumberOf } from './restricted-numbers.ts';
import { sendToRecipients } from './send-to-recipients.ts';

/** Longer than a worker can live on one delivery: the queue gives it 60 seconds. */
const leaseMs = 65_000;

/**
 * Sends one batch of a campaign: claims it, sends to the recipients that remain, records the progress and continues the chain with the
 * next batch. See docs/decisions/campaign-recipient-batches.md.
 *
 * `deliveryId` is the id of the queue message and stays the same when SQS delivers it again. A lease under this very id therefore shows
 * that an earlier worker crashed; the recipients' messages then show its progress.
 */
export const sendBatch = async (command: SendBatchCommand, deliveryId: string): Promise<void> => {
  const work = await claimBatch(command, deliveryId);
  if (!work) return;
  const result = await sendToRecipients(work, await remainingRecipients(work));
  await recordProgress(work.batch, result);
  metric('CampaignRecipients', 'Count', work.batch.contactIds.length - result.remaining.length);
  await continueAfter(work, result);
};

/** The batch under a lease of this delivery, with what sending it takes; undefined when this delivery has nothing to send. */
async function claimBatch(command: SendBatchCommand, deliveryId: string): Promise<BatchWork | undefined> {
  const { companyId, campaignId } = command;
  const [campaign, batch] = await Promise.all([
    getCampaign(companyId, campaignId),
    getRecipientBatch(companyId, campaignId, command.batch),
  ]);
  if (!campaign) return undefined;
  if (!batch) return continueWithout(campaign, command);
  const isOwnLease = batch.lease?.deliveryId === deliveryId;
  if (!mayContinue(campaign, command)) {
    if (isOwnLease) await releaseLease(batch);
    return undefined;
  }
  if (batch.done) return continueWithout(campaign, command);
  if (batch.lease && !isOwnLease && batch.lease.until > now()) {
    if (batch.lease.runNumber !== command.runNumber) await enqueueBatch(command, 1_000);
    return undefined;
  }
  const [number, template] = await Promise.all([getCampaignNumber(campaign), getTemplate(companyId, campaign.templateId)]);
  if (isProblem(template) || template.status !== 'APPROVED') {
    await pauseCampaign(companyId, campaignId, 'template_paused');
    return undefined;
  }
  if (!number) {
    await pauseCampaign(companyId, campaignId, 'provider_blocked');
    return undefined;
  }
  if (number.isSuspended) {
    if (isOwnLease) await releaseLease(batch);
    return waitForCompany(command);
  }
  if (sendBlockOf(number, now())) {
    if (isOwnLease) await releaseLease(batch);
    await checkNumberOf(campaign);
    return undefined;
  }
  const claimed = await updateRecipientBatch(batch, {
    lease: { deliveryId, runNumber: command.runNumber, until: now() + leaseMs },
    secondMs: batch.secondMs ?? Math.floor(now() / 1_000) * 1_000,
  });
  if (!claimed.done) throw new Error('Two workers claimed one batch; the queue delivers it again.');
  return {
    command,
    campaign,
    batch: claimed.item,
    number,
    template,
    parameters: templateParameters(template),
    isTakenOver: batch.lease !== undefined,
  };
}

/** The company is suspended: the campaign pauses until it is resumed. A batch that outlives its campaign comes again. */
async function waitForCompany(command: SendBatchCommand): Promise<undefined> {
  const paused = await pauseStoredCampaign(await getCampaign(command.companyId, command.campaignId), 'company_suspended');
  if (!paused) await enqueueBatch(command, suspendedRetryMs);
}

const suspendedRetryMs = 15 * minuteMs;

async function continueWithout(campaign: StoredCampaign, command: SendBatchCommand): Promise<undefined> {
  await continueChain(campaign, command, { skipDone: true });
}

/** A paused or failing campaign starts its chains anew when it is resumed; an unfinished batch comes back by itself. */
async function continueAfter({ campaign, command }: BatchWork, { stoppedBy, remaining, deferred }: BatchResult): Promise<void> {
  if (stoppedBy === 'suspension') return waitForCompany(command);
  if (stoppedBy === 'pause' || stoppedBy === 'failure') return;
  if (remaining.length > 0) return enqueueBatch(command, 500);
  if (deferred.size > 0) await enqueueBatch({ ...command, chainCount: 0 }, Math.min(...deferred.values()) - now());
  await continueChain(campaign, command, { skipDone: false });
}
