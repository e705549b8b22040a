import { consume } from '../../../shared/queue/consume.ts';
import { campaignBuildsQueue } from '../contract/queue.ts';
import { buildAudience } from '../service/build-audience.ts';

export const handler = consume(campaignBuildsQueue, ({ company_id, campaign_id }) => buildAudience(company_id, campaign_id));
