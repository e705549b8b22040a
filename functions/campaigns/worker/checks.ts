import { consume } from '../../../shared/queue/consume.ts';
import { campaignChecksQueue } from '../contract/queue.ts';
import { completeCampaignIfDone, pauseCampaignsOfTemplate, startSingleRecipientBatches } from '../service/campaign-checks.ts';
import { resumeCampaignsAtCeilings } from '../service/spend-limits.ts';
import { checkCampaignsOfNumber } from '../service/restricted-numbers.ts';
import { completeInterruptedRetry } from '../service/retry-campaign.ts';

export const handler = consume(campaignChecksQueue, (check) => {
  switch (check.about) {
    case 'completion':
      return completeCampaignIfDone(check.company_id, check.campaign_id);
    case 'extras':
      return startSingleRecipientBatches(check.company_id, check.campaign_id);
    case 'retry':
      return completeInterruptedRetry(check.company_id, check.campaign_id);
    case 'number':
      return checkCampaignsOfNumber(check.company_id);
    case 'ceilings':
      return resumeCampaignsAtCeilings(check.company_id);
    case 'template':
      return pauseCampaignsOfTemplate(check.company_id, check.template_id, check.status);
  }
});
