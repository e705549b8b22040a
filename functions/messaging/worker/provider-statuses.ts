import { consume } from '../../../shared/queue/consume.ts';
import { providerStatusesQueue } from '../contract/queue.ts';
import { rankOfStatus } from '../domain/status.ts';
import { applyStatusUpdate } from '../service/apply-status.ts';

export const handler = consume(
  providerStatusesQueue,
  ({ company_id, received_at, status }) => applyStatusUpdate(company_id, status, received_at),
  // read before delivered is a refused write more
  { sameItem: ({ company_id, status }) => `${company_id} ${status.id}`, place: ({ status }) => rankOfStatus(status.status) },
);
