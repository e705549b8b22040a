import { consume } from '../../../shared/queue/consume.ts';
import { blocksQueue } from '../contract/queue.ts';
import { workBlock } from '../service/sending.ts';

export const handler = consume(blocksQueue, ({ company_id, campaign_id, epoch, block, stride }, { messageId }) =>
  workBlock({ companyId: company_id, campaignId: campaign_id, epoch, block, stride }, messageId),
);
