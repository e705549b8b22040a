import { consume } from '../../../shared/queue/consume.ts';
import { campaignBatchesQueue } from '../contract/queue.ts';
import { sendBatch } from '../service/send-batch.ts';

export const handler = consume(campaignBatchesQueue, ({ company_id, campaign_id, run_number, batch, chain_count }, { messageId }) =>
  sendBatch({ companyId: company_id, campaignId: campaign_id, runNumber: run_number, batch, chainCount: chain_count }, messageId),
);
