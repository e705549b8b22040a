import { consume } from '../../../shared/queue/consume.ts';
import { buildsQueue } from '../contract/queue.ts';
import { build } from '../service/building.ts';

export const handler = consume(buildsQueue, ({ company_id, campaign_id }) => build(company_id, campaign_id));
