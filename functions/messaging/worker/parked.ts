import { consume } from '../../../shared/queue/consume.ts';
import { parkedQueue } from '../contract/queue.ts';
import { retryParked } from '../service/status-receiving.ts';

export const handler = consume(parkedQueue, ({ company_id, wamid, status }) => retryParked(company_id, wamid, status));
