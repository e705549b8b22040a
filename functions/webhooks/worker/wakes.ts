import { consume } from '../../../shared/queue/consume.ts';
import { webhookWakesQueue } from '../contract/queue.ts';
import { serveEndpoint } from '../service/delivering.ts';

export const handler = consume(webhookWakesQueue, ({ company_id, endpoint_id }, { attempt }) =>
  serveEndpoint({ companyId: company_id, id: endpoint_id }, 'first', attempt > 1),
);
