import { randomUUID } from 'node:crypto';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { sendBlockOf } from '../../account/contract/number-state.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import type { SpendLimit } from '../../messaging/service/send-slots.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { PauseReason, StoredCampaign } from '../contract/stored.ts';
import { mayContinue } from '../domain/recipient-batch.ts';
import { getCampaignNumber } from './campaign-number.ts';
import { getStoredCampaign } from '../store/campaign.ts';
import { getRecipientBatch, updateRecipientBatch } from '../store/recipient-batch.ts';
import { checkClaims, recordProgress, remainingRecipients, whileLeased } from './batch-progress.ts';
import type { BatchResult, BatchWork } from './batch-work.ts';
import { continueChain, enqueueBatch, type SendBatchCommand } from './chain.ts';
import { failAfterWaiting } from './held-recipient.ts';
import { pauseStoredCampaign } from './pause-campaign.ts';
import { checkNumberOf } from './restricted-numbers.ts';
import { pauseAtCeiling } from './spend-limits.ts';
import { sendToRecipients } from './send-to-recipients.ts';

/**
 * A worker starts its last send within 30 seconds and is done within this time. One that is not loses its lease, and sends nothing twice by it:
 * what it has claimed is held.
 */
const leaseMs = 50_000;

/**
 * Sends one batch of a campaign: claims it, sends to the recipients that remain, records the progress and continues the chain with the
 * next batch. See docs/decisions/campaign-recipient-batches.md.
 *
 * `deliveryId` is the id of the queue message and stays the same when SQS delivers it again, after a crash or beside the first delivery. So a
 * lease under this very id is waited for; once it has ended, the recipients' messages show the progress of its worker.
 */
export const sendBatch = async (command: SendBatchCommand, deliveryId: string): Promise<void> => {
  const work = await claimBatch(command, deliveryId);
  if (!work) return;
  const result = await whileLeased(work.batch, async () => {
    const sent = await sendToRecipients(work, await remainingRecipients(work));
    await recordProgress(work.batch, sent);
    return sent;
  });
  metric('CampaignRecipients', 'Count', work.batch.contactIds.length - result.remaining.length);
  await continueAfter(work, result);
};

/** The batch under a lease of this delivery, with what sending it takes; undefined when this delivery has nothing to send. */
async function claimBatch(command: SendBatchCommand, deliveryId: string): Promise<BatchWork | undefined> {
  const { companyId, campaignId } = command;
  const [campaign, batch] = await Promise.all([
    getStoredCampaign(companyId, campaignId),
    getRecipientBatch(companyId, campaignId, command.batch),
  ]);
  if (!campaign) return undefined;
  if (!batch) return continueWithout(campaign, command);
  const { lease } = batch;
  const isLeased = lease !== undefined && lease.until > now();
  // the worker of another delivery of this message: running, or crashed
  if (isLeased && lease.deliveryId === deliveryId) return enqueueBatch(command, lease.until - now() + 1_000).then(() => undefined);
  if (!mayContinue(campaign, command)) {
    if (lease && !isLeased) await checkClaims(batch);
    return undefined;
  }
  if (batch.done) return continueWithout(campaign, command);
  if (isLeased) {
    if (lease.runNumber !== command.runNumber) await enqueueBatch(command, 1_000);
    return undefined;
  }
  const [number, template] = await Promise.all([getCampaignNumber(campaign), getTemplate(companyId, campaign.templateId)]);
  const block = blockOf(number, template);
  if (block || !number || isProblem(template)) {
    if (lease) await checkClaims(batch);
    return holdBatch(command, block ?? 'provider_blocked');
  }
  const claimed = await updateRecipientBatch(batch, {
    lease: { deliveryId, workerId: randomUUID(), runNumber: command.runNumber, until: now() + leaseMs },
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
    isTakenOver: lease !== undefined,
  };
}

/** Why nothing of the campaign can be sent now: what its pause says. */
function blockOf(
  number: BusinessNumber | undefined,
  template: StoredTemplate | Problem<'not_found'>,
): Exclude<PauseReason, 'user'> | undefined {
  if (isProblem(template) || template.status !== 'APPROVED') return 'template_paused';
  if (!number) return 'provider_blocked';
  if (number.isSuspended) return 'company_suspended';
  return sendBlockOf(number, now()) ? 'number_restricted' : undefined;
}

/**
 * The campaign pauses, and starts its batches again when it is resumed. One that is over cannot pause: its batch, of a single recipient, comes
 * again, and after a day its message says why it was not sent. While the company is suspended it comes again without end, as scheduled messages do.
 */
async function holdBatch(command: SendBatchCommand, reason: Exclude<PauseReason, 'user'>): Promise<undefined> {
  const { companyId, campaignId } = command;
  const campaign = await getStoredCampaign(companyId, campaignId);
  if (!campaign || campaign.status === 'deleted') return;
  const isPaused =
    reason === 'number_restricted'
      ? (await checkNumberOf(campaign)) === 'paused'
      : (await pauseStoredCampaign(campaign, reason)) !== undefined;
  if (isPaused || (reason !== 'company_suspended' && (await failAfterWaiting(command, reason)))) return;
  await enqueueBatch(command, heldRetryMs);
}

/** The campaign pauses at a ceiling. One that is over cannot: its batch, of a single recipient, comes again for a day. */
async function holdAtCeiling(campaign: StoredCampaign, command: SendBatchCommand, limit: SpendLimit): Promise<undefined> {
  if ((await pauseAtCeiling(campaign, limit)) === 'paused') return;
  if (!(await failAfterWaiting(command, 'spend_limit'))) await enqueueBatch(command, heldRetryMs);
}

const heldRetryMs = 15 * minuteMs;

async function continueWithout(campaign: StoredCampaign, command: SendBatchCommand): Promise<undefined> {
  await continueChain(campaign, command, { skipDone: true });
}

/** A paused or failing campaign starts its chains anew when it is resumed; an unfinished batch comes back by itself. */
async function continueAfter(
  { campaign, command }: BatchWork,
  { stoppedBy, remaining, deferred, claimedElsewhere }: BatchResult,
): Promise<void> {
  if (stoppedBy === 'suspension') return holdBatch(command, 'company_suspended');
  if (typeof stoppedBy === 'object') return holdAtCeiling(campaign, command, stoppedBy);
  if (stoppedBy === 'pause' || stoppedBy === 'failure') return;
  if (remaining.length > 0) return enqueueBatch(command, 500);
  if (deferred.size + claimedElsewhere.size > 0)
    await enqueueBatch({ ...command, chainCount: 0 }, Math.min(...deferred.values(), ...claimedElsewhere.values()) - now());
  await continueChain(campaign, command, { skipDone: false });
}
