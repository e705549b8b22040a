import { send } from '../../../shared/queue/send.ts';
import { campaignBatchesQueue, campaignChecksQueue } from '../contract/queue.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { listRecipientBatches } from '../store/recipient-batch.ts';

/**
 * Batches are sent in chains that run side by side: of four chains the first sends batches 0, 4, 8 ..., the second 1, 5, 9 ... Each chain
 * has one message on the queue, for its current batch.
 */
export interface SendBatchCommand {
  companyId: number;
  campaignId: number;
  /** The run (start, resume, retry) that enqueued it; commands of earlier runs are dropped. */
  runNumber: number;
  batch: number;
  /** Distance to the next batch of the chain; 0 for a batch outside any chain. */
  chainCount: number;
}

/** Enqueues the next batch of the chain, or the completion check at its end. `skipDone` looks for the next batch that is not done. */
export const continueChain = async (
  campaign: StoredCampaign,
  command: SendBatchCommand,
  { skipDone }: { skipDone: boolean },
): Promise<void> => {
  if (command.chainCount === 0) return;
  const next = skipDone ? await nextOpenBatch(campaign, command) : command.batch + command.chainCount;
  if (next !== undefined && next < campaign.batchCount) return enqueueBatch({ ...command, batch: next }, 0);
  const message = { about: 'completion', company_id: command.companyId, campaign_id: command.campaignId } as const;
  await send(campaignChecksQueue, [{ companyId: command.companyId, message }]);
};

export const enqueueBatch = async (
  { companyId, campaignId, runNumber, batch, chainCount }: SendBatchCommand,
  delayMs: number,
): Promise<void> => {
  const message = { company_id: companyId, campaign_id: campaignId, run_number: runNumber, batch, chain_count: chainCount };
  await send(campaignBatchesQueue, [{ companyId, message, delaySeconds: Math.max(0, Math.min(maxDelaySeconds, delayMs / 1_000)) }]);
};

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const maxDelaySeconds = 900;

async function nextOpenBatch(
  campaign: StoredCampaign,
  { companyId, campaignId, batch, chainCount }: SendBatchCommand,
): Promise<number | undefined> {
  for (let from = batch + chainCount; from < campaign.batchCount; from += batchesPerRead) {
    const to = Math.min(from + batchesPerRead, campaign.batchCount) - 1;
    // a retry may have opened one a moment ago
    const batches = await listRecipientBatches(companyId, campaignId, { from, to, limit: batchesPerRead, consistent: true });
    const open = batches.find((each) => !each.done && (each.batch - batch) % chainCount === 0);
    if (open) return open.batch;
  }
  return undefined;
}

const batchesPerRead = 200;
