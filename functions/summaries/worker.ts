import { consume } from '../../shared/queue/consume.ts';
import { campaignChecksQueue } from '../campaigns/contract/queue.ts';
import { checkCampaigns } from '../campaigns/service/check-campaigns.ts';
import { sendWeeklySummary } from './service/send-weekly-summary.ts';

export const handler = consume(campaignChecksQueue, (check) =>
  check.about === 'weekly_summary' ? sendWeeklySummary(check.company_id, check.user_id, check.due_at_ms) : checkCampaigns(check),
);
