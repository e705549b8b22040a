import { consume } from '../../../shared/queue/consume.ts';
import { providerStatusesQueue } from '../contract/queue.ts';
import { applyStatusUpdate } from '../service/apply-status.ts';

export const handler = consume(providerStatusesQueue, ({ company_id, received_at, status }) =>
  applyStatusUpdate(company_id, status, received_at),
);
