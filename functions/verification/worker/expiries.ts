import { consume } from '../../../shared/queue/consume.ts';
import { expiriesQueue } from '../contract/work.ts';
import { endRequest } from '../service/end-request.ts';

export const handler = consume(expiriesQueue, ({ company_id, request_id, verified }) => endRequest(company_id, request_id, verified));
