import { consume } from '../../../shared/queue/consume.ts';
import { expiriesQueue } from '../contract/work.ts';
import { expireRequest } from '../service/expire-request.ts';

export const handler = consume(expiriesQueue, ({ company_id, request_id }) => expireRequest(company_id, request_id));
