import { consume } from '../../../shared/queue/consume.ts';
import { webhookRetriesQueue } from '../contract/queue.ts';
import { deliverToEndpoint } from '../service/deliver-webhooks.ts';

export const handler = consume(webhookRetriesQueue, ({ company_id, endpoint_id }, { attempt }) =>
  deliverToEndpoint({ companyId: company_id, id: endpoint_id }, 'again', attempt > 1),
);
