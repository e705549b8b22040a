import { consume } from '../../../shared/queue/consume.ts';
import { sendsQueue } from '../contract/queue.ts';
import { sendDueMessage } from '../service/scheduled-messages.ts';

export const handler = consume(sendsQueue, ({ company_id, contact_id, message_id, due_at_ms, turn_at_ms }) =>
  sendDueMessage({ companyId: company_id, contactId: contact_id, messageId: message_id, dueAtMs: due_at_ms, turnAtMs: turn_at_ms }),
);
