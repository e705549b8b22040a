import { consume } from '../../../shared/queue/consume.ts';
import { webhookWakesQueue } from '../contract/queue.ts';
import { deliverToEndpoint } from '../service/deliver-webhooks.ts';

export const handler = consume(webhookWakesQueue, ({ company_id, endpoint_id }, { attempt }) =>
  deliverToEndpoint({ companyId: company_id, id: endpoint_id }, 'first', attempt > 1),
);
