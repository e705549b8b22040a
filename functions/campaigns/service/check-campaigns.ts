import type { CampaignCheck } from '../contract/queue.ts';
import { completeCampaignIfDone, pauseCampaignsOfTemplate, startSingleRecipientBatches } from './campaign-checks.ts';
import { checkCampaignsOfNumber } from './restricted-numbers.ts';
import { completeInterruptedRetry } from './retry-campaign.ts';
import { resumeCampaignsAtCeilings } from './spend-limits.ts';

/** Works off a check of campaigns. Repeating one changes nothing. */
export const checkCampaigns = (check: CampaignCheck): Promise<void> => {
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
};
