import { consume } from '../../../shared/queue/consume.ts';
import { campaignChecksQueue } from '../contract/queue.ts';
import { completeIfDone, holdUsersOf, startExtras } from '../service/completing.ts';
import { finishRetry } from '../service/retrying.ts';

export const handler = consume(campaignChecksQueue, (check) => {
  switch (check.about) {
    case 'completion':
      return completeIfDone(check.company_id, check.campaign_id);
    case 'extras':
      return startExtras(check.company_id, check.campaign_id);
    case 'retry':
      return finishRetry(check.company_id, check.campaign_id);
    case 'template':
      return holdUsersOf(check.company_id, check.template_id, check.status);
  }
});
