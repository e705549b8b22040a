import { consume } from '../../../shared/queue/consume.ts';
import { parkedStatusesQueue } from '../contract/queue.ts';
import { retryParkedStatus } from '../service/apply-status.ts';

export const handler = consume(parkedStatusesQueue, ({ company_id, wamid, status }) => retryParkedStatus(company_id, wamid, status));
