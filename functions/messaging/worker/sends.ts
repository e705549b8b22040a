import { consume } from '../../../shared/queue/consume.ts';
import { sendsQueue } from '../contract/queue.ts';
import { sendDue } from '../service/due.ts';

export const handler = consume(sendsQueue, ({ company_id, contact_id, message_id, due_at_ms }) =>
  sendDue({ companyId: company_id, contactId: contact_id, messageId: message_id, dueAtMs: due_at_ms }),
);
