import { consume } from '../../../shared/queue/consume.ts';
import { oneClickQueue } from '../contract/work.ts';
import { verifyByMessage } from '../service/verify-by-message.ts';

export const handler = consume(oneClickQueue, ({ company_id, contact_id, message_id }) =>
  verifyByMessage(company_id, contact_id, message_id),
);
