import { consume } from '../../../shared/queue/consume.ts';
import { readReceiptsQueue } from '../contract/inbound-queue.ts';
import { sendReadReceipt } from '../service/send-read-receipt.ts';

export const handler = consume(readReceiptsQueue, ({ company_id, contact_id, message_id }) =>
  sendReadReceipt({ companyId: company_id, contactId: contact_id, messageId: message_id }),
);
