import { consume } from '../../../shared/queue/consume.ts';
import { webhookRetriesQueue } from '../contract/queue.ts';
import { serveEndpoint } from '../service/delivering.ts';

export const handler = consume(webhookRetriesQueue, ({ company_id, endpoint_id }, { attempt }) =>
  serveEndpoint({ companyId: company_id, id: endpoint_id }, 'again', attempt > 1),
);
