import { consume } from '../../../shared/queue/consume.ts';
import { expiriesQueue } from '../contract/work.ts';
import { expire } from '../service/expiring.ts';

export const handler = consume(expiriesQueue, ({ company_id, request_id }) => expire(company_id, request_id));
